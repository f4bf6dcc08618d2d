# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Batches and workers as each trainer's loader would set them; the numbers are worked out by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.dialects.shipped.dialect_jobs import jobs
from trainlint.commands.accelerate_config import offloading_around
from trainlint.estimate.run.placement import place, place_job
from trainlint.model.launcher import Launcher
from trainlint.model.placing import Placing
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu, Target
from trainlint.repository.trainer.own_classes import Own

TRAIN = "src/train.py --stage sft --model_name_or_path a --template qwen"

T4 = Gpu("t4", "Tesla T4", 2**33, 2**27, 7.5, 40, 1.0, 1.0, 0.0, 0.0, 0.0, False, "10.0", None, "")
PATHS = {"batch.per_gpu": ("datasets", "train", "batch_size_per_gpu"), "gpus": ("num_gpu",)}


def spec(**fields):
    names = {name.replace("__", "."): value for name, value in fields.items()}
    return TrainSpec({k: Value(v, (PATHS[k],) if k in PATHS else ()) for k, v in names.items()})


def machine(count):
    return Target("box", T4 if count else None, count)


def shares(placed):
    names = ("gpus", "parallel", "batch.per_process", "batch.per_replica", "batch.total")
    return tuple(placed.get(name) for name in names)


@pytest.mark.parametrize(
    ("fields", "count", "expected"),
    [
        # Real-ESRGAN: num_gpu auto, batch 12. One GPU; two without a launcher; two with one; none.
        ({}, 1, (1, "none", 12, 12, 12)),
        ({}, 2, (2, "dp", 24, 12, 24)),
        ({"launcher": "pytorch"}, 2, (2, "ddp", 12, 12, 24)),
        ({"launcher": "none"}, 2, (2, "dp", 24, 12, 24)),
        ({}, 0, (0, "none", 12, 12, 12)),
        # a number written beats what the machine has
        ({"gpus": 1}, 8, (1, "none", 12, 12, 12)),
        ({"gpus": 0}, 2, (0, "none", 12, 12, 12)),
        ({"gpus": 4, "launcher": "slurm"}, 8, (4, "ddp", 12, 12, 48)),
        # DataParallel without a device list: 4 x 12 samples over the 8 cards there are, or the 1
        ({"gpus": 4}, 8, (4, "dp", 48, 6, 48)),
        ({"gpus": 4}, 1, (4, "dp", 48, 48, 48)),
        # one process under a launcher is still DDP
        ({"gpus": 1, "launcher": "pytorch"}, 1, (1, "ddp", 12, 12, 12)),
    ],
)
def test_basicsr_multiplies_by_gpus_without_a_launcher(fields, count, expected):
    assert shares(place(spec(batch__per_gpu=12, **fields), machine(count))) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, (2, "dp", 5, 3, 5)),  # zoom23 --multi_gpu --batch_size 5: 3 + 2
        ({"parallel": "none"}, (1, "none", 5, 5, 5)),  # without the flag: one of the two GPUs
        ({"parallel": "ddp"}, (2, "ddp", 5, 5, 10)),  # GLF-CR under DDP: --batch_sz per process
        ({"gpus": 1}, (1, "none", 5, 5, 5)),
    ],
)
def test_a_loader_batch_is_split_by_ceil(fields, expected):
    assert shares(place(spec(batch__per_process=5, **fields), machine(2))) == expected


def test_a_loader_batch_is_split_over_the_gpus_named_not_over_all():
    assert shares(place(spec(batch__per_process=8, gpus=2), machine(4))) == (2, "dp", 8, 4, 8)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({}, (4, "dp", 32, 8, 32)), ({"launcher": "pytorch"}, (4, "ddp", 8, 8, 32))],  # KAIR
)
def test_a_total_batch_is_divided_by_processes(fields, expected):
    assert shares(place(spec(batch__total=32, **fields), machine(4))) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"workers.per_gpu": 5}, (10, 10)),
        ({"workers.per_gpu": 5, "launcher": "pytorch"}, (5, 10)),
        ({"workers.per_gpu": 5, "gpus": 0}, (5, 5)),
        ({"workers.per_process": 4}, (4, 4)),
        ({"workers.total": 8, "launcher": "pytorch"}, (4, 8)),
    ],
)
def test_workers_follow_the_same_convention(fields, expected):
    placed = place(TrainSpec({name: Value(value) for name, value in fields.items()}), machine(2))
    assert (placed["workers.per_process"], placed["workers.total"]) == expected


