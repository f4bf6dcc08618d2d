# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The traiNNer-redux dialect: closed mappings, strict types, several readings of one network's name."""

from __future__ import annotations

import re

import pytest

from tests.dialects.documents import REDUX, document
from trainlint.dialects import normalise, recognise
from trainlint.dialects.messages.value_wording import dotted
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.files.text_source import load_source
from trainlint.judge.problem_findings import network_problems
from trainlint.tape.step import step_of

TRAINS = REDUX.replace("paragonsr2_nano", "span")


def jobs(text, dialects):
    found = document(text)
    dialect = recognise(found, dialects)
    assert dialect is not None
    assert dialect.id == "trainner-redux"
    return normalise(found, dialect)


def problems(text, dialects):
    return [(p.rule, dotted(p.path), p.suggestion) for p in jobs(text, dialects)[0].problems]


def test_fields(dialects):
    (job,) = jobs(TRAINS, dialects)
    assert job.problems == ()
    expected = {
        "dialect": "trainner-redux", "recipe": "trainner-redux.SRModel", "scale": 2, "crop.lq": 96,
        "crop.hr": 192, "batch.per_gpu": 8, "accumulate": 2, "workers.per_gpu": 4, "pin_memory": True,
        "precision": "bf16", "channels_last": True, "tf32": False, "compile": False,
        "cudnn_benchmark": True, "ema": 0.999, "gradient_clip": 1.0, "schedule.milestones": [5000],
        "schedule.warmup": 0, "duration.iterations": 10000, "checkpoint.every": 500,
        "validation.every": 1000, "validation.tile": 256, "validation.save_images": True,
        "networks.generator.arch": "span", "networks.discriminator.arch": "dunet",
    }  # fmt: skip
    assert {name: job.spec.get(name) for name in expected} == expected
    assert [loss["role"] for loss in job.spec["losses"]] == ["l1", "gan"]
    assert job.spec.at("losses") == (("train", "losses", 0), ("train", "losses", 1))
    assert "data.pool_size" not in job.spec


@pytest.mark.parametrize(
    ("written", "arch"),
    [
        ("type: UNetDiscriminatorSN", "unetdiscriminatorsn@2025"),
        ("type: unetdiscriminatorsn, num_in_ch: 3", "unetdiscriminatorsn"),
        ("type: vggstylediscriminator, num_in_ch: 3", "vggstylediscriminator@2025"),
        ("type: vggstylediscriminator, num_in_ch: 3, num_feat: 64", "vggstylediscriminator"),
    ],
)
def test_channels_of_a_discriminator_have_a_default_since_2025(dialects, written, arch):
    (job,) = jobs(re.sub(r"network_d: .*", f"network_d: {{{written}}}", TRAINS), dialects)
    assert job.spec["networks.discriminator.arch"] == arch
    assert not [*network_problems(job)]


def test_degrading_on_the_gpu_keeps_a_pool(dialects):
    (job,) = jobs(TRAINS + "high_order_degradation: true\n", dialects)
    assert (job.spec["recipe"], job.spec["data.pool_size"]) == ("trainner-redux.RealESRGANModel", 120)
    assert job.spec.at("data.pool_size")[0] == ("high_order_degradation",)


