# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint dry-run`: a program's verdict from itself."""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.cli.conftest import unfolded
from tests.sampling import sampled
from trainlint.cli.starting.import_path import drop_relative_entries, drop_relative_libraries
from trainlint.errors import CannotTraceError

from .conftest import facts, listing

TRAIN = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=4)
arguments = parser.parse_args()
train(arguments.batch_size, parameters=300, per_sample=100)
"""


def test_a_program_that_fits_passes_on_every_target(dry_run, program):
    program(TRAIN)
    result = dry_run("--format json -- PYTHON train.py --batch-size 4", options="-t rtx-3060 -t rtx-4090")
    assert result.return_value == 0, result.output
    assert [(one["target"], one["outcome"]) for one in facts(result)] == [
        ("rtx-3060", "pass"),
        ("rtx-4090", "pass"),
    ]
    assert {one["facts"]["memory"]["source"] for one in facts(result)} == {"traced"}
    assert {one["path"] for one in facts(result)} == {"train.py (dry run)"}


@pytest.mark.slow
def test_a_program_that_does_not_fit_fails_with_the_batch_that_does(dry_run, program):
    program(TRAIN)
    result = dry_run("--format json -- PYTHON train.py --batch-size 64", options="-t rtx-3060 -t rtx-4090")
    small, large = facts(result)
    assert result.return_value == 1
    assert small["findings"][0]["rule"] == "vram-budget"
    most = small["facts"]["memory"]["largest_batch"]
    assert 1 < most < 64
    (fix,) = small["findings"][0]["fixes"]
    assert str(most) in unfolded(result.stdout)
    edit = fix["edits"][0]
    assert int(edit["text"]) <= most
    assert large["facts"]["memory"]["largest_batch"] > most


@pytest.mark.slow
def test_the_largest_batch_passes_and_the_next_fails(dry_run, program):
    program(TRAIN)
    result = dry_run("--format json -- PYTHON train.py --batch-size 64")
    most = facts(result)[0]["facts"]["memory"]["largest_batch"]
    for batch, fails in ((most, False), (most + 1, True)):
        (one,) = facts(dry_run(f"--format json -- PYTHON train.py --batch-size {batch}"))
        rules = {finding["rule"] for finding in one["findings"]}
        assert bool(rules & {"vram-budget", "vram-fragmentation"}) is fails


@pytest.mark.slow
def test_nothing_remains_of_a_run(dry_run, program, project):
    program(
        "import os, pathlib\n"
        "pathlib.Path('experiments').mkdir(); pathlib.Path('experiments/log.txt').write_text('x')\n"
        "pathlib.Path('train.py').write_text('spoiled')\n"
        "pathlib.Path(os.path.expanduser('~/.left_by_a_dry_run')).write_text('x')\n"
        "train(4)"
    )
    before = listing(project)
    assert dry_run("-- PYTHON train.py").return_value == 0
    assert listing(project) == before
    assert (project / "train.py").read_text() != "spoiled"
    assert not (project.home() / ".left_by_a_dry_run").exists()


@pytest.mark.slow
def test_its_search_paths_are_those_that_the_user_set(dry_run, program, monkeypatch):
    program("import os, beside\nassert os.environ['LD_LIBRARY_PATH'] == 'lib:'\ntrain(4)", "sub/train.py")
    program("", "beside.py")
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, path in (("PYTHONPATH", "./"), ("LD_LIBRARY_PATH", "lib:")):
        monkeypatch.setenv(f"TRAINLINT_GIVEN_{name}", "")  # which the end of the test takes back
        monkeypatch.setenv(name, path)
    monkeypatch.setattr(os, "execv", lambda *_: None)
    drop_relative_entries()
    drop_relative_libraries()
    result = dry_run("-- PYTHON sub/train.py")
    assert result.return_value == 0, result.output


@pytest.mark.slow
def test_a_crash_is_a_finding_at_the_key_that_it_names(dry_run, program, project):
    program(
        "import json; config = json.load(open('c.json'))\nraise KeyError(\"No object named 'MyNet' found\")"
    )
    (project / "c.json").write_text('{"arch": "MyNet"}')
    result = dry_run("--format json -- PYTHON train.py --arch MyNet")
    (one,) = facts(result)
    (finding,) = one["findings"]
    assert result.return_value == 1
    assert finding["rule"] == "program-crashes"
    assert "KeyError" in finding["message"]
    assert "train.py:3 in <module>" in finding["message"]
    text = f"{__import__('sys').executable} train.py --arch MyNet"
    assert finding["column"] == text.index("MyNet") + 1


@pytest.mark.slow
def test_what_the_imitation_causes_is_not_judged(dry_run, program):
    program("raise RuntimeError('imitated')")
    result = dry_run("--format json -- PYTHON train.py")
    (one,) = facts(result)
    assert one["findings"] == []
    assert one["outcome"] == "skipped"
    assert "a kernel has no shape" in json.dumps(one["skipped"])
    assert dry_run("--strict -- PYTHON train.py").return_value == 1


@pytest.mark.slow
def test_words_that_the_program_refuses_are_a_finding(dry_run, program):
    program(TRAIN)
    result = dry_run("--format json -- PYTHON train.py --batch-size four")
    (finding,) = facts(result)[0]["findings"]
    assert result.return_value == 1
    assert (
        finding["message"]
        == "the program refuses its command: argument --batch-size: invalid int value: 'four'"
    )


@pytest.mark.slow
def test_a_program_that_ends_before_a_step_says_its_last_words(dry_run, program):
    program("print('no images'); raise SystemExit(1)")
    result = dry_run("--format json -- PYTHON train.py")
    (one,) = facts(result)
    assert one["outcome"] == "skipped"
    assert "exit code 1 before a training step: no images" in json.dumps(one["skipped"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="without signals")
def test_a_program_that_is_killed_is_said_to_be(dry_run, program):
    program("import os, signal; print('loading'); os.kill(os.getpid(), signal.SIGKILL)")
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert "was killed before a training step" in json.dumps(one["skipped"])


@pytest.mark.slow
def test_a_verdict_that_depends_on_a_guess_is_none(dry_run, program):
    program(
        "guess = [{'what': 'boxes kept', 'where': 'nms', 'count': 1, 'shapes_depend': True}]\n"
        "low = request()['guess']['sizes'] == 'low'\n"
        "train(4, per_sample=100 if low else 2000, guesses=guess)"
    )
    result = dry_run("--format json -- PYTHON train.py")
    levels = {finding["level"] for one in facts(result) for finding in one["findings"]}
    assert result.return_value == 0
    assert levels == {"warn"}
    assert {one["variant"] for one in facts(result)} == {
        "with the most that depend on values", "with the fewest that depend on values",
    }  # fmt: skip


@pytest.mark.slow
def test_a_fail_that_holds_for_all_guesses_fails(dry_run, program):
    program(
        "guess = [{'what': 'boxes kept', 'where': 'nms', 'count': 1, 'shapes_depend': True}]\n"
        "low = request()['guess']['sizes'] == 'low'\n"
        "train(4, per_sample=1900 if low else 2000, guesses=guess)"
    )
    assert dry_run("-- PYTHON train.py").return_value == 1


@pytest.mark.slow
def test_a_repeat_with_other_guesses_that_stops_takes_the_pass_back(dry_run, program):
    guess = "guess = [{'what': 'a number', 'where': 'loss', 'count': 1, 'shapes_depend': False}]\n"
    stops = "if request()['guess']['value'] == 0: raise RuntimeError('no loss')\n"
    program(f"{guess}{stops}train(4, guesses=guess)")
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert one["outcome"] == "skipped"
    assert "where unknown values are 0, which stops with RuntimeError" in json.dumps(one["skipped"])
    program(f"{guess}{stops}train(64, per_sample=200, guesses=guess)")
    assert dry_run("-- PYTHON train.py").return_value == 0


@pytest.mark.slow
@pytest.mark.parametrize("per_sample", [1, 4000])
def test_where_zero_is_no_value_that_a_program_goes_on_with_another_is_tried(dry_run, program, per_sample):
    guess = "guess = [{'what': 'a number', 'where': 'loss', 'count': 1, 'shapes_depend': False}]\n"
    stops = "value = request()['guess']['value']\nif value == 0: raise ZeroDivisionError('by the loss')\n"
    program(f"{guess}{stops}train(4, per_sample={per_sample} if value == 2 else 1, guesses=guess)")
    results = facts(dry_run("--format json -- PYTHON train.py"))
    assert [one["outcome"] for one in results] == (["pass"] if per_sample == 1 else ["pass", "warn"])
    assert ("where unknown values are 2" in json.dumps(results)) == (per_sample > 1)


@pytest.mark.slow
def test_what_is_missing_can_only_take_a_pass_back(dry_run, program):
    program("train(4, notes=[{'what': 'the code that torch.compile makes', 'direction': 'more'}])")
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert one["outcome"] == "skipped"
    program("train(64, per_sample=200, notes=[{'what': 'a kernel', 'direction': 'more'}])")
    assert dry_run("-- PYTHON train.py").return_value == 1


@pytest.mark.slow
def test_a_recorder_that_fails_its_own_check_judges_nothing(dry_run, program):
    program("train(64, per_sample=200, self_check='its peak is 3 and not 4 MiB')")
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert one["findings"] == []
    assert "its peak is 3 and not 4 MiB" in json.dumps(one["skipped"])


STANDING = """\
import trainlint.trace.dry_run.program_start as fake
sizes = {"weights": %d << 30, "gradients": %d << 30, "states": %d << 30}
fake.STATE["standing"] = {"networks": ["Llama 7000.0 M"], **sizes}
raise FileNotFoundError("no such file: data.jsonl")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("target", "outcome"), [("rtx-4090", "pass"), ("rtx-3060", "skipped")])
def test_a_larger_step_that_was_seen_lacks_only_where_it_might_not_fit(dry_run, program, target, outcome):
    note = "{'what': 'steps are not alike: one took 25.0% more', 'direction': 'more', 'share': 0.25}"
    program(f"train(8, parameters=330, per_sample=88, notes=[{note}])")
    (one,) = facts(dry_run("--format json -- PYTHON train.py", options=f"-t {target}"))
    memory = one["facts"]["memory"]["gpus"][0]
    assert memory["worst"] <= memory["capacity"]
    assert (memory["worst"] * 1.25 <= memory["capacity"]) == (outcome == "pass")
    assert one["outcome"] == outcome