def test_without_a_target_auto_stays_undecided():
    placed = place(spec(batch__per_gpu=12), None)
    assert shares(placed) == (None, None, None, None, None)


def test_without_a_target_what_is_written_decides():
    assert shares(place(spec(batch__per_gpu=12, gpus=2), None)) == (2, "dp", 24, 12, 24)
    under_launcher = place(spec(batch__per_gpu=12, launcher="pytorch"), None)
    assert (under_launcher["parallel"], under_launcher["batch.per_process"]) == ("ddp", 12)
    assert "batch.total" not in under_launcher


def test_derived_fields_point_at_what_they_came_from():
    placed = place(spec(batch__per_gpu=12, gpus=2), machine(2))
    assert placed.fields["batch.per_process"] == Value(24, (PATHS["batch.per_gpu"], PATHS["gpus"]), "derived")
    assert placed.fields["batch.per_gpu"].origin == placed.fields["gpus"].origin == "written"


def test_the_spec_given_is_left_alone():
    before = spec(batch__per_gpu=12)
    place(before, machine(2))
    assert set(before) == {"batch.per_gpu"}


def test_a_spec_without_a_batch_gets_none():
    assert set(place(spec(scale=4), machine(2))) == {"scale", "gpus", "parallel"}


ZERO3 = "distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3, offload_param_device: none}\n"
RECIPE = """model_name_or_path: mistralai/Mistral-7B-v0.1
dataset_name: d
learning_rate: 2.0e-05
per_device_train_batch_size: 8
max_length: 2048
gradient_checkpointing: true
output_dir: data/sft
"""
AROUND = "recipes/accelerate_configs/a.yaml"
FSDP = "distributed_type: FSDP\nfsdp_config: {fsdp_offload_params: false}\n"


@pytest.mark.parametrize(
    ("config", "flags", "may"),
    [
        (ZERO3, "", None),
        (ZERO3.replace("none", "cpu"), "", True),
        (ZERO3.replace("offload_param_device: none", "deepspeed_config_file: ds.json"), "", True),
        (FSDP, "", None),
        (FSDP.replace("false", "true"), "", True),
        ("distributed_type: MULTI_GPU\n", "", None),
        ("distributed_type: DEEPSPEED\n", "", True),
        (ZERO3, "--use_deepspeed ", True),
        (None, "", True),  # it is not there
    ],
)
def test_what_accelerate_may_leave_on_the_host_is_not_certain(tmp_path, config, flags, may):
    """Of a file, the command that starts it decides."""
    if config is not None:
        (tmp_path / "accelerate.yaml").write_text(config, "utf-8")
    script = str(tmp_path / "train.sh")
    _, (job, *_) = jobs(f"accelerate launch {flags}--config_file accelerate.yaml {TRAIN}", script)
    assert place_job(job, Placing(machine(1), None)).spec.get("launcher.may_offload") is may


