# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A config alone, whose dialect knows the script: its own file is judged, with its keys and fixes."""

from __future__ import annotations

import json
import re
import sys

import pytest

from trainlint.dry_run.rehearsing.later_starts import started_at_once
from trainlint.dry_run.starting.typed_command import program_of

from .conftest import OWN, SCRIPT, check, facts


@pytest.mark.slow
def test_the_script_that_the_dialect_knows_is_run(dry_run, checkout):
    result = dry_run("--format json options/own.yml")
    (one,) = facts(result)
    assert one["path"] == "options/own.yml"
    assert one["dialect"] == "basicsr"
    assert one["facts"]["memory"]["gpus"][0]["allocated"] > 2**30
    assert one["command"]["text"] == "env PYTHONPATH=. python basicsr/train.py -opt options/own.yml"


@pytest.mark.process
@pytest.mark.parametrize("paths", ["", ".", "elsewhere"])
def test_a_script_finds_its_own_package_unless_the_user_says_where(paths, dry_run, checkout, monkeypatch):
    (checkout / "basicsr" / "__init__.py").touch()
    (checkout / "basicsr" / "train.py").write_text(f"import basicsr\n{SCRIPT}")
    monkeypatch.setenv("PYTHONPATH", paths)
    (one,) = facts(dry_run("--format json options/own.yml"))
    assert one["command"]["text"].startswith("python" if paths else "env PYTHONPATH=. python")
    assert (one["facts"]["memory"] is None) is (paths == "elsewhere")


@pytest.mark.slow
def test_a_disk_that_is_not_judged_names_the_run_that_goes_on_to_a_save(dry_run, checkout):
    (checkout / "basicsr" / "train.py").write_text(SCRIPT.replace("per_sample=100", "saves=False"))
    (one,) = facts(dry_run("--store --format json options/own.yml"))
    for result in (one, check("options/own.yml")):
        assert result["facts"]["disk"] is None
        skipped = {each["rule"]: each["reason"] for each in result["skipped"]}
        assert any(why.endswith("trainlint dry-run --until checkpoint") for why in skipped.values()), skipped


@pytest.mark.slow
@pytest.mark.parametrize(("start", "passes"), [(30001, False), (0, True)])
def test_a_pass_needs_what_starts_later(start, passes, dry_run, checkout):
    text = re.sub("total_iter: .*", "", OWN).replace("\ntrain:\n", f"\ntrain:\n  net_d_start_iter: {start}\n")
    (checkout / "options" / "own.yml").write_text(text)
    (one,) = facts(dry_run("--store --format json options/own.yml"))
    why = 'what starts at step 30,001 ("net_d_start_iter") is not counted and adds memory'
    for result in (one, check("options/own.yml")):
        skipped = {each["rule"]: each["reason"] for each in result["skipped"]}
        assert skipped.get("vram-budget") == (None if passes else why)


STARTING_SCRIPT = SCRIPT.replace("per_sample=100", "per_sample=30 if 'net_d_start_iter: 0' in text else 10")


@pytest.mark.process
def test_what_starts_later_counts_from_the_first_step(dry_run, checkout):
    (checkout / "basicsr" / "train.py").write_text(STARTING_SCRIPT)
    needed = []
    for start in (0, 30001):
        text = OWN.replace("\ntrain:\n", f"\ntrain:\n  net_d_start_iter: {start}\n")
        (checkout / "options" / "own.yml").write_text(text)
        (one,) = facts(dry_run("--store --format json options/own.yml"))
        for result in (one, check("options/own.yml")):
            assert "vram-budget" not in {each["rule"] for each in result["skipped"]}
            needed.append(result["facts"]["memory"]["gpus"][0]["allocated"])
    assert len(set(needed)) == 1
    assert "net_d_start_iter: 30001" in (checkout / "options" / "own.yml").read_text()