@pytest.mark.process
@pytest.mark.parametrize(
    ("options", "words", "key", "known"),
    [
        ("", "--batch_size 8", None, False),
        ("--vary batch_size=8,16", "--batch_size 8", "batch_size", True),
        ("--vary rays=8,16", "--rays 8", None, True),
        (
            "-t 2x:rtx-3060 --vary batch_size=8,16",  # DataParallel may divide it
            "--batch_size 8",
            None,
            False,
        ),
    ],
)
def test_vary_counts_the_samples_where_there_is_no_loader(options, words, key, known, request):
    request.getfixturevalue("program")("train(None, parameters=100, per_sample=90)")
    said = request.getfixturevalue("dry_run")(f"{options} --format json -- PYTHON train.py {words}")
    memory = facts(said)[-1]["facts"]["memory"]
    assert (memory["largest_batch"] > 8) == (not memory["largest_batch_is_lower_bound"]) == known
    assert (memory["batch"]["key"] if memory["batch"] else None) == key


@pytest.mark.process
def test_a_loader_of_one_that_takes_no_more_may_give_a_whole_batch(dry_run, program):
    program(
        "assert request()['batch'] is None, 'its data set makes the batches'\n"
        "train(1, parameters=100, per_sample=9000)"
    )
    said = dry_run("--format json -- PYTHON train.py --batch_size 8")
    (finding,) = [finding for finding in facts(said)[0]["findings"] if finding["rule"] == "vram-budget"]
    assert "one sample" not in str(finding)
    assert "--vary batch_size=8,16" in str(json.loads(said.stdout)["notes"])


