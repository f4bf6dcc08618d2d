# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The table of bounds in docs/security.md, from the constants themselves."""

from __future__ import annotations

from importlib import import_module
from typing import Final

BOUNDS: Final = (
    ("bytes of a config, script or page", "files.read_limits", "FILE_BYTES"),
    ("bytes of a notebook, of which only code cells are read", "files.read_limits", "NOTEBOOK_BYTES"),
    ("characters of a TOML file", "files.read_limits", "TOML_CHARACTERS"),
    ("lines of a Markdown page", "files.read_limits", "MOST_PAGE_LINES"),
    ("values in one file, aliases expanded", "files.read_limits", "MOST_VALUES_READ"),
    ("words and marks of shell in one file", "files.read_limits", "MOST_WORDS"),
    ("levels of nesting", "files.read_limits", "MOST_LEVELS"),
    ("characters of a number", "files.read_limits", "NUMBER_CHARACTERS"),
    ("characters or words of a shell variable that is followed", "files.read_limits", "VARIABLE_LENGTH"),
    ("environment variables that one script exports", "files.read_limits", "MOST_EXPORTED"),
    ("lists and mappings in a notebook's outputs", "files.read_limits", "BRACKETS"),
    ("commands and configs in one file", "files.read_limits", "DOCUMENTS"),
    (
        "of these, training jobs that are judged; the others are reported not to be",
        "files.read_limits",
        "MOST_PAGE_JOBS",
    ),
    ("bytes of a settings file, rule, schema or table of GPUs", "files.read_limits", "FOREIGN_BYTES"),
    ("files in a folder that settings name", "files.read_limits", "FOREIGN_FILES"),
    ("bytes of one `.gitignore`", "files.read_limits", "IGNORE_BYTES"),
    ("lines of one `.gitignore`", "files.read_limits", "IGNORE_LINES"),
    ("targets that a project's settings name", "settings.settings_bounds", "TARGETS"),
    ("globs of files in a project's settings", "settings.settings_bounds", "PATTERNS"),
    ("characters of these together", "settings.settings_bounds", "PATTERN_CHARACTERS"),
    (
        "characters of a pattern for names, matched in linear time",
        "files.glob_patterns",
        "MOST_PATTERN_CHARACTERS",
    ),
    (
        "parts of a schema, which may not refer to themselves without end",
        "dialects.schema.schema_bounds",
        "MOST_PARTS",
    ),
    (
        "checks of one document against its schema; patterns are RE2's",
        "dialects.schema.check_budget",
        "MOST_CHECKS",
    ),
    ("characters of a rule's expression", "expressions.cel", "MOST_EXPRESSION_CHARACTERS"),
    ("calls in an expression that repeat", "expressions.cel", "MOST_LOOPS"),
    ("values that `multiples` offers", "expressions.cel", "MOST_MULTIPLES"),
    ("characters of a file's name in a config, from the root on", "files.safe_open", "MOST_PATH_CHARACTERS"),
    (
        "bytes of a file that says what is installed",
        "repository.environment.requirement_files",
        "MOST_REQUIREMENTS_BYTES",
    ),
    ("bytes of a lock file", "repository.environment.lock_files", "MOST_LOCK_BYTES"),
    (
        "requirements of torch and similar packages around one job",
        "repository.environment.requirement_files",
        "MOST_PACKAGES",
    ),
    ("bytes at the end of a training log", "estimate.speed.training_log", "TAIL_BYTES"),
    ("lines of these", "estimate.speed.training_log", "MOST_LINES"),
    ("pairs of images that `--data` looks at", "data_headers.look", "SAMPLED_PAIRS"),
    ("files of a folder, and names of a list, that it lists", "data_headers.folder_listing", "MOST_FILES"),
    ("bytes of such a list", "data_headers.paired_names", "MOST_LIST_BYTES"),
    ("bytes of an image's header", "data_headers.image_header", "HEADER"),
    (
        "bytes of a pickle, a header or a directory of weights",
        "data_headers.tensor_shapes",
        "MOST_HEADER_BYTES",
    ),
    ("opcodes of a pickle that are followed", "data_headers.pickle_reader", "MOST_OPCODES"),
    ("names in its dictionaries", "data_headers.tensor_shapes", "NAMES"),
    ("bytes of a profile", "estimate.tapes.stored_profiles", "MOST_PROFILE_BYTES"),
    ("bytes that a profile may unpack to", "tape.encoding", "MOST_BODY_BYTES"),
    ("bytes that unpacking one may take", "tape.encoding", "UNPACKING_MEMORY"),
    ("events of a profile", "tape.profile_inspection", "MOST_EVENTS"),
    ("living storages that a profile's births and deaths pass", "tape.profile_inspection", "MOST_PASSED"),
    ("Python files of a trainer's repository", "repository.survey.python_files", "MOST_FILES"),
    ("bytes of these together, searched for names", "repository.survey.python_files", "MOST_TOTAL_BYTES"),
    ("bytes of one that is parsed", "repository.survey.python_files", "FILE_BYTES"),
    ("bytes that are parsed for one job", "repository.survey.python_files", "MOST_PARSED_BYTES"),
    ("bytes that its script imports and that are parsed", "repository.imports.imported_files", "MOST_BYTES"),
    ("definitions of a repository that are followed", "repository.survey.class_graph", "MOST_DEFINITIONS"),
    (
        "statements and imports that are looked at for its names",
        "repository.survey.python_files",
        "MOST_STEPS",
    ),
    ("classes that one question looks for", "repository.survey.class_graph", "NAMES"),
    (
        "seconds of CPU time of the process that does this, for one job; the counts above end it first",
        "repository.survey.survey_process",
        "CPU_S",
    ),
    (
        "failed questions about a repository after which no more are asked",
        "repository.trainer.survey_client",
        "MOST_FAILURES",
    ),
    ("keys that a sweep varies", "sweep.sweep", "MOST_AXES"),
    ("values of one of these that are judged; of more, the two ends", "sweep.axis", "MOST_VALUES"),
    ("combinations of a sweep that are not alike", "sweep.sweep", "MOST_CELLS"),
    ("bytes of what one git command prints", "documents.git_revisions", "MOST_GIT_BYTES"),
    ("files that differ between two revisions", "documents.git_revisions", "MOST_CHANGED_FILES"),
    (
        "edited texts that are judged for the fixes of one file on one target",
        "judge.fixes.tries",
        "MOST_TRIES",
    ),
    (
        "of all commands of a page: as many for each, together at most",
        "judge.fixes.tries",
        "MOST_ON_PAGE",
    ),
    ("of these each command of the page takes away", "judge.fixes.tries", "TAKEN_AWAY"),
    ("down to", "judge.fixes.tries", "LEAST_TRIES"),
    ("characters of these together", "judge.fixes.tries", "CHARACTERS"),
    ("characters that one value of these counts for", "judge.fixes.tries", "A_VALUE"),
    ("characters that one word of shell counts for", "judge.fixes.tries", "A_WORD"),
    ("events of the tapes that these ask for", "judge.fixes.tries", "MOST_REPLAYED_EVENTS"),
    ("events of the tapes that are traced for these", "judge.fixes.tries", "MOST_TRACED_EVENTS"),
    ("the same of image models' whole sets of edits", "judge.fixes.tries", "TRACED_FOR_SETS"),
    ("modules of the networks of a step that is traced", "estimate.tapes.trace_here", "MODULES"),
    ("edits for one job's fixes that may take a trace each", "judge.fixes.edited_texts", "MOST_TRACED_EDITS"),
    ("fixes that `--fix` applies to one file", "cli.fixing.fixed_text", "MOST_FIXES"),
)
"""What is bounded, and the constant that says at how much, in `lint/trainlint`."""


def table() -> str:
    """Return the table."""
    rows = []
    for what, module, name in BOUNDS:
        most = getattr(import_module(f"trainlint.{module}"), name)
        rows.append(f"| {what} | {most:,} | `{name}` in `{module.replace('.', '/')}.py` |")
    return "\n".join(["| what | at most | constant |", "|---|--:|---|", *rows])
