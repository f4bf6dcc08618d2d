# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""SARIF as its schema and GitHub's code scanning want it."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from msgspec.structs import replace

from trainlint.judge import load_rules
from trainlint.model.document import Source, Span
from trainlint.model.finding import Finding, Level
from trainlint.model.result import Report
from trainlint.report.formats import sarif
from trainlint.report.style import PAGES_URL, Style

from .report_samples import TEXT, failing, passing, report, span, unreadable
from .test_hostile import hostile_report

ROOT = Path(__file__).resolve().parents[2]


def made(found: Report) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(sarif.render(replace(found, rules=load_rules().rules), Style()))
    return log


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The schema of SARIF 2.1.0; `.ci/full` fetches it from its publisher."""
    path = os.environ.get("TRAINLINT_SARIF_SCHEMA")
    if not path:
        pytest.skip("set TRAINLINT_SARIF_SCHEMA to sarif-schema-2.1.0.json (docs.oasis-open.org/sarif)")
    loaded: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return loaded


SAMPLES = {
    "every outcome": report,
    "nothing": Report,
    "a clean run": lambda: Report((passing(),), files=1),
    "hostile values": hostile_report,
    "no target": lambda: Report((replace(failing(), target=None),), files=1),
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_it_is_valid(schema, sample) -> None:
    errors = [error.message for error in Draft7Validator(schema).iter_errors(made(sample()))]
    assert errors == []


def test_the_tool_has_the_address_that_the_package_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    driver = made(report())["runs"][0]["tool"]["driver"]
    assert driver["informationUri"] == project["urls"]["Documentation"]
    assert f"site_url: {PAGES_URL}\n" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_the_schema_would_notice(schema) -> None:
    log = made(report())
    del log["runs"][0]["tool"]["driver"]["name"]
    assert list(Draft7Validator(schema).iter_errors(log))


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_github_takes_it(sample) -> None:
    """docs.github.com, "SARIF support for code scanning": supported properties and limits."""
    for run in made(sample())["runs"]:
        rules = run["tool"]["driver"]["rules"]
        assert run["automationDetails"]["id"].endswith("/")
        assert len(run["results"]) <= 25_000
        for rule in rules:
            assert rule["id"]
            assert rule["shortDescription"]["text"]
            assert rule["fullDescription"]["text"]
            assert rule["help"]["text"]
            assert rule["defaultConfiguration"]["level"] in ("error", "warning")
            assert len(rule["properties"]["tags"]) <= 20
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["message"]["text"]
            assert result["partialFingerprints"]["primaryLocationLineHash"]
            assert len(result["locations"]) == 1
            place = result["locations"][0]["physicalLocation"]
            assert not place["artifactLocation"]["uri"].startswith("/")
            region = place["region"]
            assert min(region.values()) >= 1
            start, end = (
                (region["startLine"], region["startColumn"]),
                (region["endLine"], region["endColumn"]),
            )
            assert start <= end


def test_each_target_has_a_run_and_a_category_of_its_own() -> None:
    other = replace(failing().target, name="rtx-3060")
    runs = made(Report((failing(), replace(failing(), target=other)), files=1))["runs"]
    assert [run["automationDetails"]["id"] for run in runs] == [
        "trainlint/kaggle-t4x2/",
        "trainlint/rtx-3060/",
    ]
    assert [len(run["results"]) for run in runs] == [2, 2]


def test_the_region_is_the_value_itself() -> None:
    (run,) = made(Report((failing(),), files=1))["runs"]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 13, "endLine": 3, "endColumn": 16}
    (fix, other) = run["results"][0]["fixes"]
    assert fix["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "6"}
    assert other["description"] == {"text": "set queue_size to 192"}


def test_an_unreadable_file_is_a_result_and_what_was_not_judged_is_none() -> None:
    (run,) = (one for one in made(report())["runs"] if one["automationDetails"]["id"] == "trainlint/")
    assert [one["ruleId"] for one in run["results"]] == ["unreadable"]
    runs = made(report())["runs"]
    said = [
        one["message"]["text"] for run in runs for one in run["invocations"][0]["toolExecutionNotifications"]
    ]
    assert any("unknown network" in text for text in said)
    assert any("internal error" in text for text in said)


def test_a_message_holds_no_link_of_a_configs_own() -> None:
    finding = Finding("odd", Level.FAIL, "see [here](https://example.org)", (Span(0, 4),))
    (run,) = made(Report((replace(failing(), findings=(finding,)),)))["runs"]
    assert "](" not in run["results"][0]["message"]["text"]


def test_fingerprints_survive_moved_lines_and_differ_between_findings() -> None:
    def prints(text: str) -> list[str]:
        found = [
            Finding("queue", Level.FAIL, "x", (span("180", text),), pointer="/queue_size"),
            Finding(
                "batch", Level.FAIL, "x", (span("12", text),), pointer="/datasets/train/batch_size_per_gpu"
            ),
        ]
        changed = replace(failing(), source=Source("configs/photos.yml", text), findings=tuple(found))
        (run,) = made(Report((changed,)))["runs"]
        return [one["partialFingerprints"]["trainlint/v1"] for one in run["results"]]

    before = prints(TEXT)
    assert len(set(before)) == 2
    assert prints(f"# one\n# two\n{TEXT}") == before
    assert prints(TEXT.replace("180", "180 "))[1] == before[1]


def test_a_path_is_encoded_as_a_uri() -> None:
    odd = replace(unreadable(), source=Source("a b/ü#1.yml", "x"), path="a b/ü#1.yml")
    (run,) = made(Report((odd,)))["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "a%20b/%C3%BC%231.yml", "uriBaseId": "%SRCROOT%"}