@pytest.mark.parametrize(
    ("edit", "found"),
    [
        (("total_iter: 10000", "total_iter: 1e5"), ("number-as-string", "train.total_iter", "100000")),
        (("total_iter: 10000", "total_iter: !!float 1e5"), ("wrong-type", "train.total_iter", None)),
        (("total_iter: 10000", "total_iter: 1.0e+5"), ("wrong-type", "train.total_iter", None)),
        (("total_iter: 10000", 'total_iter: "100000"'), ("wrong-type", "train.total_iter", "100000")),
        (("ema_decay: 0.999", "ema_decay: 1e-3"), ("number-as-string", "train.ema_decay", "1.0e-3")),
        (("lr: 1.0e-4, weight", "lr: 2e-4, weight"), ("number-as-string", "train.optim_g.lr", "2.0e-4")),
        (("ema_decay", "ema_decays"), ("unknown-key", "train.ema_decays", "ema_decay")),
        (
            ("amp_bf16: true", "auto_vram_management: {enabled: true}"),
            ("unknown-key", "auto_vram_management", None),
        ),
        (("lq_size: 96", "lq_size: 96\n    gt_size: 192"), ("wrong-type", "datasets.train", None)),
        (("    lq_size: 96\n", ""), ("missing-key", "datasets.train", None)),
        (("val_enabled: true, ", ""), ("missing-key", "val", None)),
    ],
)
def test_strict_types_and_closed_mappings(dialects, edit, found):
    assert edit[0] in TRAINS
    assert problems(TRAINS.replace(*edit), dialects) == [found]


def test_an_unknown_key_is_told_where_it_belongs(dialects):
    text = TRAINS.replace("  total_iter: 10000\n", "  total_iter: 10000\n  high_order_degradation: true\n")
    (problem,) = jobs(text, dialects)[0].problems
    assert problem.path == ("train", "high_order_degradation")
    assert problem.message.endswith("it belongs at the top of the file")


def test_nano_is_read_in_every_way_it_may_be_meant(dialects):
    archs = {job.variant: job.spec["networks.generator.arch"] for job in jobs(REDUX, dialects)}
    assert list(archs.values()) == ["paragonsr2_nano@v2", "paragonsr2_nano@v5", "paragonsr2_nano@v5-full"]
    folded = jobs(REDUX.replace("paragonsr2_nano", "ParagonSR2_Nano"), dialects)  # the registry ignores case
    assert {job.variant: job.spec["networks.generator.arch"] for job in folded} == archs
    sure = jobs(REDUX.replace("paragonsr2_nano", "paragonsr2_nano, hr_blocks: 1"), dialects)
    assert [job.spec["networks.generator.arch"] for job in sure] == ["paragonsr2_nano@v2"]
    plain = jobs(REDUX.replace("paragonsr2_nano", "paragonsr2_nano, use_attention: false"), dialects)
    assert [job.spec["networks.generator.arch"] for job in plain] == ["paragonsr2_nano@v5"]
    assert plain[0].spec.at("networks.generator.arch") == (("network_g", "type"),)


