# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Settings: where they come from, what is checked, and what a linted tree may not say."""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path

import pytest

from trainlint.cli.baseline_options import notes_of
from trainlint.errors import UsageError
from trainlint.files.read_limits import FOREIGN_BYTES, FOREIGN_FILES
from trainlint.settings.settings import Settings
from trainlint.settings.settings_bounds import PATTERNS, TARGETS
from trainlint.settings.settings_file import find_project_file, load_settings
from trainlint.settings.settings_keys import KINDS


@pytest.fixture
def user(tmp_path):
    return tmp_path / "home" / "settings.toml"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_set_means_the_defaults(tmp_path, user) -> None:
    assert load_settings(tmp_path, user) == Settings()


def test_every_setting_but_the_root_can_be_written_in_a_file() -> None:
    assert set(KINDS) == {name.replace("_", "-") for name in Settings.__struct_fields__} - {
        "root",
        "flags",
        "trainer-basis",
        "measured",
        "measured-on",
        "itemised",
        "allow-shorter",
    }


def test_pyproject_is_found_upwards_from_a_file(tmp_path, user) -> None:
    write(tmp_path / "pyproject.toml", '[tool.trainlint]\ntarget = "rtx-4090"\nsession-budget-h = 11\n')
    config = write(tmp_path / "a" / "b" / "c.yml", "x: 1")
    settings = load_settings(config, user)
    assert settings.target == ("rtx-4090",)
    assert settings.session_budget_h == 11.0
    assert settings.root == tmp_path


def test_a_pyproject_without_a_table_is_passed_over(tmp_path) -> None:
    write(tmp_path / "trainlint.toml", "strict = true\n")
    write(tmp_path / "sub" / "pyproject.toml", "[project]\nname = 'x'\n")
    assert find_project_file(tmp_path / "sub") == tmp_path / "trainlint.toml"


def test_a_folder_that_may_not_be_searched_holds_no_settings(tmp_path, monkeypatch) -> None:
    write(tmp_path / "trainlint.toml", "strict = true\n")
    locked = tmp_path / "sub"
    locked.mkdir()
    real = os.stat

    def stat(path, *rest, **options):
        if str(path).startswith(f"{locked}{os.sep}"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, *rest, **options)

    monkeypatch.setattr(os, "stat", stat)
    assert find_project_file(locked) == tmp_path / "trainlint.toml"
    assert load_settings(locked, locked / "settings.toml").strict


def test_folders_are_relative_to_the_file_that_names_them(tmp_path, user) -> None:
    write(tmp_path / "trainlint.toml", 'rules = ["lint/rules"]\nprofiles = "tapes"\n')
    write(tmp_path / "lint" / "rules" / "mine.yaml", "name: mine\n")
    write(tmp_path / "sub" / "x.yml", "")
    settings = load_settings(tmp_path / "sub", user)
    assert settings.rules == (tmp_path / "lint" / "rules",)
    assert settings.profiles == tmp_path / "tapes"


def test_the_project_wins_over_the_user_and_the_option_over_both(tmp_path, user) -> None:
    write(user, 'target = ["local"]\nfail-on = "warn"\n')
    write(tmp_path / "trainlint.toml", 'target = ["rtx-3060", "kaggle-t4x2"]\n')
    settings = load_settings(tmp_path, user)
    assert settings.target == ("rtx-3060", "kaggle-t4x2")
    assert settings.fail_on == "warn"
    assert settings.with_options(target=("h200",), fail_on=None).target == ("h200",)


def test_an_unknown_key_names_the_near_one(tmp_path, user) -> None:
    write(tmp_path / "trainlint.toml", "targets = ['x']\n")
    with pytest.raises(UsageError, match=r'unknown setting "targets" .*did you mean "target"'):
        load_settings(tmp_path, user)


