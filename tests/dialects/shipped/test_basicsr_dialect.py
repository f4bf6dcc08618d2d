# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The BasicSR dialect: what it recognises, what it refuses, what it fills."""

from __future__ import annotations

import copy
import re

import pytest
import yaml

from tests.dialects.documents import PLAIN, REAL, document, from_value
from trainlint.dialects import normalise, recognise
from trainlint.dialects.messages.value_wording import dotted
from trainlint.model.trainer import Trainer


def job_of(text, basicsr):
    (job,) = normalise(document(text), basicsr)
    return job


def problems(text, basicsr):
    return [(p.rule, p.path, p.message) for p in job_of(text, basicsr).problems]


def test_a_sound_config_has_no_problems(basicsr):
    assert problems(REAL, basicsr) == []
    assert problems(PLAIN, basicsr) == []


def test_a_port_may_be_left_to_the_launcher(basicsr):
    assert problems(f"{PLAIN}\ndist_params:\n  backend: nccl\n  port: ~\n", basicsr) == []


def test_real_esrgan_fields(basicsr):
    spec = job_of(REAL, basicsr).spec
    expected = {
        "dialect": "basicsr", "name": "portraits_x4", "recipe": "basicsr.RealESRGANModel", "scale": 4,
        "channels": 3, "crop.hr": 192, "crop.lq": 48, "batch.per_gpu": 12, "workers.per_gpu": 4,
        "data.pool_size": 180, "data.kind": "RealESRGANDataset", "data.enlarge": 1, "pin_memory": False,
        "networks.generator.arch": "RRDBNet", "networks.discriminator.arch": "UNetDiscriminatorSN",
        "ema": 0.999, "precision": "fp32", "cudnn_benchmark": True, "accumulate": 1,
        "schedule.kind": "MultiStepLR", "schedule.milestones": [50000, 80000], "schedule.warmup": 0,
        "duration.iterations": 100000, "checkpoint.every": 5000, "pretrained.generator": "weights/net.pth",
        "pretrained.strict": True,
    }  # fmt: skip
    assert {name: spec.get(name) for name in expected} == expected
    for absent in ("gpus", "parallel", "launcher", "resume", "prefetch.mode", "validation.every", "stages"):
        assert absent not in spec
    assert isinstance(spec["checkpoint.every"], int)


def test_networks_losses_and_optimizers(basicsr):
    spec = job_of(REAL, basicsr).spec
    assert spec["networks.generator.args"] == {
        "num_in_ch": 3,
        "num_out_ch": 3,
        "num_feat": 64,
        "num_block": 6,
    }
    assert spec.at("networks.generator.args")[0] == ("network_g",)
    assert [(loss["role"], loss["type"]) for loss in spec["losses"]] == [
        ("pixel", "L1Loss"),
        ("gan", "GANLoss"),
    ]
    assert spec.at("losses") == (("train", "pixel_opt"), ("train", "gan_opt"))
    assert [(entry["role"], entry["lr"]) for entry in spec["optimizers"]] == [
        ("generator", 1e-4),
        ("discriminator", 1e-4),
    ]


def test_options_know_where_each_came_from(basicsr):
    spec = job_of(REAL, basicsr).spec
    places = dict(zip(spec["options"], spec.at("options"), strict=True))
    assert spec["options"]["high_order_degradation"] is True
    assert places["l1_gt_usm"] == ("l1_gt_usm",)
    assert spec["options"]["resize_range"] == [0.15, 1.5]
    assert spec["options"]["net_d_iters"] == 1


def test_defaults_point_at_a_key_that_is_there(basicsr):
    pool = job_of(REAL, basicsr).spec.fields["data.pool_size"]
    assert (pool.value, pool.paths, pool.origin) == (180, (("model_type",),), "default")
    written = job_of(REAL.replace("gt_size: 192\n", "gt_size: 192\nqueue_size: 120\n"), basicsr).spec.fields
    assert (written["data.pool_size"].value, written["data.pool_size"].origin) == (120, "written")