@pytest.mark.parametrize(
    ("key", "starts"), [("wavelet_init", True), ("eco_init", True), ("sam_init", True), ("pissa_init", False)]
)
def test_what_a_key_starts_later(key, starts, checkout):
    (checkout / "options" / "own.yml").write_text(OWN.replace("\ntrain:\n", f"\ntrain:\n  {key}: 80000\n"))
    program = program_of([sys.executable, "basicsr/train.py", "-opt", "options/own.yml"])
    at_once = started_at_once(program, checkout)
    assert (at_once is not None and f"{key}: 0" in at_once.options.text) is starts


@pytest.mark.process
def test_a_program_that_cannot_start_it_at_once_is_run_as_it_is(dry_run, checkout):
    refusing = STARTING_SCRIPT.replace("\ntrain(", "\nassert 'iter: 0' not in text\ntrain(")
    (checkout / "basicsr" / "train.py").write_text(refusing)
    text = OWN.replace("\ntrain:\n", "\ntrain:\n  net_d_start_iter: 30001\n")
    (checkout / "options" / "own.yml").write_text(text)
    (one,) = facts(dry_run("--format json options/own.yml"))
    assert 'starts at step 30,001 ("net_d_start_iter") is not counted' in why_not_judged(one)


@pytest.mark.process
@pytest.mark.parametrize(
    ("lines", "is_said"),
    [
        ("import basicsr\nraise KeyError('NoSuchNet')", False),  # it stops later
        ("raise KeyError('NoSuchNet')\nimport basicsr", True),  # not known
        ("import basicsr.data.degradations", True),  # as the rule says
        ("train(16)", False),
    ],
)
def test_an_import_that_went_well_is_no_finding_wherever_the_program_stops(lines, is_said, dry_run, checkout):
    removed = "from torchvision_of_old.transforms.functional_tensor import rgb_to_grayscale\n"
    degradations = checkout / "basicsr" / "data" / "degradations.py"
    degradations.parent.mkdir()
    degradations.write_text(removed.replace("_of_old", ""))
    (checkout / "basicsr" / "__init__.py").write_text("")
    start = "import sys\nfrom trainlint.trace.dry_run.program_start import train\nsys.path.insert(0, '.')\n"
    (checkout / "basicsr" / "train.py").write_text(start + lines)
    (one,) = facts(dry_run("--format json options/own.yml"))
    said = [finding["rule"] for finding in one["findings"]]
    assert ("functional-tensor" in said) is is_said


STAGED_SCRIPT = """\
import re, sys
from trainlint.trace.dry_run.program_start import train
text = open(sys.argv[sys.argv.index("-opt") + 1]).read()
listed = {key: eval(re.search(rf"{key}: (.*)", text)[1]) for key in ("gt_sizes", "iters")}
stage = next(index for index, lasts in enumerate(listed["iters"]) if lasts)
train(16, parameters=100, per_sample=listed["gt_sizes"][stage] ** 2 // 128)
"""
STAGES = """gt_size: 256
    gt_sizes: [64, 128, 256]
    mini_batch_sizes: [16, 8, 4]
    iters: [1000, 500, 200]"""


def why_not_judged(result):
    return next(each["reason"] for each in result["skipped"] if each["rule"] == "vram-budget")


@pytest.fixture
def staged(checkout):
    """Make the fork train in stages, whose last one takes four times what the first does."""
    (checkout / "basicsr" / "train.py").write_text(STAGED_SCRIPT)
    (checkout / "options" / "own.yml").write_text(OWN.replace("gt_size: 128", STAGES))
    return checkout


@pytest.mark.process
def test_later_stages_are_run_with_an_option_file_in_which_they_come_at_once(dry_run, staged):
    memory = facts(dry_run("--format json options/own.yml"))[0]["facts"]["memory"]
    assert [(stage["crop"], stage["batch"]) for stage in memory["stages"]] == [(64, 16), (128, 8), (256, 4)]
    first, _, last = (stage["allocated"] for stage in memory["stages"])
    assert memory["gpus"][0]["allocated"] == last > 2 * first
    assert memory["batch"] is None  # a stage is known at its own batch alone
    assert "iters: [1000, 500, 200]" in (staged / "options" / "own.yml").read_text()