@pytest.mark.parametrize("key", ["python", "networks"])
def test_a_linted_tree_cannot_permit_code(tmp_path, user, key) -> None:
    write(tmp_path / "trainlint.toml", f'{key} = "evil"\n')
    with pytest.raises(UsageError, match="would run code of the linted tree"):
        load_settings(tmp_path, user)


def test_the_user_can_permit_code(tmp_path, user) -> None:
    write(user, f"python = '{sys.executable}'\n")
    assert load_settings(tmp_path, user).python == Path(sys.executable)


@pytest.mark.parametrize(
    "line",
    [
        "target = 3", 'target = ["a", 2]', 'fail-on = "error"', "strict = 1", "seconds-per-iteration = 0",
        "seconds-per-iteration = true", "session-budget-h = '9'", "validation-size = [100]",
        "validation-size = [0, 5]", "dataset-size = 1.5", "context = 3", "rules = 7",
        'exclude = ["old[.yml"]', "exclude = ['']", 'per-file-ignores = {"old[.yml" = ["crop-over-400"]}',
    ],
)  # fmt: skip
def test_a_wrong_value_is_a_usage_error_with_what_was_expected(tmp_path, user, line) -> None:
    write(tmp_path / "trainlint.toml", line)
    with pytest.raises(UsageError, match=r'setting ".+" in .+trainlint\.toml:1 is .+, expected '):
        load_settings(tmp_path, user)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("targt = 'h200'", 'unknown setting "targt" in .+:3; did you mean "target"'),
        ("nope = 1", r'unknown setting "nope" in .+:3; known are '),  # "ignore" is not near it
        ("gpu-count = 'two'", "setting \"gpu-count\" in .+:3 is 'two', expected a number of GPUs above 0"),
        ("strict = true", 'unknown setting "strict" in .+:3'),
        ("match = 'old[.yml'", r'"match" in .+:3 is .old\[\.yml., expected a glob such as'),
    ],
)
def test_a_slip_in_the_settings_of_some_files_has_its_line(tmp_path, user, line, says) -> None:
    match = "" if line.startswith("match") else "match = 'old/*'"
    for name, table in (("trainlint.toml", "files"), ("pyproject.toml", "tool.trainlint.files")):
        write(tmp_path / name, f"[[{table}]]\n{match}\n{line}\n")
        with pytest.raises(UsageError, match=says):
            load_settings(tmp_path, user)
        (tmp_path / name).unlink()


@pytest.mark.parametrize("value", ["/etc", "..", "../other", "~/rules", "link"])
@pytest.mark.parametrize("key", ["rules", "schemas", "gpus", "profiles", "repo", "baseline", "model-config"])
def test_a_project_names_only_what_it_holds(tmp_path, user, key, value) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "link").symlink_to(tmp_path / "other")
    write(tmp_path / "project" / "trainlint.toml", f'{key} = "{value}"\n')
    with pytest.raises(UsageError, match=rf'setting "{key}" in .+ leads out of the project, to "/'):
        load_settings(tmp_path / "project", user)


def test_nor_do_its_settings_of_some_files(tmp_path, user) -> None:
    for name, table in (("trainlint.toml", "files"), ("pyproject.toml", "tool.trainlint.files")):
        file = write(tmp_path / name, f"[[{table}]]\nmatch = '*'\nmodel-config = '/etc/passwd'\n")
        with pytest.raises(UsageError, match=r'"model-config" in .+:3 leads out of the project, to "/etc/p'):
            load_settings(tmp_path, user)
        file.unlink()


def test_a_file_in_a_projects_folder_may_not_lead_out_of_it(tmp_path, user) -> None:
    outside = write(tmp_path / "mine.json", "{}")
    (tmp_path / "project" / "schemas").mkdir(parents=True)
    (tmp_path / "project" / "schemas" / "x.json").symlink_to(outside)
    write(tmp_path / "project" / "trainlint.toml", 'schemas = "schemas"\n')
    with pytest.raises(UsageError, match=r'leads out of the project, to ".+/mine\.json"'):
        load_settings(tmp_path / "project", user)


