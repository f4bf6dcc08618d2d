# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

# ruff: noqa: E501 - a sentence and its test in one line

"""docs/security.md sentence by sentence: which test makes the attempt that would prove it false."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.warm_cache import warm
from trainlint.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "security.md"
EXPLAINS = ""
"""In place of a test: the sentence explains another one, advises, or says what is not held back."""

TESTS = {
    "A linter runs in hooks": EXPLAINS,
    "Everything in the linted tree": "cli/test_fuzz.py::test_no_input_breaks_the_house_or_its_output",
    "The tests check": "cli/test_security_page.py::test_every_sentence_has_its_test",
    "`python -m bench fuzz` looks": "cli/test_fuzz.py::test_a_planted_fault_is_found",
    "- get a wrong verdict about itself": EXPLAINS,
    "A figure from a committed profile": "cli/test_hostile_profiles.py::test_a_figure_of_a_forged_profile_is_said_to_be_the_projects",
    "Nothing holds what other operators make": "cli/test_hostile_profiles.py::test_a_profile_of_smaller_gradients_is_believed_and_said_to_be_the_projects",
    "Read the tree's trainlint.toml": EXPLAINS,
    "- set what is safe": "settings/test_settings.py::test_a_project_names_only_what_it_holds",
    "- have a file read": "files/test_text_source.py::test_a_links_name_makes_no_config_of_what_lies_outside",
    "- use CPU time": "cli/test_bounded_work.py::test_fixing_a_page_comes_to_an_end",
    "- **run code.**": "cli/test_own_code.py::test_modules_of_the_linted_tree_are_never_imported",
    "YAML is read without constructors": "repository/survey/test_hostile_repository.py::test_nothing_runs",
    "`python`, `networks` and `trusted`": "settings/test_settings.py::test_a_linted_tree_cannot_permit_code",
    "A program of the system": "cli/test_compare.py::test_a_program_of_the_tree_is_not_the_systems",
    "- **fetch anything.**": "dialects/schema/test_schema_bounds.py::test_a_schema_that_fetches_or_never_ends_is_refused_when_it_is_loaded",
    "Nothing in trainlint opens a connection": "recipes/test_fetching.py::test_arguments_that_load_weights_are_refused",
    "- **write**": "cli/test_security_page.py::test_linting_writes_nothing_and_connects_nowhere",
    "A trace for one project": "cli/test_poison.py::test_nothing_of_it_reaches_the_users_cache",
    "- **send commands": "cli/test_output.py::test_only_one_module_prints_or_writes_reports",
    "JSON is ASCII": "report/test_hostile.py::test_json_is_ascii_and_loses_nothing",
    "GitHub's runner obeys": "report/test_hostile.py::test_no_command_reaches_a_runner",
    "Azure's obeys": "report/test_hostile.py::test_no_command_reaches_a_runner",
    "`--diff` prints a patch": "cli/test_output.py::test_a_patch_is_printed_as_it_is_or_not_at_all",
    "- **run in a page.**": "report/test_page.py::test_nothing_is_loaded_and_only_what_is_hashed_runs",
    "- **bring modules.**": "cli/test_import_path.py::test_no_module_of_the_tree_is_imported",
    "Those of `LD_LIBRARY_PATH`": "cli/test_import_path.py::test_no_library_of_the_tree_is_loaded",
    "Only the program of a dry run": "dry_run/test_dry_run_command.py::test_its_search_paths_are_those_that_the_user_set",
    "A `sitecustomize.py`": EXPLAINS,
    "- **be taken for an option.**": "cli/test_named_files.py::test_an_option_that_is_a_file_is_refused",
    "- **become your settings.**": "settings/test_in_tree.py::test_nor_does_the_folder_of_a_single_file_unless_it_is_the_accounts_home",
    "- **hide what could not be read.**": "cli/test_failed_reads.py::test_a_neighbour_that_cannot_be_read_leaves_nothing_judged",
    "A folder that you may not look into": "cli/test_failed_reads.py::test_a_locked_folder_counts_as_empty_unless_the_code_around_imports_it",
    "Where the trainer's code imports it": "cli/test_failed_reads.py::test_a_locked_folder_counts_as_empty_unless_the_code_around_imports_it",
    "- **make it crash.**": "cli/test_security_page.py::test_what_cannot_be_read_stops_no_other",
    "One that lies in a linted folder": "cli/test_security_page.py::test_what_cannot_be_read_stops_no_other",
    "| `trainlint PATHS` |": "cli/test_security_page.py::test_linting_writes_nothing_and_connects_nowhere",
    "| `--data ROOT` |": "data_headers/test_look.py::test_nothing_that_a_pickle_names_is_called",
    "| `--jobs N` |": "cli/test_processes.py::test_nothing_of_the_working_folder_runs",
    "| `--fix`, `--unsafe-fixes` |": "cli/test_write_back.py::test_a_link_out_of_the_repository_is_refused",
    "| `trainlint lsp` |": "editor/test_lsp.py::test_code_of_the_workspace_never_runs",
    "| `trainlint sweep FILE` |": "cli/test_sweep.py::test_its_processes_import_nothing_from_where_it_is_run",
    "| `trainlint trace` |": "cli/test_traced.py::test_trace_writes_small_profiles_into_the_project",
    "| `--add-ignore REASON` |": "cli/test_write_back.py::test_a_link_out_of_the_repository_is_refused",
    "| `trainlint init FILE` |": "cli/test_init.py::test_a_job_that_is_there_is_left",
    "| `--watch` |": "cli/test_afresh.py::test_watch_does_not_run_again_for_what_a_run_writes",
    "| `trainlint diff OLD NEW`, `--since REV` |": "cli/test_compare.py::test_nothing_that_the_repository_configures_is_run",
    "| `--target local` |": "cli/test_compare.py::test_a_program_of_the_tree_is_not_the_systems",
    "| `--output FILE`": "cli/test_output.py::test_a_link_of_the_tree_takes_no_report_elsewhere",
    "| `--networks PATH`": "cli/test_own_code.py::test_without_permission_the_network_is_unknown",
    "| installing a package": "cli/test_your_own.py::test_a_linted_tree_brings_no_package",
    "| `--python PATH`": "cli/test_own_code.py::test_another_interpreter_builds_it",
    "| `trainlint dry-run -- COMMAND` |": "dry_run/test_dry_run_command.py::test_nothing_remains_of_a_run",
    "| `trusted = [": "dry_run/test_trusted_programs.py::test_trace_runs_what_is_trusted_and_check_knows_it",
    "| `trainlint measure` |": "cli/test_measure_command.py::test_without_a_gpu_one_message",
    "`--fix` writes a new file": "cli/test_write_back.py::test_a_full_disk_leaves_nothing",
    "Permissions, owner and attributes": "cli/test_write_back.py::test_attributes_stay_and_the_time_is_now",
    "A file that is read-only": "cli/test_write_back.py::test_a_read_only_file_is_refused_and_the_others_are_fixed",
    "A change in the instant": EXPLAINS,
    "The next `--fix` removes": "cli/test_write_back.py::test_what_the_tree_put_in_the_way_is_not_followed",
    "`trainlint dry-run` ([": EXPLAINS,
    "**It is not a sandbox**": EXPLAINS,
    "Use it on a program": EXPLAINS,
    "What is held back": EXPLAINS,
    "| what it writes in the project |": "dry_run/test_enclosure.py::test_a_folder_of_data_is_not_written_but_for_a_copy_alone",
    "| what it writes elsewhere |": "dry_run/test_enclosure.py::test_what_is_written_elsewhere_does_not_remain_or_is_refused",
    "| network |": "dry_run/test_enclosure.py::test_there_is_no_network_unless_it_is_asked_for",
    "| other processes |": "dry_run/test_enclosure.py::test_processes_talk_to_each_other_all_the_same",
    "| devices |": "dry_run/test_enclosure.py::test_devices_are_few",
    "| left running |": "dry_run/test_enclosure.py::test_what_a_program_leaves_running_ends_with_it",
    "No kind keeps a program": EXPLAINS,
    "In a private layer, rights": "dry_run/test_enclosure.py::test_rights_that_root_has_are_given_up",
    "What the program writes for trainlint": "dry_run/test_enclosure.py::test_what_it_writes_for_us_is_seen",
    "`trusted = [": "dry_run/test_trusted_programs.py::test_trace_runs_what_is_trusted_and_check_knows_it",
    "It is the script that": "dry_run/test_trusted_programs.py::test_a_link_leads_to_nothing_that_is_not_trusted",
    "This setting and": "dry_run/test_trusted_programs.py::test_only_trace_starts_what_is_trusted",
    "A stored run has digests": "dry_run/test_kept_runs.py::test_a_source_that_changed_makes_it_useless",
    "`check` reads these files": "dry_run/test_kept_runs.py::test_a_profile_that_names_no_file_or_one_outside_is_not_used",
    "`trainlint trace --run-code`, which": "dry_run/test_trusted_programs.py::test_run_code_names_the_dry_run",
    "Bounds are sizes": "repository/survey/test_hostile_repository.py::test_what_leads_everywhere_ends_by_a_count_on_every_machine",
    "The reason for each value": EXPLAINS,
}  # fmt: skip
"""How a sentence or a row begins -> the test that holds it."""


def claims() -> Iterator[str]:
    """Yield the sentences and rows of the page, up to its table of bounds."""
    text = PAGE.read_text("utf-8").partition("<!-- limits -->")[0]
    for block in re.split(r"\n\n|\n(?=- |\| )", text):
        words = " ".join(block.split())
        if words.startswith("|"):
            yield from [words] * ("---" not in words)
        elif words and not words.startswith("#"):
            yield from re.split(r"(?<=[.:;]) (?=[A-Z`*])", words)


def test_every_sentence_has_its_test() -> None:
    for claim in claims():
        assert [begin for begin in TESTS if claim.startswith(begin)], claim
    for begin in TESTS:
        assert any(claim.startswith(begin) for claim in claims()), begin


@pytest.mark.parametrize("named", sorted(set(TESTS.values()) - {EXPLAINS}))
def test_the_test_is_there(named: str) -> None:
    file, _, name = named.partition("::")
    assert f"def {name}(" in (ROOT / "tests" / file).read_text("utf-8")


def test_linting_writes_nothing_and_connects_nowhere(
    tmp_path: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_args: object, **_options: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path.with_name(f"{tmp_path.name}-cache"))))
    (tmp_path / "c.yml").write_text(config.replace("~", "https://example.org/w.pth"), "utf-8")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run(["check", ".", "-t", "rtx-3060", "--no-trace"])
    assert ended.value.code in (0, 1)
    assert sorted(tmp_path.rglob("*")) == before


def test_what_cannot_be_read_stops_no_other(trainlint, config) -> None:
    trainlint.write("bad.yml", b"\xff\xfe\0")
    trainlint.write("half.yml", config + "a: [\n")
    trainlint.write("another.yml", "of: [another program\n")
    trainlint.write("c.yml", config)
    done = trainlint(".", "--no-trace", "-t", "rtx-3060", "--format", "json")
    assert done.returncode == 2
    outcomes = {one["path"]: one["outcome"] for one in json.loads(done.stdout)["results"]}
    assert "another.yml" not in outcomes
    assert outcomes["half.yml"] == "unreadable"
    assert outcomes["c.yml"] in ("pass", "skipped")