@pytest.mark.slow
def test_weights_larger_than_the_card_fail_without_a_step(dry_run, program):
    program(STANDING % (14, 0, 0))
    result = dry_run("--format json -- PYTHON train.py", options="-t rtx-3060 -t rtx-4090")
    small, large = facts(result)
    rules = {finding["rule"]: finding for finding in small["findings"]}
    assert rules["vram-standing"]["level"] == "fail"
    assert (
        "take 14.00 GiB of the 11.38 that a process has of the NVIDIA GeForce RTX 3060 (Llama 7000.0 M)"
        in rules["vram-standing"]["message"]
    )
    assert "vram-standing" not in {finding["rule"] for finding in large["findings"]}


@pytest.mark.slow
def test_gradients_and_states_that_do_not_fit_are_a_warning(dry_run, program):
    program(STANDING % (4, 4, 8))
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    levels = {finding["rule"]: finding["level"] for finding in one["findings"]}
    assert levels["vram-standing"] == "warn"


BY_MEMORY = """\
total = request()["gpu"]["memory"]
train(4, parameters=100 if total < 20 << 30 else 300, per_sample=100, asks_memory=%s)
"""


@pytest.mark.rest
def test_a_program_that_asks_for_the_cards_memory_hears_that_of_each_target(dry_run, program):
    def needs(asks, targets="-t rtx-3060 -t rtx-4090 -t rtx-3090"):
        program("from trainlint.trace.dry_run.program_start import request\n" + BY_MEMORY % asks)
        found = facts(dry_run("--format json -- PYTHON train.py", options=targets))
        return [one["facts"]["memory"]["parts"]["parameters"] >> 20 for one in found]

    assert needs("True") == [100, 300, 300]
    assert needs("False") == [100, 100, 100]  # one run stands for a generation