def test_a_projects_folder_of_thousands_of_files_is_refused(tmp_path, user) -> None:
    for number in range(FOREIGN_FILES + 1):
        write(tmp_path / "rules" / f"{number}.yaml", "")
    write(tmp_path / "trainlint.toml", 'rules = "rules"\n')
    with pytest.raises(
        UsageError, match=r'"rules" in .+/trainlint\.toml:1: ".+" holds more than 1,000 files'
    ):
        load_settings(tmp_path, user)


def test_a_project_names_a_few_targets_and_a_user_any_number(tmp_path, user) -> None:
    names = [f"t{number}" for number in range(TARGETS + 1)]
    write(tmp_path / "trainlint.toml", f"target = {names}\n")
    with pytest.raises(
        UsageError, match=r"trainlint\.toml:1 names 9 targets, and a project may name 8: name"
    ):
        load_settings(tmp_path, user)
    write(tmp_path / "trainlint.toml", f"target = {names[:-1]}\n")
    assert len(load_settings(tmp_path, user).target) == TARGETS
    (tmp_path / "trainlint.toml").unlink()
    write(user, f"target = {names}\n")
    assert len(load_settings(tmp_path, user).target) == TARGETS + 1


@pytest.mark.parametrize(
    "text",
    [
        f"exclude = {['a*'] * (PATTERNS + 1)}\n",
        f"exclude = {['[]' * 2000] * 6}\n",
        f"[[files]]\nmatch = {['?' * 4000] * 6}\nlauncher = 'none'\n",
    ],
)
def test_a_project_holds_a_bounded_number_of_globs(tmp_path, user, text) -> None:
    write(tmp_path / "trainlint.toml", text)
    with pytest.raises(UsageError, match=r"1,000 globs, or more than 20,000 characters of them: name"):
        load_settings(tmp_path, user)


@pytest.mark.parametrize(
    "key", ["rules", "schemas", "gpus", "repo", "model-config", "python", "networks", "calibration"]
)
def test_a_path_that_is_not_there_is_noticed_at_once(tmp_path, user, key) -> None:
    write(user, f'strict = true\n{key} = "gone"\n')
    with pytest.raises(UsageError, match=rf'setting "{key}" in .+toml:2: there is no ".+gone", expected '):
        load_settings(tmp_path, user)


def test_so_is_one_of_some_files(tmp_path, user) -> None:
    write(tmp_path / "trainlint.toml", "[[files]]\nmatch = '*.yml'\nmodel-config = 'gone'\n")
    with pytest.raises(UsageError, match=r'setting "model-config" in .+toml:3: there is no ".+gone"'):
        load_settings(tmp_path, user)


@pytest.mark.parametrize(
    ("key", "named", "said"),
    [
        ("rules", "empty", r'there is no file NAME\.yaml in ".+empty", expected a folder'),
        ("schemas", "empty", r'there is no file NAME\.json in ".+empty", expected a folder'),
        ("gpus", "empty", r'there is no file NAME\.toml in ".+empty", expected a file'),
        ("model-config", "empty", r'".+empty" is a folder, expected a base model\'s config\.json'),
        ("calibration", "empty", r'".+empty" is a folder, expected a file'),
        ("python", "train.yml", r'".+train\.yml" cannot be run, expected the path of an interpreter'),
        ("repo", "train.yml", r'".+train\.yml" is not a folder, expected a folder'),
        ("profiles", "train.yml", r'".+train\.yml" is not a folder, expected a folder'),
    ],
)
def test_so_is_one_in_which_nothing_can_be_read(tmp_path, user, key, named, said) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "train.yml", "scale: 4\n")
    write(user, f"{key} = '{tmp_path / named}'\n")
    with pytest.raises(UsageError, match=rf'setting "{key}" in .+toml:1: {said}'):
        load_settings(tmp_path, user)


