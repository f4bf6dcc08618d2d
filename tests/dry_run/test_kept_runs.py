# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""--store: what a dry run recorded is known to check, until a file that it was made from changes."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from hashlib import sha256

import pytest
from click.testing import CliRunner

from trainlint.cli.main import main
from trainlint.tape.checkout_files import DIGEST_DIGITS, FILE_PREFIX
from trainlint.tape.encoding import decode, encode

SCRIPT = """\
import argparse
from helper import WIDTH
from trainlint.trace.dry_run.program_start import train

def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--depth", type=int, default=4)
    return parser.parse_args()

arguments = parse()
train(arguments.batch_size, parameters=200, per_sample=60)
"""


@pytest.fixture
def check(project):
    """Return what check says of a script with a command."""

    def checked(command: str, target: str = "rtx-3060") -> dict:
        (project / "run.sh").write_text(f"{command}\n")
        words = ["run.sh", "-t", target, "--no-trace", "--format", "json", "-q"]
        found = CliRunner().invoke(main, words, prog_name="trainlint", standalone_mode=False)
        (one,) = json.loads(found.stdout)["results"]
        return one

    return checked


@pytest.fixture
def kept(project, dry_run, check):
    """Store a run of train.py; return check."""
    (project / "train.py").write_text(SCRIPT)
    (project / "helper.py").write_text("WIDTH = 3\n")
    result = dry_run(f"--store -- {sys.executable} train.py --batch-size 8 --depth 2")
    assert result.return_value == 0, result.output
    return check


def _command(words: str) -> str:
    return f"{shlex.quote(sys.executable)} train.py {words}"


@pytest.mark.slow
def test_check_knows_the_memory_of_a_stored_run(kept):
    one = kept(_command("--batch-size 8 --depth 2"))
    assert one["verdicts"]["memory"] == "pass"
    assert one["facts"]["memory"]["gpus"][0]["allocated"] > 2**30


@pytest.mark.slow
def test_a_script_whose_name_says_nothing_is_known_by_its_stored_run(project, dry_run, check):
    """`python main.py --lr 0.1` may be anything; who stored its dry run said that it trains."""
    (project / "main.py").write_text(SCRIPT)
    (project / "helper.py").write_text("WIDTH = 3\n")
    command = f"{shlex.quote(sys.executable)} main.py --depth 2"
    (project / "run.sh").write_text(f"{command}\n")
    before = CliRunner().invoke(main, ["run.sh", "-t", "rtx-3060"], prog_name="trainlint")
    assert "no training command" in before.output
    assert dry_run(f"--store -- {command}").return_value == 0
    assert check(command)["verdicts"]["memory"] == "pass"
    helps = CliRunner().invoke(main, ["run.sh", "-t", "t4", "--no-trace"], prog_name="trainlint")
    assert f"trainlint dry-run --store -t t4 -- {command}" in " ".join(helps.output.split())


@pytest.mark.slow
def test_other_batches_are_judged_by_it(kept):
    one = kept(_command("--batch-size 64 --depth 2"))
    assert {finding["rule"] for finding in one["findings"]} == {"vram-budget"}
    assert one["facts"]["memory"]["largest_batch"] < 64


@pytest.mark.slow
def test_another_card_of_its_generation_is_judged_by_it(kept):
    assert kept(_command("--batch-size 40 --depth 2"), "a100-80gb")["verdicts"]["memory"] == "pass"


@pytest.mark.slow
@pytest.mark.parametrize("words", ["--batch-size 8 --depth 3", "--batch-size 8"])
def test_another_run_is_not_judged_by_it(kept, words):
    one = kept(_command(words))
    assert one["facts"]["memory"] is None
    reason = f"trainlint dry-run --store -t rtx-3060 -- {_command(words)}"
    assert reason in one["facts"]["missing"]["memory"]


@pytest.mark.slow
def test_a_source_that_changed_makes_it_useless(kept, project):
    (project / "helper.py").write_text("WIDTH = 4\n")
    one = kept(_command("--batch-size 8 --depth 2"))
    assert one["facts"]["memory"] is None
    reason = one["facts"]["missing"]["memory"]
    assert reason.startswith(
        "the stored dry run is not used: helper.py was changed after it was made; trainlint dry-run --store"
    )


@pytest.mark.slow
def test_line_ends_are_no_change(kept, project):
    (project / "helper.py").write_bytes(b"WIDTH = 3\r\n")
    assert kept(_command("--batch-size 8 --depth 2"))["facts"]["memory"] is not None


@pytest.mark.slow
def test_a_profile_that_names_no_file_or_one_outside_is_not_used(kept, project):
    secret = project.parent / "secret.py"
    secret.write_text("x = 1\n")
    digest = sha256(secret.read_bytes()).hexdigest()[:DIGEST_DIGITS]
    for files in ({}, {"file ../secret.py": digest}, {f"file {secret}": digest}):
        for path in (project / ".trainlint" / "profiles").iterdir():
            tape = decode(path.read_bytes())
            others = {key: text for key, text in tape.made_with.items() if not key.startswith(FILE_PREFIX)}
            path.write_bytes(encode(replace(tape, made_with={**others, **files})))
        one = kept(_command("--batch-size 8 --depth 2"))
        assert one["facts"]["missing"]["memory"].startswith("the stored dry run is not used: ")


@pytest.mark.slow
def test_another_generation_of_cards_asks_for_a_run_of_its_own(kept):
    assert kept(_command("--batch-size 8 --depth 2"), "t4")["facts"]["memory"] is None


@pytest.mark.slow
@pytest.mark.parametrize("shares", [[0.25], [0.05, 0.1, 0.25, 0.15]])
@pytest.mark.parametrize("target", ["rtx-4090", "rtx-3060"])
def test_a_larger_step_lacks_only_where_it_might_not_fit(project, dry_run, check, target, shares):
    verdict = {"rtx-4090": "pass", "rtx-3060": "not-judged"}[target]
    seen = [{"what": f"one took {share:.0%} more", "direction": "more", "share": share} for share in shares]
    step = "train(arguments.batch_size, parameters=330, per_sample=88"
    (project / "helper.py").write_text("WIDTH = 3\n")
    (project / "train.py").write_text(
        SCRIPT.replace("train(arguments.batch_size, parameters=200, per_sample=60", f"{step}, notes={seen!r}")
    )
    command = _command("--batch-size 8 --depth 2")
    ran = dry_run(f"--store --format json -- {command}", options=f"-t {target}")
    (one,) = json.loads(ran.stdout)["results"]
    assert one["verdicts"]["memory"] == verdict
    assert check(command, target)["verdicts"]["memory"] == verdict