def test_paired_data_has_no_pool_and_crops_in_the_dataset(basicsr):
    text = REAL.replace("gt_size: 192\n", "high_order_degradation: false\n")
    spec = job_of(text, basicsr).spec
    assert "data.pool_size" not in spec
    assert spec["crop.hr"] == 256
    assert spec.at("crop.lq") == (("datasets", "train", "gt_size"), ("scale",))


def test_gpus_validation_and_schedule(basicsr):
    spec = job_of(PLAIN, basicsr).spec
    assert (spec["gpus"], spec["validation.every"], spec["validation.save_images"]) == (2, 500, False)
    assert (spec["schedule.periods"], spec["schedule.restart_weights"]) == ([1000], [1])
    assert "data.pool_size" not in spec


def test_debug_in_the_name_saves_every_eight_iterations(basicsr):
    spec = job_of(PLAIN.replace("name: denoise", "name: debug_denoise"), basicsr).spec
    assert (spec["checkpoint.every"], spec["validation.every"]) == (8, 8)


def test_progressive_stages(basicsr):
    text = PLAIN.replace(
        "gt_size: 96,", "gt_size: 96, gt_sizes: [64, 96], mini_batch_sizes: [8, 4], iters: [600, 400],"
    )
    assert job_of(text, basicsr).spec["stages"] == [
        {"size": 64, "batch": 8, "iterations": 600},
        {"size": 96, "batch": 4, "iterations": 400},
    ]


BATCH = "datasets.train.batch_size_per_gpu"
SCHEDULE = "type: CosineAnnealingRestartLR"
SAVE = ", save_checkpoint_freq: 250"
LOSS = "pixel_opt: {type: L1Loss}"
MISTAKES = [
    (("total_iter: 1000", "total_iter: many"), "wrong-type", "train.total_iter", 'the string "many"'),
    (("total_iter: 1000", "total_iter: 1e5"), "number-as-string", "train.total_iter", "1.0e+5"),
    (("lr: 0.0001", "lr: 1e-4"), "number-as-string", "train.optim_g.lr", "write 1.0e-4"),
    (("upscale: 2", "upscale: 2, res_scale: 1e-1"), "number-as-string", "network_g.res_scale", "1.0e-1"),
    (("_per_gpu: 16", "_per_gpu: 0"), "wrong-value", BATCH, "at least 1"),
    (("_per_gpu: 16", "_per_gpu: 16.0"), "wrong-type", BATCH, "an integer"),
    (("num_gpu: 2", "num_gpu: all"), "wrong-type", "num_gpu", '"auto" or an integer'),
    (("num_gpu: 2", "num_gpu: -1"), "wrong-value", "num_gpu", "at least 0"),
    ((SCHEDULE, SCHEDULE.lower()), "wrong-value", "train.scheduler.type", 'mean "CosineAnnealingRestartLR"'),
    ((SAVE, ""), "missing-key", "logger", '"save_checkpoint_freq" in "logger" (expected a number)'),
    ((LOSS, ""), "missing-key", "train", "no loss"),
    ((LOSS, LOSS[:-1] + ", reduction: avg}"), "wrong-value", "train.pixel_opt.reduction", "none, mean, sum"),
    ((LOSS, "pixel_opt: {loss_weight: 1}"), "missing-key", "train.pixel_opt", '"type"'),
    (("num_worker", "prefetch_mode: cuda, num_worker"), "missing-key", "datasets.train", "pin_memory"),
    (("num_gpu: 2", "num_gpu: 2\nmanual_seeed: 1"), "unknown-key", "manual_seeed", 'mean "manual_seed"'),
    (("  val: {type", "  dev: {type"), "unknown-key", "datasets.dev", "neither train nor val"),
    (("  train: {", "  train_b: {"), "unknown-key", "datasets.train_b", "neither train nor val"),
    (("disk}, gt_size", "lmdb}, gt_size"), "wrong-value", "datasets.train.dataroot_gt", ".lmdb"),
    (("network_g: {type:", "network_g: {arch:"), "missing-key", "network_g", '"type"'),
]


@pytest.mark.parametrize(("edit", "rule", "path", "words"), MISTAKES)
def test_one_clear_problem_per_mistake(basicsr, edit, rule, path, words):
    assert edit[0] in PLAIN
    found = problems(PLAIN.replace(*edit), basicsr)
    assert [(entry[0], dotted(entry[1])) for entry in found] == [(rule, path)]
    assert words in found[0][2]