@pytest.mark.parametrize(("key", "ending"), [("rules", "yaml"), ("schemas", "json"), ("gpus", "toml")])
def test_a_file_of_another_kind_is_the_settings_slip(tmp_path, user, key, ending) -> None:
    write(tmp_path / "train.yml", "scale: 4\n")
    write(tmp_path / "trainlint.toml", f'{key} = "train.yml"\n')
    said = rf'setting "{key}" in .+toml:1: ".+/train.yml" does not end in \.{ending}, expected a'
    with pytest.raises(UsageError, match=said):
        load_settings(tmp_path, user)


def test_tables_of_hardware_belong_into_a_file_of_their_own(tmp_path, user) -> None:
    write(tmp_path / "trainlint.toml", "[target.box]\ngpu = 't4'\n")
    with pytest.raises(
        UsageError, match=r'\[target.box\] in .+trainlint.toml:1 is not a setting: .+ gpus = "FILE"'
    ):
        load_settings(tmp_path, user)


def test_the_user_may_name_any_folder(tmp_path, user) -> None:
    write(tmp_path / "other" / "mine.yaml", "name: mine\n")
    write(user, f"rules = '{tmp_path / 'other'}'\n")
    assert load_settings(tmp_path / "project", user).rules == (tmp_path / "other",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a" + ".a" * 100_000 + " = 1\n", "nested more than 100 levels"),
        ("a = " + "[" * 100_000 + "]" * 100_000, "nested more than 100 levels"),
        ("a = {" + "b = {" * 100_000, "nested more than 100 levels"),
        ("[" + "a." * 100_000 + "a]", "nested more than 100 levels"),
        ("dataset-size = " + "9" * 4_000, "a number of more than 1,000 characters"),
        ("# " + "x" * 1_000_000, "is larger than 1 MB"),
    ],
)
def test_settings_of_any_size_are_a_usage_error(tmp_path, user, text, words) -> None:
    write(tmp_path / "trainlint.toml", text)
    with pytest.raises(UsageError, match=f"cannot read the settings in .+{words}"):
        load_settings(tmp_path, user)


def test_brackets_in_texts_and_comments_nest_nothing(tmp_path, user) -> None:
    write(
        tmp_path / "pyproject.toml",
        f"""
        [project]
        dependencies = [{'"a[b]", ' * 200}]  # {"[" * 200}
        text = \'\'\'{"{" * 200}\'\'\'
        [tool.trainlint]
        strict = true
    """,
    )
    assert load_settings(tmp_path, user).strict


@pytest.mark.parametrize("value", ["inf", "nan", "-inf", "1e300", "-1", "9" * 400])
@pytest.mark.parametrize("key", ["seconds-per-iteration", "session-budget-h", "dataset-size"])
def test_a_number_beyond_sense_is_a_usage_error(tmp_path, user, key, value) -> None:
    write(tmp_path / "trainlint.toml", f"{key} = {value}\n")
    with pytest.raises(UsageError, match=rf'setting "{key}" in .+ is .+, expected a number of'):
        load_settings(tmp_path, user)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_no_settings_file(tmp_path, user) -> None:
    os.mkfifo(tmp_path / "trainlint.toml")
    assert load_settings(tmp_path, user) == Settings()


def test_a_broken_file_is_a_usage_error(tmp_path, user) -> None:
    write(tmp_path / "trainlint.toml", "target = [\n")
    with pytest.raises(UsageError, match="cannot read the settings in"):
        load_settings(tmp_path, user)


@pytest.mark.parametrize("key", ["rules", "schemas", "gpus", "profiles", "repo", "baseline", "model-config"])
@pytest.mark.parametrize("value", ["\\u0000", "x" * 300, "x/" * 3000, "~nobody-of-this-name/x"])
def test_a_path_that_no_file_system_has_is_named(tmp_path, user, key, value) -> None:
    write(tmp_path / "trainlint.toml", f'{key} = "{value}"\n')
    with pytest.raises(UsageError, match=key):
        load_settings(tmp_path, user)