@pytest.mark.process
def test_a_stage_that_does_not_fit_has_no_fix_that_was_not_run(dry_run, staged):
    script = STAGED_SCRIPT.replace("// 128", "// 16 if stage == 2 else 8")
    (staged / "basicsr" / "train.py").write_text(script)
    (result,) = facts(dry_run("--format json options/own.yml"))
    (finding,) = [finding for finding in result["findings"] if finding["rule"] == "vram-budget"]
    assert "batch_size_per_gpu" not in str(finding["fixes"])


@pytest.mark.process
def test_what_is_stored_of_them_is_the_first_and_gives_no_pass(dry_run, staged):
    assert dry_run("--store options/own.yml").exception is None
    assert "later stages" in why_not_judged(check("options/own.yml"))


@pytest.mark.process
def test_a_stage_of_another_batch_than_the_loaders_is_not_taken_for_it(dry_run, staged):
    text = OWN.replace("gt_size: 128", STAGES.replace("[16,", "[12,"))
    (staged / "options" / "own.yml").write_text(text)
    (result,) = facts(dry_run("--format json options/own.yml"))
    assert "later stages" in why_not_judged(result)


@pytest.mark.slow
def test_findings_and_fixes_are_at_the_configs_own_keys(dry_run, checkout):
    text = OWN.replace("batch_size_per_gpu: 16", "batch_size_per_gpu: 64")
    (checkout / "options" / "own.yml").write_text(text)
    (one,) = facts(dry_run("--format json options/own.yml"))
    (finding,) = [finding for finding in one["findings"] if finding["rule"] == "vram-budget"]
    assert text.splitlines()[finding["line"] - 1].strip() == "batch_size_per_gpu: 64"
    assert int(finding["fixes"][0]["edits"][0]["text"]) <= one["facts"]["memory"]["largest_batch"]


@pytest.mark.slow
def test_check_names_the_dry_run_and_knows_what_it_stored(dry_run, checkout):
    before = check("options/own.yml")
    assert before["facts"]["memory"] is None
    assert "trainlint dry-run --store -t rtx-3060 options/own.yml" in before["facts"]["missing"]["memory"]
    assert dry_run("--store options/own.yml").exception is None
    assert check("options/own.yml")["facts"]["memory"]["source"] == "project"
    (checkout / "options" / "own.yml").write_text(
        OWN.replace("batch_size_per_gpu: 16", "batch_size_per_gpu: 64")
    )
    assert "vram-budget" in {finding["rule"] for finding in check("options/own.yml")["findings"]}
    (checkout / "options" / "own.yml").write_text(OWN.replace("gt_size: 128", "gt_size: 256"))
    assert check("options/own.yml")["facts"]["memory"] is None


def test_a_config_without_a_script_around_it_names_the_command_of_its_pages(dry_run, project):
    (project / "options").mkdir()
    (project / "options" / "own.yml").write_text(OWN)
    (project / "README.md").write_text("```\npython basicsr/train.py -opt options/own.yml\n```\n")
    result = dry_run("options/own.yml")
    assert "README.md:2 has a command for it, which is yours to start" in str(result.exception)


BUILDS_ON = {
    "requirements.txt": "torch\nbasicsr==1.3.4.9\n",
    "mini/train.py": "from basicsr.train import train_pipeline\ntrain_pipeline('.')\n",
}
COPIES = {
    "mini/utils/options.py": "def parse_options(root, is_train=True):\n    pass\n",
    "mini/models/__init__.py": "def build_model(opt):\n    return MODELS[opt['model_type']](opt)\n",
    "mini/train.py": "from mini.utils.options import parse_options\n",
}