def test_verdicts_equal_those_of_the_trainers_own_loader(dialects, shared):
    """Optimizers and schedulers are free mappings to msgspec: what is wrong in them fails in torch.

    Names of classes are the registries', not the loader's.
    """
    folder = shared / "corpus" / "systems" / "paragonsr2"
    verdicts = [
        line.split()[:2]
        for line in (folder / "schema_verdicts.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith(("OK", "FAIL"))
    ]
    assert len(verdicts) == 47
    for verdict, name in verdicts:
        try:
            (found,) = read(load_source(str(folder / name)))
        except UnreadableError:
            assert verdict == "FAIL", name
            continue
        dialect = recognise(found, dialects)
        assert dialect is not None, name
        assert dialect.id == "trainner-redux", name
        refused = [
            p
            for p in normalise(found, dialect)[0].problems
            if p.path[1:2] not in {("optim_g",), ("optim_d",)}
            and p.rule not in ("unknown-argument", "misspelt-name")
        ]
        assert bool(refused) == (verdict == "FAIL"), (name, refused)


def test_a_wrong_value_in_train_leaves_the_recipe(dialects):
    wrong = "\ntrain:\n  moa_probs: [1e-4]\n"
    (job,) = jobs(TRAINS.replace("\ntrain:\n", wrong), dialects)
    assert ("number-as-string", "train.moa_probs[0]") in [(p.rule, dotted(p.path)) for p in job.problems]
    assert job.spec["recipe"] == "trainner-redux.SRModel"


LATER = """
train:
  dynamic_loss_scheduling: {enabled: true, min_weight: 1e-4}
  training_automations: {IntelligentEarlyStopping: {enabled: true, min_improvement: 5e-4}}
"""


def test_keys_of_later_forks_name_them_and_their_values_are_the_forks_own(dialects):
    """The fork's create_dynamic_loss_scheduler converts texts to numbers itself (delafer 069b6d5)."""
    (job,) = jobs(TRAINS.replace("\ntrain:\n", LATER), dialects)
    assert [(p.rule, dotted(p.path)) for p in job.problems] == [
        ("unknown-key", "train.dynamic_loss_scheduling"),
        ("unknown-key", "train.training_automations"),
    ]
    assert "which later forks" in job.problems[0].message
    (wrong,) = jobs(TRAINS.replace("\ntrain:\n", "\ntrain:\n  training_automations: [1]\n"), dialects)
    assert ("wrong-type", "train.training_automations") in [(p.rule, dotted(p.path)) for p in wrong.problems]


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        (("scale: 2", "scale: 2\ncompress_h264_range2: [20, 40]"), "compress_h264_range2"),
        (("scale: 2", "scale: 2\nshift_rgb_b: [[0, 1], [0, 1]]"), "shift_rgb_b"),
        (("scale: 2", "scale: 2\njpeg_subsample_list: ['4:2:0']"), "jpeg_subsample_list"),
        (("ema_decay", "optim_include_params_g: [tail]\n  ema_decay"), "train.optim_include_params_g"),
        (("val_enabled: true", "val_enabled: true, stochastic_samples: 4"), "val.stochastic_samples"),
        (
            ("    lq_size: 96", "    lq_size: 96\n    paired_dataroot_gt: hr"),
            "datasets.train.paired_dataroot_gt",
        ),
    ],
)
def test_keys_of_other_forks_name_them_too(dialects, edit, path):
    assert edit[0] in TRAINS
    (job,) = jobs(TRAINS.replace(edit[0], edit[1], 1), dialects)
    (problem,) = job.problems
    assert (problem.rule, dotted(problem.path)) == ("unknown-key", path)
    assert ", which " in problem.message


def test_a_slip_beside_the_keys_of_a_fork_is_still_refused(dialects):
    (job,) = jobs(TRAINS.replace("scale: 2", "scale: 2\ncompress_h265_range: [20, 40]", 1), dialects)
    (problem,) = job.problems  # and no guess: another codec is another key
    assert problem.message == 'traiNNer-redux refuses the unknown key "compress_h265_range"'


def test_the_folder_of_templates_is_told_wherever_one_stands(dialects, tmp_path, monkeypatch):
    """The loader compares real paths: a name without the folder, or a link into it, is the same file."""
    folder = tmp_path / "options" / "_templates" / "train"
    folder.mkdir(parents=True)
    (folder / "a.yml").write_text(TRAINS, "utf-8")
    (tmp_path / "link.yml").symlink_to(folder / "a.yml")
    (tmp_path / "copy.yml").write_text(TRAINS, "utf-8")

    def spec(path):
        (found,) = read(load_source(str(path)))
        (job,) = normalise(found, recognise(found, dialects))
        return job.spec

    def is_template(path):
        return "template" in (spec(path).get("options") or {})

    monkeypatch.chdir(folder)
    assert is_template("a.yml")
    assert is_template(tmp_path / "link.yml")
    assert not is_template(tmp_path / "copy.yml")
    assert step_of(spec("a.yml")) == step_of(spec(tmp_path / "copy.yml"))


@pytest.mark.parametrize(("kind", "frames"), [("pairedvideodataset", 5), ("pairedimagedataset", None)])
def test_only_a_data_set_of_clips_has_frames(dialects, kind, frames):
    text = TRAINS.replace("pairedimagedataset", kind)
    assert text != TRAINS or kind == "pairedimagedataset"
    (job,) = jobs(
        text.replace("    batch_size_per_gpu", "    clip_size: 5\n    batch_size_per_gpu", 1), dialects
    )
    assert job.spec.get("frames") == frames