def test_a_discriminator_is_loss_enough(basicsr):
    text = re.sub(r"  pixel_opt: .*\n", "", REAL)
    assert text != REAL
    assert problems(text, basicsr) == []
    plain = text.replace("model_type: RealESRGANModel", "model_type: RealESRNetModel")
    assert [rule for rule, _, message in problems(plain, basicsr) if "no loss" in message] == ["missing-key"]


def test_a_data_set_may_be_enlarged_by_a_fraction(basicsr):
    text = PLAIN.replace("num_worker", "dataset_enlarge_ratio: 1.5, num_worker", 1)
    assert text != PLAIN
    assert problems(text, basicsr) == []


def test_a_file_that_trains_nothing_calls_its_sets_as_it_likes(basicsr):
    text, _, _ = PLAIN.partition("\ntrain:")
    assert problems(text.replace("  train: {", "  train_b: {"), basicsr) == []


def test_several_validation_sets(basicsr):
    assert problems(PLAIN.replace("  val: {type", "  val_set8: {type"), basicsr) == []


def test_validation_sets_are_told_by_name_and_folders(basicsr):
    text = PLAIN.replace("  val: {type", "  val_b:\n  val_a: {type").replace("name: checks", "name: Set5")
    assert list(job_of(text, basicsr).spec["validation.sets"]) == [{"name": "Set5", "folders": ["c", "d"]}]


@pytest.mark.parametrize("cut", ["grids: true", "size_patch_testing: 128"])
def test_images_that_a_fork_cuts_up_are_not_judged_whole(basicsr, cut):
    text = PLAIN.replace("val: {val_freq", f"val: {{{cut}, val_freq")
    assert "validation.sets" not in job_of(text, basicsr).spec


def test_a_missing_key_points_at_its_mapping(basicsr):
    (problem,) = job_of(PLAIN.replace(", save_checkpoint_freq: 250", ""), basicsr).problems
    assert problem.on_key


def test_several_missing_keys_are_several_problems(basicsr):
    found = problems(REAL.replace("gan_gt_usm: false\n", "").replace("jpeg_range: [30, 95]\n", ""), basicsr)
    assert sorted(message.split('"')[1] for _, _, message in found) == ["gan_gt_usm", "jpeg_range"]


def test_whether_images_are_saved_is_asked_of_each_data_set_to_validate_on(basicsr):
    lacking = PLAIN.replace(", save_img: false", "")
    assert [message for _, _, message in problems(lacking, basicsr)] == [
        'missing key "save_img" in "val" (expected true or false)'
    ]
    lines = [line for line in lacking.splitlines() if not line.startswith("  val:")]
    assert not problems("\n".join(lines), basicsr)


def test_duplicate_keys(basicsr):
    (problem,) = job_of(PLAIN.replace("scale: 2\n", "scale: 2\nscale: 4\n"), basicsr).problems
    assert (problem.rule, problem.path) == ("duplicate-key", ("scale",))
    assert "line 3" in problem.message


def test_one_truth_written_twice_loses_nothing(basicsr):
    twice = "train:\n    use_shuffle: True\n    use_shuffle: {}\n"
    for second, rules in (("true", []), ("false", ["duplicate-key"])):
        text = PLAIN.replace("scale: 2\n", f"scale: 2\n{twice.format(second).replace('train:', 'more:')}")
        found_rules = [problem.rule for problem in job_of(text, basicsr).problems]
        assert [rule for rule in found_rules if rule == "duplicate-key"] == rules


@pytest.mark.parametrize(("second", "rules"), [("1.0", []), ("1.5", ["duplicate-key"])])
def test_one_number_written_twice_loses_nothing(basicsr, second, rules):
    text = PLAIN.replace("scale: 2\n", f"scale: 2\nmore:\n  weight: 1\n  weight: {second}\n")
    found_rules = [problem.rule for problem in job_of(text, basicsr).problems]
    assert [rule for rule in found_rules if rule == "duplicate-key"] == rules