@pytest.mark.parametrize("files", [BUILDS_ON, COPIES])
def test_a_trainer_has_its_script_under_its_own_package_s_name(files, dry_run, project):
    own = "class OwnModel:\n    def optimize_parameters(self, current_iter):\n        pass\n"
    for name, text in {**files, "mini/models/own_model.py": own, "options/own.yml": OWN}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    missing = check("options/own.yml")["facts"]["missing"]["memory"]
    assert "trainlint dry-run --store -t rtx-3060 options/own.yml runs the program itself" in missing
    (one,) = facts(dry_run("--format json options/own.yml"))
    assert one["command"]["text"] == "env PYTHONPATH=. python mini/train.py -opt options/own.yml"


AXOLOTL = """\
base_model: made/llama
datasets: [{path: made.jsonl, type: alpaca}]
sequence_len: 512
adapter: lora
lora_r: 8
lora_alpha: 16
lora_target_linear: true
micro_batch_size: %d
gradient_accumulation_steps: 1
num_epochs: 1
optimizer: adamw_torch
learning_rate: 0.0002
"""


@pytest.mark.slow
def test_a_base_model_that_is_known_nowhere_is_judged_by_the_run(dry_run, project, program):
    for folder in ("axolotl", "axolotl/cli"):
        (project / folder).mkdir()
        (project / folder / "__init__.py").touch()
    program(
        "import re, sys\nwritten = re.search(r'micro_batch_size: (\\d+)', open(sys.argv[1]).read())[1]\n"
        "train(int(written), parameters=300, per_sample=100)",
        "axolotl/cli/train.py",
    )
    outcomes = {}
    for batch in (2, 64):
        (project / "lora.yml").write_text(AXOLOTL % batch)
        (one,) = facts(dry_run("--format json -- PYTHON -m axolotl.cli.train lora.yml"))
        assert one["dialect"] == "axolotl"
        assert one["facts"]["memory"]["largest_batch"] == 18
        outcomes[batch] = "vram-budget" in {finding["rule"] for finding in one["findings"]}
    assert outcomes == {2: False, 64: True}


OWN_DIALECT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "x-trainlint": {
        "id": "segmenter", "title": "segmenter", "loader": "pyyaml", "formats": ["yaml"], "unknown": "reject",
        "trainer": {"forks": False}, "recognise": {"when": "'segmenter' in flat"},
        "commands": [{"script": "train.py", "words": "cfg={config}"}],
    },
    "type": "object",
    "properties": {
        "segmenter": {"const": 1}, "classes": {"type": "integer"},
        "batch": {"type": "integer", "minimum": 1, "x-spec": "batch.per_gpu"},
    },
}  # fmt: skip


@pytest.mark.slow
def test_what_a_dialect_of_ones_own_starts_is_kept_for_its_config(dry_run, project):
    """Its command is none that trainlint reads: what it stored was the command's, which nobody looked for."""
    (project / "mine").mkdir()
    (project / "mine" / "segmenter.json").write_text(json.dumps(OWN_DIALECT))
    (project / "trainlint.toml").write_text('schemas = "mine"\n')
    script = SCRIPT.replace('sys.argv[sys.argv.index("-opt") + 1]', 'sys.argv[1].removeprefix("cfg=")')
    (project / "train.py").write_text(script.replace("batch_size_per_gpu", "batch"))
    (project / "city.yaml").write_text("segmenter: 1\nclasses: 19\nbatch: 8\n")
    assert check("city.yaml")["facts"]["memory"] is None
    (one,) = facts(dry_run("--store --format json city.yaml"))
    assert (one["path"], one["dialect"], one["line"]) == ("city.yaml", "segmenter", 1)
    known = check("city.yaml")["facts"]["memory"]["gpus"][0]["allocated"]
    assert known == one["facts"]["memory"]["gpus"][0]["allocated"]
    (project / "city.yaml").write_text("segmenter: 1\nclasses: 19\nbatch: 64\n")
    assert [finding["rule"] for finding in check("city.yaml")["findings"]] == ["vram-budget"]