@pytest.mark.parametrize(
    ("config", "cards", "terms"),
    [
        (ZERO3, 1, [("DeepSpeed (accelerate's)", "states")]),
        (ZERO3, 2, [("DeepSpeed (accelerate's)", None)]),
        (FSDP, 1, [("FSDP (accelerate's)", "states")]),
        (FSDP.replace("false", "true"), 1, [("FSDP (accelerate's)", None)]),
        ("distributed_type: MULTI_GPU\n", 2, []),
    ],
)
def test_what_runs_the_step_in_its_own_way_is_a_term_that_nothing_counts(tmp_path, config, cards, terms):
    (tmp_path / "accelerate.yaml").write_text(config, "utf-8")
    _, (job, *_) = jobs(
        f"accelerate launch --config_file accelerate.yaml {TRAIN}", str(tmp_path / "train.sh")
    )
    placed = place_job(job, Placing(machine(cards), None)).spec
    assert [(term["what"], term.get("keeps")) for term in placed.get("uncounted", ())] == terms
    assert {term["direction"] for term in placed.get("uncounted", ())} <= {"unknown"}


@pytest.mark.parametrize(
    ("text", "name", "launcher", "open_"),
    [
        ("stage: sft\nmodel_name_or_path: a\ntemplate: qwen\n", "sft.yaml", None, True),
        (
            "stage: sft\nmodel_name_or_path: a\ntemplate: qwen\n",
            "sft.yaml",
            Launcher("torchrun", "flag"),
            None,
        ),
        ("llamafactory-cli train --stage sft --model_name_or_path a --template qwen", "train.sh", None, None),
        ("trl sft --model_name_or_path a --dataset_name b --output_dir c", "train.sh", None, True),
        (f"accelerate launch {TRAIN}", "train.sh", None, True),
        (
            f"accelerate launch --config_file fsdp.yaml {TRAIN}",
            "train.sh",
            None,
            True,
        ),
        (
            f"accelerate launch --multi_gpu {TRAIN}",
            "train.sh",
            None,
            None,
        ),
        (
            f"torchrun --nproc_per_node 2 {TRAIN}",
            "train.sh",
            None,
            None,
        ),
    ],
)
def test_accelerate_may_shard_what_it_may_have_started(text, name, launcher, open_):
    _, (job, *_) = jobs(text, name)
    for count, expected in ((2, open_), (1, None)):
        placed = place_job(job, Placing(machine(count), launcher))
        assert placed.spec.get("launcher.may_shard") is expected


@pytest.mark.parametrize(
    ("config", "may"),
    [
        (ZERO3, None),
        (ZERO3.replace("none", "cpu"), AROUND),
        (FSDP, None),
        (FSDP.replace("false", "true"), AROUND),
    ],
)
def test_a_recipe_that_nothing_starts_has_the_launches_around_it(tmp_path, config, may):
    (tmp_path / ".git").mkdir()
    (tmp_path / "recipes/accelerate_configs").mkdir(parents=True)
    (tmp_path / "recipes/accelerate_configs/a.yaml").write_text(config, "utf-8")
    offloading_around.cache_clear()
    _, (job, *_) = jobs(RECIPE, str(tmp_path / "recipes/sft.yaml"))
    assert place_job(job, Placing(machine(1), None)).spec.get("launcher.offload_around") == may


@pytest.mark.parametrize("altered", [None, "its own load_model (a.py:1) is in no version of TRL"])
def test_what_is_certain_of_a_model_is_not_where_the_code_is_its_own(altered):
    _, (job, *_) = jobs(RECIPE, "sft.yaml")
    placed = place_job(replace(job, own=Own(altered=altered)), Placing(machine(1), None))
    assert placed.spec.get("model.assumed") == altered


@pytest.mark.parametrize(
    ("more", "given", "counted"),
    [
        ("", 52_000, 52_000),
        ("max_samples: 100\n", 52_000, 200),
        ("max_samples: 100\n", 150, 150),
        ("max_samples: 100\nmix_strategy: interleave_over\n", 52_000, 52_000),
    ],
)
def test_of_what_there_is_no_more_counts_than_the_config_takes_of_its_sets(more, given, counted):
    text = "stage: sft\ndo_train: true\nmodel_name_or_path: a\ntemplate: qwen\ndataset: a, b\n"
    _, (job, *_) = jobs(text + more, "lora.yaml")
    assert place_job(job, Placing(machine(1), None, given)).spec["data.images"] == counted
