# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The page about the settings, from the settings themselves."""

from __future__ import annotations

from trainlint.settings.settings import Settings
from trainlint.settings.settings_keys import CODE_KEYS, FILE_KEYS, KINDS, OWN_KEYS
from trainlint.settings.settings_schema import descriptions

PAGE = """\
# Settings

<!-- written by `python docs/generate.py`; edit lint/trainlint/settings/settings.py instead -->

A project's settings go into `trainlint.toml`, or into `pyproject.toml` below `[tool.trainlint]`; the nearest
one at or above the first linted path is used. Your own go into `settings.toml` in your configuration folder
(Linux: `~/.config/trainlint/`). The project's settings override yours, and the command line overrides both.

    target = ["kaggle-t4x2", "rtx-3060"]
    fail-on = "warn"
    baseline = ".trainlint/baseline.json"
    ignore = ["loader-bound"]

    [levels]
    session-budget = "warn"
    vram-tight = "fail"

    [per-file-ignores]
    "configs/old/*.yml" = ["queue-not-divisible"]
    "configs/x4.yml#/datasets/train/gt_size" = ["crop-over-400"]

    [[files]]
    match = "configs/cloud/*"
    target = "4x:a100-80gb"
    launcher = "torchrun:4"

`trainlint schema settings` prints a JSON Schema of them. Every report says what settings take away from
its verdict (rules that are not judged, levels that were lowered, findings left out). A rule that is raised
(`vram-tight = "fail"`) fails where every reading of a job has the finding; what only some of them have stays
a warning. With `fail-on = "warn"` all warnings set the exit code.

`trainlint configs/ --write-baseline .trainlint/baseline.json` lists what is found today; with `baseline`
set, only what is new is reported. An entry names rule, file, key and values, so it still applies when lines
move, and no longer when a value that the rule reads in the config changes; entries that match nothing any
more, of rules that were judged, are reported. Commit the file.

Why a rule is ignored is said in a comment above `ignore`; for one finding, `# trainlint: ignore[rule] reason`
stands in the config itself.

"""


def page() -> str:
    """Return the page about the settings."""
    words = dict(descriptions())
    head = ["| key | takes | default | |", "|---|---|---|---|"]
    rows = [
        f"| `{key}`{_where(key)} | {expected.replace('|', chr(92) + '|')} | {_default(key)} "
        f"| {words[key.replace('-', '_')]} |"
        for key, (_, expected) in KINDS.items()
    ]
    below = [
        "",
        "(files): also below `[[files]]`, for the files that its `match` names; where several match, the",
        "last one that sets a key wins. (yours alone): it runs code, or says what your machine showed, so a",
        "project may not set it; see [security.md](security.md).",
        "",
    ]
    return PAGE + "\n".join((*head, *rows, *below))


def _where(key: str) -> str:
    if key in (*CODE_KEYS, *OWN_KEYS):
        return " (yours alone)"
    return " (files)" if key in FILE_KEYS else ""


def _default(key: str) -> str:
    value = getattr(Settings(), key.replace("-", "_"))
    if value in (None, (), {}):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
