# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The table of bounds in docs/security.md, from the constants themselves."""

from __future__ import annotations

from importlib import import_module
from typing import Final

BOUNDS: Final = (
    ("bytes of a config, script or page", "read.limits", "FILE_BYTES"),
    ("bytes of a notebook, of which only code cells are read", "read.limits", "NOTEBOOK_BYTES"),
    ("characters of a TOML file", "read.limits", "TOML_CHARACTERS"),
    ("lines of a Markdown page", "read.limits", "LINES"),
    ("values in one file, aliases expanded; words of shell in one", "read.limits", "VALUES"),
    ("levels of nesting", "read.limits", "DEPTH"),
    ("characters of a number", "read.limits", "NUMBER_CHARACTERS"),
    ("characters or words of a shell variable that is followed", "read.limits", "VARIABLE_LENGTH"),
    ("environment variables that one script exports", "read.limits", "EXPORTED"),
    ("lists and mappings in a notebook's outputs", "read.limits", "BRACKETS"),
    ("commands and configs in one file", "read.limits", "DOCUMENTS"),
    ("of these, training jobs that are judged; the others are reported not to be", "read.limits", "JOBS"),
    ("bytes of a settings file, rule, schema or table of GPUs", "read.limits", "FOREIGN_BYTES"),
    ("files in a folder that settings name", "read.limits", "FOREIGN_FILES"),
    ("bytes of one `.gitignore`", "read.limits", "IGNORE_BYTES"),
    ("lines of one `.gitignore`", "read.limits", "IGNORE_LINES"),
    ("targets that a project's settings name", "settings_bounds", "TARGETS"),
    ("globs of files in a project's settings", "settings_bounds", "PATTERNS"),
    ("characters of these together", "settings_bounds", "PATTERN_CHARACTERS"),
    ("characters of a pattern for names, matched in linear time", "read.globs", "LONGEST"),
    ("parts of a schema, which may not refer to themselves without end", "normalise.bounded", "MOST_PARTS"),
    ("checks of one document against its schema; patterns are RE2's", "normalise.checks", "MOST_CHECKS"),
    ("characters of a rule's expression", "cel", "LONGEST"),
    ("calls in an expression that repeat", "cel", "MOST_LOOPS"),
    ("values that `multiples` offers", "cel", "MOST_MULTIPLES"),
    ("characters of a file's name in a config, from the root on", "regular", "LONGEST"),
    ("bytes of a file that says what is installed", "environment.around", "LARGEST"),
    ("bytes of a lock file", "environment.locks", "LARGEST"),
    ("requirements of torch and similar packages around one job", "environment.around", "MOST_PACKAGES"),
    ("bytes at the end of a training log", "read.training_log", "TAIL"),
    ("lines of these", "read.training_log", "LINES"),
    ("pairs of images that `--data` looks at", "look.look", "SAMPLE"),
    ("files of a folder, and names of a list, that it lists", "look.folders", "MOST_FILES"),
    ("bytes of such a list", "look.lists", "LONGEST"),
    ("bytes of an image's header", "look.images", "HEADER"),
    ("bytes of a pickle, a header or a directory of weights", "look.tensors", "LARGEST"),
    ("opcodes of a pickle that are followed", "look.pickle_reader", "MOST"),
    ("names in its dictionaries", "look.tensors", "NAMES"),
    ("bytes of a profile", "estimate.tapes.profiles", "LARGEST"),
    ("bytes that a profile may unpack to", "tape.encoding", "LIMIT"),
    ("bytes that unpacking one may take", "tape.encoding", "MEMORY"),
    ("events of a profile", "tape.inspection", "EVENTS"),
    ("living storages that a profile's births and deaths pass", "tape.inspection", "PASSED"),
    ("Python files of a trainer's repository", "survey.files", "FILES"),
    ("bytes of these together, searched for names", "survey.files", "BYTES"),
    ("bytes of one that is parsed", "survey.files", "FILE_BYTES"),
    ("bytes that are parsed for one job", "survey.files", "PARSED"),
    ("definitions of a repository that are followed", "survey.graph", "NODES"),
    ("seconds of CPU time of the process that does this, for one job", "survey.child", "CPU_S"),
    ("failed questions about a repository after which no more are asked", "trainer.ask", "FAILURES"),
    ("edited texts that are judged for the fixes of one file on one target", "judge.fixes.tries", "BUDGET"),
    (
        "of these on a long page: half its number of commands is subtracted, down to",
        "judge.fixes.tries",
        "LEAST",
    ),
    ("characters of these together", "judge.fixes.tries", "CHARACTERS"),
    ("characters that one value of these counts for", "judge.fixes.tries", "A_VALUE"),
    ("events of the tapes that these ask for", "judge.fixes.tries", "REPLAYED"),
    ("modules of the networks of a step that is traced", "estimate.tapes.source", "MODULES"),
    ("edits for one job's fixes that may take a trace each", "judge.fixes.edited_texts", "TRACES"),
    ("fixes that `--fix` applies to one file", "cli.rewrite", "MOST_FIXES"),
)
"""What is bounded, and the constant that says at how much, in `lint/trainlint`."""


def table() -> str:
    """Return the table."""
    rows = []
    for what, module, name in BOUNDS:
        most = getattr(import_module(f"trainlint.{module}"), name)
        rows.append(f"| {what} | {most:,} | `{name}` in `{module.replace('.', '/')}.py` |")
    return "\n".join(["| what | at most | constant |", "|---|--:|---|", *rows])