@pytest.mark.parametrize("key", ["'[NOTE]'", "_comment", "'//'"])
def test_a_remark_may_be_written_twice(basicsr, key):
    text = PLAIN.replace("scale: 2\n", f"scale: 2\n{key}: one\n{key}: other\n")
    assert "duplicate-key" not in [problem.rule for problem in job_of(text, basicsr).problems]


def test_a_suggestion_is_what_to_write(basicsr):
    (problem,) = job_of(PLAIN.replace("lr: 0.0001", "lr: 1e-4"), basicsr).problems
    assert problem.suggestion == "1.0e-4"
    (quoted,) = job_of(PLAIN.replace("gt_size: 96", 'gt_size: "96"'), basicsr).problems
    assert (quoted.rule, quoted.suggestion) == ("wrong-type", "96")


def test_what_is_sound_is_still_extracted(basicsr):
    text = (
        PLAIN.replace("lr: 0.0001", "lr: 1e-4")
        .replace("gt_size: 96", "gt_size: wide")
        .replace("scale: 2\n", "scale: [x]\n", 1)
    )
    spec = job_of(text, basicsr).spec
    assert "crop.hr" not in spec
    assert "scale" not in spec
    assert spec["batch.per_gpu"] == 16
    assert spec["optimizers"] == [{"role": "generator", "type": "Adam"}]
    assert spec["networks.generator.arch"] == "EDSR"


def test_forks_with_their_own_model_class_are_not_held_to_stock_options(basicsr):
    text = PLAIN.replace("SRModel", "MyRestormerModel").replace(
        "CosineAnnealingRestartLR", "TrueCosineAnnealingLR"
    )
    found = problems(
        text.replace("periods: [1000]", "T_max: 1000").replace("lr: 0.0001", "lr: 0.0001, foo: 1"), basicsr
    )
    assert [rule for rule, *_ in found] == ["misspelt-name"]  # which the original does not have


def test_amp_keys_do_nothing_in_stock_basicsr(basicsr):
    assert job_of(PLAIN + "use_amp: true\n", basicsr).spec["precision"] == "fp32"
    assert "precision" not in job_of(PLAIN.replace("SRModel", "OwnModel") + "use_amp: true\n", basicsr).spec


def test_a_mean_is_a_number_or_one_for_each_channel(basicsr):
    for value in ("0.5", "[0.5, 0.5, 0.5]", "~"):
        assert problems(PLAIN.replace("dataroot_gt: a,", f"dataroot_gt: a, mean: {value},"), basicsr) == []
    (problem,) = problems(PLAIN.replace("dataroot_gt: a,", "dataroot_gt: a, mean: half,"), basicsr)
    assert problem[0] == "wrong-type"


@pytest.mark.parametrize("left_out", [("train", "logger"), ("logger",), ()])
def test_a_test_only_file_is_recognised_and_skipped(left_out, basicsr, dialects):
    value = yaml.safe_load(PLAIN)
    del value["datasets"]["train"]
    for key in left_out:
        del value[key]
    value["datasets"] = {"test_1": value["datasets"]["val"]}
    found = from_value(value)
    assert recognise(found, dialects) is basicsr
    (job,) = normalise(found, basicsr)
    assert job.skip is not None
    assert "trains nothing" in job.skip
    assert job.problems == ()


def test_the_same_shape_in_json(basicsr, dialects):
    text = PLAIN.replace("lr: 0.0001", 'lr: "1e-4"')
    found = document(text, "config.json", "json")
    assert recognise(found, dialects) is basicsr
    (problem,) = normalise(found, basicsr)[0].problems
    assert problem.rule == "wrong-type"


@pytest.mark.parametrize(
    "text",
    [
        "services: {web: {image: nginx, ports: ['80:80']}}",
        "name: ci\non: [push]\njobs: {test: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}]}}",
        "name: model\ntrain: {epochs: 3}\nval: {every: 1}",
        "model: {target: ldm.Model}\ndata: {params: {batch_size: 3}}",
        "- a\n- b",
        "just text",
        "~",
    ],
)
def test_other_files_are_not_recognised(dialects, text):
    assert recognise(document(text), dialects) is None