@pytest.mark.parametrize(
    ("name", "images"), sampled([("train.jsonl", False), ("train.bin", False), ("names.txt", False)], 1)
)
def test_a_missing_file_is_a_warning_that_names_it(dry_run, program, name, images):
    program(f"open('data/{name}')")
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    (finding,) = one["findings"]
    assert (finding["rule"], finding["level"]) == ("program-crashes", "warn")
    assert f"data/{name}" in finding["message"]
    assert "it needs a file that is not there" in one["facts"]["missing"]["memory"]
    assert ("--data make images up" in one["facts"]["missing"]["memory"]) == images


@pytest.mark.rest
@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("", "no validation was seen to its end (it ended before): its steps are judged without"),
        (", reason='it stops with AssertionError (too low)'", "(it stops with AssertionError (too low))"),
        (", reached='validation'", ""),
    ],
)
def test_a_validation_that_was_not_reached_is_said(end, said, dry_run, program):
    program(f"train(4{end})")
    result = dry_run("--until validation --format json -- PYTHON train.py")
    assert facts(result)[0]["outcome"] == "pass"
    notes = [note for note in json.loads(result.stdout)["notes"] if "validation" in note]
    assert bool(notes) == bool(said)
    assert not notes or said in notes[0]


@pytest.mark.rest
def test_guesses_are_said_of_a_pass_in_json_too(dry_run, program):
    guess = {"what": "a number", "where": "train.py:7", "count": 3, "shapes_depend": False}
    program(f"train(4, guesses=[{guess!r}])")
    result = dry_run("--format json -- PYTHON train.py")
    assert json.loads(result.stdout)["notes"] == ["guessed, as only the GPU knows it: a number at train.py:7"]
    assert facts(result)[0]["outcome"] == "pass"


@pytest.mark.rest
@pytest.mark.parametrize(
    ("tried", "outcome"), [([9000, 9000, 9001], "pass"), ([9000, 9000, 9999], "skipped")]
)
def test_another_guess_has_no_run_of_its_own_where_two_more_rounds_showed_it(
    tried, outcome, dry_run, program
):
    guess = "guess = [{'what': 'a number', 'where': 'loss', 'count': 1, 'shapes_depend': False}]\n"
    stops = "if request()['guess']['value'] == 0: raise ZeroDivisionError('by the loss')\n"
    program(f"{guess}{stops}train(4, guesses=guess, tried={tried})")
    assert facts(dry_run("--format json -- PYTHON train.py"))[0]["outcome"] == outcome


