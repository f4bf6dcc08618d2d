# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Verdicts by the user's own measurements, which the setting `calibration` names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.cli.test_measure_command import gpu, run  # noqa: F401 - a fixture
from trainlint.api import check
from trainlint.errors import UsageError
from trainlint.measuring.gpu_reading import OUT_OF_MEMORY

pytestmark = [pytest.mark.torch, pytest.mark.slow]

EXAMPLES = Path(__file__).parents[2] / "examples"
ROWS = "measured.jsonl"
MIB = 2**20
ROW = {"card": "l4", "key": "k", "batch": 1, "total": 1, "outcome": "ran", "benchmark": True}


def facts(**settings):
    (result,) = check("a.yml", "l4", launcher="none", **settings).results
    return result


def test_a_measured_step_goes_before_the_estimate(gpu):  # noqa: F811
    done = run()
    assert "verdicts on this card go by it with calibration = " in done.stdout
    plain, own = facts(), facts(calibration=ROWS)
    assert own.facts.time.step_seconds == (0.25, 0.25, 0.25) != plain.facts.time.step_seconds
    assert own.facts.time.measured == "this step as it was measured on this card"
    assert (own.facts.memory.context.size, own.facts.memory.context.basis) == (
        300 * MIB,
        "your measured runs",
    )
    assert own.facts.memory.measured == "this step ran when it was measured on this card"
    assert (plain.facts.time.measured, plain.facts.memory.measured) == ("", "")
    text = str(check("a.yml", "l4", launcher="none", calibration=ROWS))
    assert "by your measured runs" in text


def test_a_step_that_ran_out_of_memory_fails(gpu):  # noqa: F811
    gpu.outcome = OUT_OF_MEMORY
    run()
    assert facts().outcome.value == "pass"
    own = facts(calibration=ROWS)
    assert own.outcome.value == "fail"
    assert "vram-budget" in {finding.rule for finding in own.findings}
    capped = json.loads(Path(ROWS).read_text(encoding="utf-8")) | {"limit": 1000 * MIB}
    Path(ROWS).write_text(json.dumps(capped), encoding="utf-8")
    assert facts(calibration=ROWS).outcome.value == "pass"


def test_other_steps_go_by_the_cards_pace(gpu, config):  # noqa: F811
    """The host took 0.25 s for a step that it is estimated to start in far less."""
    run("--batch", "2")
    plain, own = facts().facts.time, facts(calibration=ROWS).facts.time
    assert own.measured == "1 run measured on this card"
    assert own.step_seconds[1] > 5 * plain.step_seconds[1]
    low, middle, high = own.step_seconds
    assert low < middle < high < 2.7 * low
    elsewhere = check("a.yml", "rtx-3060", launcher="none", calibration=ROWS).results[0].facts
    assert elsewhere.time.measured == elsewhere.memory.measured == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{}", 'missing required field "card"'),
        ("no json", "expected a line that trainlint measure wrote"),
        (json.dumps(ROW | {"seconds": -1}), '"seconds" is -1'),
    ],
)  # fmt: skip
def test_a_line_that_is_none_is_one_message(gpu, line, said):  # noqa: F811
    Path(ROWS).write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"{ROWS}:2: ") as error:
        facts(calibration=ROWS)
    assert said in str(error.value)


def test_no_linted_tree_says_what_a_card_did(gpu):  # noqa: F811
    Path("trainlint.toml").write_text(f'calibration = "{ROWS}"\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r'"calibration" in .*trainlint.toml:1 is yours alone'):
        facts()


def test_the_setting_that_names_a_wrong_file_has_its_line(trainlint):
    settings = trainlint.write("config/trainlint/settings.toml", f'\ncalibration = "{ROWS}"\n')
    rows = trainlint.write(f"config/trainlint/{ROWS}", "{}\n")
    trainlint.write("project/a.yml", (EXAMPLES / "msrresnet_x4.yml").read_text(encoding="utf-8"))
    trainlint.env["XDG_CONFIG_HOME"] = str(trainlint.folder / "config")
    done = trainlint("project/a.yml", "-t", "l4", "--no-trace")
    assert done.returncode == 2
    assert f"{settings}:2: {rows}:1: expected a line that trainlint measure wrote" in done.stderr