@pytest.mark.parametrize(
    "broken", ["train", "datasets", "network_g", "path", "logger", "val", "name", "num_gpu"]
)
def test_recognised_even_when_a_part_is_broken(basicsr, dialects, broken):
    value = yaml.safe_load(PLAIN)
    for wrong in ("text", 3, [1, 2], None):
        other = copy.deepcopy(value) | {broken: wrong}
        assert recognise(from_value(other), dialects) is basicsr, (broken, wrong)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("gt_size: 96,", "gt_size: 96, use_hflip: 1,", "found the integer 1, which counts as true"),
        ("gt_size: 96,", "gt_size: 96, use_rot: 0,", "found the integer 0, which counts as false"),
        ("save_img: false", "save_img: ture", 'found the string "ture", which counts as true'),
    ],
)
def test_a_switch_that_is_tested_for_truth_does_no_harm(basicsr, old, new, message):
    (problem,) = job_of(PLAIN.replace(old, new), basicsr).problems
    assert (problem.rule, problem.harmless) == ("wrong-type", True)
    assert problem.message.endswith(message)


def test_a_switch_that_is_compared_stays_a_failure(basicsr):
    (problem,) = job_of(REAL.replace("l1_gt_usm: true", "l1_gt_usm: 1"), basicsr).problems
    assert (problem.rule, problem.harmless) == ("wrong-type", False)


def test_a_whole_number_is_advised_where_no_float_is_asked_for(basicsr):
    text = PLAIN.replace("upscale: 2}", "upscale: 2, num_feat: 1e3}")
    (problem,) = job_of(text, basicsr).problems
    assert (problem.rule, problem.suggestion) == ("number-as-string", "1000")
    assert problem.message == '"network_g.num_feat" is the string "1e3" to PyYAML, not a number: write 1000'


def test_no_number_is_advised_for_a_switch(basicsr):
    (problem,) = job_of(PLAIN.replace("scale: 2\n", "scale: 2\nuse_amp: 1e3\n", 1), basicsr).problems
    assert (problem.rule, problem.suggestion) == ("wrong-type", None)


@pytest.mark.parametrize(
    ("written", "message"),
    [("0", "is 0, expected at least 1"), ("-1", "is -1, expected at least 1"), ("'0'", 'the string "0"')],
)
def test_numbers_are_shown_bare_and_strings_quoted(basicsr, written, message):
    ((_, _, said),) = problems(PLAIN.replace("scale: 2\n", f"scale: {written}\n", 1), basicsr)
    assert message in said


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("!!binary aGVsbG8=", "binary data"),
        ("2001-01-01", "a date"),
        ("2001-01-01 10:00:00", "a date with a time"),
        ("!!set {b, a}", "a set"),
    ],
)
def test_types_are_named_in_plain_words(basicsr, written, words):
    ((_, _, message),) = problems(PLAIN.replace("num_gpu: 2", f"num_gpu: {written}"), basicsr)
    assert message.split(", expected")[0] == f'"num_gpu" is {words}'


def test_an_integer_too_large_is_shown_as_written(basicsr):
    ((_, _, message),) = problems(PLAIN.replace("scale: 2\n", f"scale: {10**22}\n", 1), basicsr)
    assert message.startswith(f'"scale" is {10**22}, and no run takes more than 1,000 times')


@pytest.mark.parametrize("key", ["accum_iter", "num_accum_steps", "gradient_accumulation_steps"])
def test_accumulation_that_a_fork_may_do_is_not_counted(basicsr, key: str) -> None:
    """Gradients that stay for the next step are on no tape; the published trainer reads no such key."""
    some_fork = Trainer("basicsr")
    (job,) = normalise(document(PLAIN + f"{key}: 4\n"), basicsr, some_fork)
    (term,) = job.spec["uncounted"]
    assert (term["what"].split('"')[1], term["direction"]) == (key, "more")
    (job,) = normalise(document(PLAIN + f"{key}: 1\n"), basicsr, some_fork)
    assert "uncounted" not in job.spec
    assert "uncounted" not in job_of(PLAIN + f"{key}: 4\n", basicsr).spec