@pytest.mark.parametrize(
    "text",
    [
        "[tool.trainlint]\nstrict = true\n",
        "[ \"tool\" . 'trainlint' ]\nstrict = true\n",
        "[tool]\ntrainlint.strict = true\n",
        "tool.trainlint.strict = true\n",
        "tool = {trainlint = {strict = true}}\n",
        "[build-system]\nrequires = []\n  [tool.trainlint]\n  strict = true\n",
    ],
)
def test_a_table_of_pyproject_is_found_however_it_is_written(tmp_path, user, text) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert load_settings(tmp_path, user).strict


@pytest.mark.parametrize("place", range(len("trainlint") + 1))
def test_a_table_one_letter_off_is_refused(tmp_path, user, place) -> None:
    name = "trainlint"
    for slip in {name[:place] + "s" + name[place:], name[:place] + name[place + 1 :]} - {name}:
        (tmp_path / "pyproject.toml").write_text(f"[tool.{slip}]\nstrict = true\n")
        with pytest.raises(UsageError, match=rf"tool\.{slip}\] in .*:1 is not a table of settings"):
            load_settings(tmp_path, user)


def test_a_pyproject_that_sets_nothing_for_us_is_not_parsed(tmp_path, user) -> None:
    text = '[project]\nname = "x"\n[tool.ruff.lint]\nselect = [\n[project.scripts]\ntrainlint = "a:b"\n'
    (tmp_path / "pyproject.toml").write_text(text)  # a slip of others' is theirs to say
    assert not load_settings(tmp_path, user).strict


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        (
            "trainlint.toml",
            "# here\n[tool.trainlint]\nstrict = true\n",
            r":2 is for pyproject\.toml: expected",
        ),
        (
            "pyproject.toml",
            "\n[trainlint]\nstrict = true\n",
            r":2 is not a table .*expected \[tool\.trainlint\]",
        ),
        (
            "pyproject.toml",
            "\n[tool.trainlnt]\nstrict = true\n",
            r"trainlnt\] in .*:2 is not a table of settings",
        ),
        (
            "trainlint.toml",
            "strict = true\nstrict = true\n",
            r"cannot read the settings in .*toml:2: not valid",
        ),
        (
            "trainlint.toml",
            "strict = true\n# caf\xe9\n",
            r"cannot read the settings in .*toml:2: is not UTF-8",
        ),
        ("trainlint.toml/a", "", r"trainlint\.toml is a folder, expected a file of settings"),
        ("trainlint.toml", 'strict = true\nrules = "../a"\n', r"trainlint\.toml:2 leads out of the project"),
    ],
)
def test_a_slip_has_its_file_and_line(tmp_path, user, file, text, says) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=says):
        load_settings(tmp_path, user)


def test_another_tools_table_is_not_ours(tmp_path, user) -> None:
    write(tmp_path / "pyproject.toml", "[tool.trainlink]\nstrict = true\n")
    assert load_settings(tmp_path, user) == Settings()


def test_a_large_settings_file_is_no_training_config_that_is_too_large(tmp_path, user) -> None:
    write(tmp_path / "trainlint.toml", f"# {'x' * FOREIGN_BYTES}\n")
    with pytest.raises(UsageError, match=r"trainlint\.toml: is larger than 1 MB, the most that is read"):
        load_settings(tmp_path, user)


def test_a_folder_of_profiles_may_be_made_later_and_is_missed_until_then(tmp_path) -> None:
    write(tmp_path / "trainlint.toml", "strict = true\nprofiles = 'gone'\n")
    (note,) = notes_of(load_settings(tmp_path, tmp_path / "none"))
    assert re.search(r"trainlint\.toml:2: no profiles in .+gone\": trainlint trace CONFIGS stores them", note)
