# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The memory key: what shapes memory changes it, what does not leaves it alone."""

from __future__ import annotations

import json

import pytest

from trainlint.model.spec import TrainSpec, Value
from trainlint.tape.step import built, key_of, step_of

FIELDS = {
    "dialect": "basicsr",
    "name": "first try",
    "recipe": "basicsr.ESRGANModel",
    "scale": 4,
    "crop.hr": 256,
    "crop.lq": 64,
    "batch.per_gpu": 8,
    "networks.generator.arch": "RRDBNet",
    "networks.generator.args": {"num_feat": 64, "num_block": 23},
    "losses": [
        {"role": "pixel", "type": "L1Loss", "loss_weight": 0.01},
        {
            "role": "perceptual",
            "type": "PerceptualLoss",
            "layer_weights": {"conv5_4": 1.0},
            "style_weight": 0,
        },
    ],
    "optimizers": [
        {"role": "generator", "type": "Adam", "lr": 1e-4, "weight_decay": 0, "betas": [0.9, 0.99]}
    ],
    "ema": 0.999,
    "precision": "fp32",
    "prefetch.mode": "cpu",
    "pretrained.generator": "weights/a.pth",
}


def key(**changes):
    fields = FIELDS | {name.replace("__", "."): value for name, value in changes.items()}
    return key_of(
        step_of(TrainSpec({name: Value(value) for name, value in fields.items() if value is not None}))
    )


@pytest.mark.parametrize(
    "change",
    [
        {"name": "second try"},
        {"batch__per_gpu": 4},
        {"ema": 0.9999},
        {"pretrained__generator": None},
        {"precision": None},
        {"accumulate": 1},
        {"parallel": "none"},
        {"gradient_clip": 0},
        {"checkpointing": False},
        {"prefetch__mode": None},
        {"scale": 4.0},
        {"networks__generator__args": {"num_block": 23, "num_feat": 64}},
        {"optimizers": [{"role": "generator", "type": "Adam", "lr": 2e-4, "weight_decay": 0.0}]},
        {
            "losses": [
                {"role": "pixel", "type": "L1Loss", "loss_weight": 1},
                {
                    "role": "perceptual",
                    "type": "PerceptualLoss",
                    "layer_weights": {"conv5_4": 0.1},
                    "style_weight": 0,
                },
            ]
        },
    ],
)
def test_what_does_not_shape_memory_leaves_the_key(change):
    assert key(**change) == key()


@pytest.mark.parametrize(
    "change",
    [
        {"ema": 0},
        {"ema": None},
        {"crop__hr": 128},
        {"precision": "fp16"},
        {"accumulate": 2},
        {"parallel": "dp"},
        {"gradient_clip": 1.0},
        {"checkpointing": True},
        {"prefetch__mode": "cuda"},
        {"networks__generator__args": {"num_feat": 32, "num_block": 23}},
        {"optimizers": [{"role": "generator", "type": "Adam", "weight_decay": 0.01}]},
        {"optimizers": [{"role": "generator", "type": "SGD", "weight_decay": 0}]},
        {"losses": FIELDS["losses"][:1]},
        {"losses": [{"role": "pixel", "type": "L1Loss", "loss_weight": 0}, FIELDS["losses"][1]]},
        {"losses": [FIELDS["losses"][0], FIELDS["losses"][1] | {"style_weight": 1}]},
        {"losses": [FIELDS["losses"][0], FIELDS["losses"][1] | {"layer_weights": {"conv1_2": 1.0}}]},
    ],
)
def test_what_shapes_memory_changes_the_key(change):
    assert key(**change) != key()


def test_the_step_is_plain_json_without_places_on_the_users_disk():
    spec = TrainSpec(
        {
            "recipe": Value("x"),
            "networks.generator.args": Value({"spynet_path": "/home/me/spynet.pth", "depths": (6, 6)}),
        }
    )
    step = step_of(spec)
    assert json.loads(json.dumps(step)) == step
    assert step == {"networks.generator.args": {"depths": [6, 6]}, "recipe": "x"}


def test_a_key_is_a_digest_of_the_content_not_of_its_order():
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})
    assert len(key_of({})) == 64


def test_data_parallel_on_one_gpu_is_the_step_without():
    def step(replica):
        fields = {**FIELDS, "parallel": "dp", "batch.per_process": 8, "batch.per_replica": replica}
        return step_of(TrainSpec({name: Value(value) for name, value in fields.items()}))

    assert "parallel" not in step(8)
    assert step(4)["parallel"] == "dp"


def test_what_only_ddp_reads_counts_under_ddp_only():
    unused = {"find_unused_parameters": True}
    assert key(options=unused) == key()
    assert key(options={**unused, "pyramid": True}) == key(options={"pyramid": True}) != key()
    assert key(options=unused, parallel="ddp") != key(parallel="ddp")


RRDB = {"num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "num_block": 23, "num_grow_ch": 32}


def built_key(arch="RRDBNet", dialect="basicsr", recipe="basicsr.SRModel", **args):
    step = {"recipe": recipe, "dialect": dialect, "networks.generator.arch": arch}
    return key_of(built({**step, "networks.generator.args": args} if args else step))


@pytest.mark.parametrize("args", [{}, {"scale": 4}, {"scale": 4, "num_feat": 64}, {"num_block": 23}])
def test_what_is_not_written_is_the_constructors_default(args):
    assert built_key(**RRDB) == built_key(**(RRDB | args))
    assert built_key(num_in_ch=3, num_out_ch=3, **args) == built_key(**RRDB)


@pytest.mark.parametrize("args", [{"scale": 2}, {"num_block": 22}, {"scale": None}, {"strange": 1}])
def test_what_is_built_otherwise_has_another_key(args):
    assert built_key(**(RRDB | args)) != built_key(**RRDB)


def test_a_preset_is_built_with_its_own_defaults():
    small = built_key("fdat_light", "trainner-redux")
    assert small == built_key("fdat_light", "trainner-redux", embed_dim=108)
    assert small != built_key("fdat_light", "trainner-redux", embed_dim=120)


def test_a_default_that_cannot_be_read_is_left_to_the_constructor():
    step = {"dialect": "basicsr", "networks.generator.arch": "CAT", "recipe": "basicsr.CATModel"}
    assert "block_name" not in built(step)["networks.generator.args"]


def test_a_list_of_files_and_a_schedule_among_the_options_leave_the_key():
    options = {"load_size": 256, "data_list": "/data/list.csv", "lr_step": 5, "lr_start_epoch_decay": 5}
    assert key(options=options) == key(options={"load_size": 256}) != key(options={"load_size": 300})


def test_a_librarys_network_is_taken_as_it_is_written():
    step = {"recipe": "timm.train", "dialect": "timm", "networks.generator.arch": "RRDBNet"}
    assert built(step) == step


def test_arguments_that_are_none_stay_as_they_are():
    step = {"dialect": "basicsr", "networks.generator.arch": "RRDBNet", "networks.generator.args": "scale"}
    assert built(step) == step