GUESSING = """\
guess = [{'what': 'a number', 'where': 'loss', 'count': 1, 'shapes_depend': False}]
value, batch = request()['guess']['value'], request()['batch']
assert batch is None or value == 0 or %s, 'a run too many'
train(1, per_sample=%s, guesses=guess)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("needed", "per_sample", "outcomes"),
    [
        (False, "8", ["pass"]),
        (False, "80 if batch is None else 8", ["pass"]),  # one sample has strides of its own
        (True, "9000 if value == 0 else 8", ["pass", "warn"]),
    ],
)
def test_other_batches_than_one_are_run_with_other_guesses(needed, per_sample, outcomes, dry_run, program):
    program(GUESSING % (needed, per_sample))
    said = dry_run("--format json -- PYTHON train.py")
    assert [one["outcome"] for one in facts(said)] == outcomes
    assert "other batches are not known" not in said.stdout


@pytest.mark.slow
@pytest.mark.parametrize("given", [False, True])
def test_a_logger_that_is_kept_offline_is_no_fault_of_the_program(
    given, dry_run, program, project, monkeypatch
):
    monkeypatch.delenv("WANDB_MODE", raising=False)
    if given:
        monkeypatch.setenv("WANDB_MODE", "disabled")
    package = project / "site-packages" / "wandb"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def patch():\n    raise AttributeError('no backend')\n")
    program("import sys\nsys.path.insert(0, 'site-packages')\nimport wandb\nwandb.patch()")
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert (one["outcome"], "WANDB_MODE=disabled" in json.dumps(one["skipped"])) == (
        ("fail", False) if given else ("skipped", True)
    )


@pytest.mark.slow
def test_a_recording_of_one_sample_that_is_of_no_steady_step_is_not_judged(dry_run, program, monkeypatch):
    def refuse(_outcomes: object) -> None:
        raise CannotTraceError("the recording is not of a steady step")

    monkeypatch.setattr("trainlint.cli.commands.dry_run_command.merged", refuse)
    program(GUESSING % (True, "8"))
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert one["outcome"] == "skipped"
    assert "not of a steady step" in json.dumps(one["skipped"])


@pytest.mark.slow
def test_other_batches_are_run_as_usual_where_other_guesses_stop_them(dry_run, program):
    stops = "if request()['batch'] and request()['guess']['value'] == 0: raise RuntimeError('no loss')\n"
    program(f"{stops}{GUESSING % (True, '8')}")
    said = dry_run("--format json -- PYTHON train.py")
    assert [one["outcome"] for one in facts(said)] == ["pass"]
    assert "other batches are not known" not in said.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("optimizers", "rounds"), [(1, 2), (2, 3), (0, 3)])
def test_a_further_run_of_one_optimizer_takes_two_rounds(optimizers, rounds, dry_run, program):
    program(
        "asked, first = request()['rounds'], request()['batch'] is None\n"
        f"assert asked == (3 if first else {rounds})\ntrain(4, optimizers={optimizers})"
    )
    said = dry_run("--format json -- PYTHON train.py")
    assert facts(said)[0]["outcome"] == "pass"
    assert "other batches are not known" not in said.stdout


@pytest.mark.rest
def test_no_option_is_named_that_writes_an_edit(dry_run, program):
    program(TRAIN)
    text = dry_run("-- PYTHON train.py --batch-size 64").stdout
    assert "= fix (changes training): 64 ->" in text
    assert "--fix" not in text
    assert "--unsafe-fixes" not in text


@pytest.mark.rest
def test_a_program_has_a_terminal_as_its_standard_input(dry_run, program):
    program(f"import os\nrows, columns = os.popen('stty size').read().split()\n{TRAIN}")
    assert facts(dry_run("--format json -- PYTHON train.py"))[0]["outcome"] == "pass"


@pytest.mark.parametrize(
    ("line", "says"),
    sampled(
        [
            ("input('which data set? ')", "it waits for input on standard input"),
            ("raise RuntimeError('no mirror: <urlopen error [Errno -3]>')", "it needs the network"),
            ("raise MemoryError", "it needs more of this machine's memory"),
            (
                "raise RuntimeError('[enforce fail] DefaultCPUAllocator: can\\'t allocate memory: 26214400')",
                "it needs more of this machine's memory",
            ),
            ("raise OSError(75, 'Value too large for defined data type')", "Value too large"),
            (
                "raise PermissionError(13, 'Permission denied', '/data/x')",
                "the dry run keeps it from writing there",
            ),
        ],
        1,
    ),
)
def test_what_the_enclosure_may_have_brought_about_is_no_finding(line, says, dry_run, program):
    program(line)
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert (one["outcome"], one["findings"]) == ("skipped", [])
    assert says in one["facts"]["missing"]["memory"]


@pytest.mark.rest
def test_what_is_not_imitated_is_said_once(dry_run, program):
    program("class CannotTraceError(Exception): pass\nraise CannotTraceError('this is not imitated')")
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert one["facts"]["missing"]["memory"] == "this is not imitated"


@pytest.mark.rest
def test_a_package_that_only_this_environment_may_lack_is_no_finding(dry_run, program):
    program("raise ModuleNotFoundError(\"No module named 'cv2'\", name='cv2')")
    (one,) = facts(dry_run("--format json -- PYTHON train.py"))
    assert (one["outcome"], one["findings"]) == ("skipped", [])
    assert "cv2 is not installed in this environment: pip install opencv-python" in json.dumps(one["facts"])
    (one,) = facts(
        dry_run("--format json -- python train.py", options=f"-t rtx-3060 --python {sys.executable}")
    )
    assert [(found["rule"], found["level"]) for found in one["findings"]] == [("program-crashes", "fail")]


@pytest.mark.slow
def test_a_flag_that_only_the_launcher_gives_is_named_as_its_own(dry_run, program):
    program(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--local_rank')\n"
        "parser.add_argument('--width')\nparser.parse_args()\ntrain(4)"
    )
    command = "-- PYTHON -m torch.distributed.launch --nproc_per_node 1 train.py"
    (one,) = facts(dry_run(f"--format json {command}"))
    (finding,) = one["findings"]
    assert "unrecognized arguments: --local-rank=0" in finding["message"]
    assert "(torch.distributed.launch adds --local-rank=0: start it by torchrun" in finding["message"]
    (one,) = facts(dry_run(f"--format json {command} --widht 4"))
    assert "--widht" in one["findings"][0]["message"]


@pytest.mark.rest
def test_the_limit_of_a_batch_that_is_written_nowhere_stands_in_the_row_of_memory(dry_run, program):
    program("train(64, parameters=300, per_sample=100)")
    text = unfolded(dry_run("-- PYTHON train.py").stdout)
    assert "FAIL, does not fit, batch 7 per GPU is safe, 18 is the limit" in text


FEW = "train(64, parameters=300, per_sample=2 if request()['fill'] == 'none' else 100, short=[2, 64])"


@pytest.mark.slow
def test_a_fail_of_full_batches_holds_for_more_data_than_is_there(dry_run, program):
    program(FEW)
    found = facts(dry_run("--format json -- PYTHON train.py"))
    assert {one["variant"] for one in found} == {"with full batches", "with the 2 samples that are there"}
    levels = {finding["rule"]: finding["level"] for one in found for finding in one["findings"]}
    assert levels["vram-budget"] == "warn"
    by_variant = {one["variant"]: one["facts"]["memory"]["largest_batch"] for one in found}
    assert by_variant["with full batches"] == 18


@pytest.mark.slow
def test_made_up_data_is_never_too_little(dry_run, program):
    program(FEW)
    (one,) = facts(dry_run("--data images:8x8:2 --format json -- PYTHON train.py --data-dir made"))
    assert {finding["level"] for finding in one["findings"] if finding["rule"] == "vram-budget"} == {"fail"}
