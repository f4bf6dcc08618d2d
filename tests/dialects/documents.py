# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Documents from text, by a reader of a few lines: these tests are about normalising, not reading."""

from __future__ import annotations

import yaml

from trainlint.model.document import Document, Duplicate, Place, Source, Span


class Loader(yaml.SafeLoader):
    """Safe, with the tuples that BasicSR's forks write."""


def _tuple(loader: yaml.SafeLoader, node: yaml.Node) -> tuple:
    return tuple(loader.construct_sequence(node, deep=True))


Loader.add_constructor("tag:yaml.org,2002:python/tuple", _tuple)


class Reader:
    """Values and places of one YAML document."""

    def __init__(self, text: str) -> None:
        self.places: dict = {}
        self.duplicates: list[Duplicate] = []
        loader = Loader(text)
        node = loader.get_single_node()
        self.value = loader.construct_document(node)
        self._walk(node, (), None)

    def _walk(self, node: yaml.Node, path: tuple, key: Span | None) -> None:
        self.places[path] = Place(Span(node.start_mark.index, node.end_mark.index), key)
        if isinstance(node, yaml.MappingNode):
            seen: dict = {}
            for name, item in node.value:
                span = Span(name.start_mark.index, name.end_mark.index)
                inner = (*path, Loader("").construct_object(name))
                if inner in seen:
                    self.duplicates.append(Duplicate(inner, seen[inner], span))
                seen[inner] = span
                self._walk(item, inner, span)
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self._walk(item, (*path, index), None)


def document(text: str, path: str = "options/train.yml", form: str = "yaml") -> Document:
    """Read one document."""
    read = Reader(text)
    source = Source(path, text)
    return Document(source, read.value, read.places, form, duplicates=tuple(read.duplicates))


def from_value(value: object, path: str = "options/train.yml") -> Document:
    """Make a document of a value that no text was written for: every place is empty."""
    places: dict = {}

    def walk(item: object, at: tuple) -> None:
        places[at] = Place(Span(0, 0), Span(0, 0))
        pairs = (
            item.items()
            if isinstance(item, dict)
            else enumerate(item)
            if isinstance(item, list | tuple)
            else ()
        )
        for key, inner in pairs:
            walk(inner, (*at, key))

    walk(value, ())
    return Document(Source(path, ""), value, places, "yaml")


REAL = """\
name: portraits_x4
model_type: RealESRGANModel
scale: 4
num_gpu: auto
manual_seed: 3
l1_gt_usm: true
percep_gt_usm: true
gan_gt_usm: false
resize_prob: [0.2, 0.7, 0.1]
resize_range: [0.15, 1.5]
gaussian_noise_prob: 0.5
noise_range: [1, 30]
poisson_scale_range: [0.05, 3]
gray_noise_prob: 0.4
jpeg_range: [30, 95]
second_blur_prob: 0.8
resize_prob2: [0.3, 0.4, 0.3]
resize_range2: [0.3, 1.2]
gaussian_noise_prob2: 0.5
noise_range2: [1, 25]
poisson_scale_range2: [0.05, 2.5]
gray_noise_prob2: 0.4
jpeg_range2: [30, 95]
gt_size: 192
datasets:
  train:
    name: portraits
    type: RealESRGANDataset
    dataroot_gt: data/portraits
    meta_info: data/portraits.txt
    io_backend: {type: disk}
    gt_size: 256
    num_worker_per_gpu: 4
    batch_size_per_gpu: 12
    prefetch_mode: ~
network_g: {type: RRDBNet, num_in_ch: 3, num_out_ch: 3, num_feat: 64, num_block: 6}
network_d: {type: UNetDiscriminatorSN, num_in_ch: 3}
path:
  pretrain_network_g: weights/net.pth
  resume_state: ~
train:
  ema_decay: 0.999
  optim_g: {type: Adam, lr: !!float 1e-4, betas: [0.9, 0.99]}
  optim_d: {type: Adam, lr: 1.0e-4}
  scheduler: {type: MultiStepLR, milestones: [50000, 80000], gamma: 0.5}
  total_iter: 100000
  warmup_iter: -1
  pixel_opt: {type: L1Loss, loss_weight: 1.0, reduction: mean}
  gan_opt: {type: GANLoss, gan_type: vanilla, loss_weight: !!float 1e-1}
  ldl_opt: ~
logger:
  print_freq: 100
  save_checkpoint_freq: !!float 5e3
  use_tb_logger: true
"""

PLAIN = """\
name: denoise
model_type: SRModel
scale: 2
num_gpu: 2
datasets:
  train: {type: PairedImageDataset, dataroot_gt: a, dataroot_lq: b, io_backend: {type: disk}, gt_size: 96,
          num_worker_per_gpu: 3, batch_size_per_gpu: 16}
  val: {type: PairedImageDataset, name: checks, dataroot_gt: c, dataroot_lq: d, io_backend: {type: disk}}
network_g: {type: EDSR, num_in_ch: 3, num_out_ch: 3, upscale: 2}
path: {pretrain_network_g: ~}
train:
  optim_g: {type: Adam, lr: 0.0001}
  scheduler: {type: CosineAnnealingRestartLR, periods: [1000], restart_weights: [1]}
  total_iter: 1000
  pixel_opt: {type: L1Loss}
val: {val_freq: 500, save_img: false}
logger: {print_freq: 10, save_checkpoint_freq: 250}
"""


REDUX = """\
name: tiny_x2
scale: 2
use_amp: true
amp_bf16: true
num_gpu: auto
datasets:
  train:
    name: photos
    type: pairedimagedataset
    dataroot_gt: [data/a, data/b]
    dataroot_lq: [data/al, data/bl]
    lq_size: 96
    num_worker_per_gpu: 4
    batch_size_per_gpu: 8
    accum_iter: 2
  val: {name: checks, type: pairedimagedataset, dataroot_gt: data/v, dataroot_lq: data/vl}
network_g: {type: paragonsr2_nano}
network_d: {type: dunet}
path: {pretrain_network_g: ~, strict_load_g: true}
train:
  ema_decay: 0.999
  grad_clip: true
  optim_g: {type: AdamW, lr: 1.0e-4, weight_decay: 0}
  optim_d: {type: AdamW, lr: 1.0e-4}
  scheduler: {type: MultiStepLR, milestones: [5000], gamma: 0.5}
  total_iter: 10000
  warmup_iter: -1
  losses:
    - {type: l1loss, loss_weight: 1.0}
    - {type: ganloss, gan_type: vanilla, loss_weight: 0.1}
val: {val_enabled: true, val_freq: 1000, save_img: true, tile_size: 256}
logger: {print_freq: 100, save_checkpoint_freq: 500, use_tb_logger: true}
"""
