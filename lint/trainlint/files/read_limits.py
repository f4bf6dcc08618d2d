# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What trainlint refuses to read, so that no input can cost it the machine."""

from __future__ import annotations

from trainlint.errors import TooLargeError, UnreadableError

FILE_BYTES = 10_000_000
"""The largest published training config is under 100 KB; ten megabytes is a data file."""

NOTEBOOK_BYTES = 50_000_000
"""Notebooks carry their outputs, images included; only their code cells are read. As text they may take four
times as much memory."""

FOREIGN_BYTES = 1_000_000
"""Of a settings file, or a rule, schema or table of GPUs that settings name: the largest that trainlint ships
(basicsr.json) has 37 KB."""

FOREIGN_FILES = 1_000
"""In a folder of rules, schemas or tables that settings name; trainlint ships about 60 rules."""

IGNORE_BYTES = 200_000
IGNORE_LINES = 10_000
"""Of one .gitignore: every line is compiled, which takes a second for all that may be there, and held against
every file of the folder. The largest of GitHub's own templates (VisualStudio.gitignore) has 400, 7 KB."""

IGNORE_CHAIN = 20_000
"""Patterns of all .gitignore files that hold in one folder: 40 nested ones of 9,000 took 18 s."""

MOST_LEVELS = 100
"""Published configs nest 8 deep. libyaml overflows the C stack near 100,000 (measured), Python's own
recursion limit is 1,000 frames, and whoever walks a document (validators, JSON) spends several a level."""

MOST_VALUES_READ = 100_000
"""Values in one file, aliases expanded: the largest published config holds about 3,000."""

NUMBER_CHARACTERS = 1_000
"""A longer number is an attack on int() (quadratic in YAML 1.1's base 60), not a setting."""

TOML_CHARACTERS = 2_000_000
"""tomllib is Python: about a second a megabyte on a slow machine; the largest neosr config is 6 KB."""

MOST_WORDS = 30_000
"""Words and marks of shell in one file: 1,000 commands of 30. A published list of 27 commands has 400; a word
takes 20 µs to read."""

VARIABLE_LENGTH = 10_000
"""Characters of a shell variable, or words of an array, that are followed; a longer one is unknown."""

FILLED_LENGTH = 100
"""Characters of variables in a word that count as one more word: the longest value that a published script
uses has fewer."""

MOST_EXPORTED = 1_000
"""Environment variables of one script, which each of its commands gets: published ones set a dozen."""

MOST_PAGE_LINES = 200_000
"""Lines of a Markdown page; a page of 10,000 code blocks has about 60,000."""

DOCUMENTS = 1_000
"""Commands and configs in one file: the most in a published one is 27."""

MOST_PAGE_JOBS = 100
"""Of these, jobs that are judged: one takes 4 ms on every target, or 50 where its step has to be replayed.
The others are said not to be judged."""

MOST_BLOCKS = 5_000
"""Blocks of YAML, JSON or TOML in one page or notebook that are parsed to see whether they are configs."""

BRACKETS = 1_000_000
"""Lists and mappings in the outputs of a notebook, which are stepped over: half a second of Python."""

CODE_CHARACTERS = 2_000_000
"""Of all code cells of a notebook, as they are written: published ones have less than 100 KB."""


class Budget:
    """How many values or words one file may still hold; `spend` raises once there are none left."""

    def __init__(self, error: UnreadableError, most: int = MOST_VALUES_READ) -> None:
        self.left = most
        self._error = error

    def spend(self, values: int) -> None:
        """Take some away."""
        self.left -= values
        if self.left < 0:
            raise self._error


def alias_budget() -> Budget:
    """Return what the aliases of one YAML file may expand to."""
    return Budget(
        UnreadableError(f"its aliases expand to more than {MOST_VALUES_READ:,} values (an alias bomb)")
    )


def block_budget() -> Budget:
    """Return how many blocks of configs one page may hold."""
    return Budget(
        TooLargeError(f"holds more than {MOST_BLOCKS:,} blocks of YAML, JSON or TOML: split it"), MOST_BLOCKS
    )


def word_budget() -> Budget:
    """Return how many words and marks of shell one file may hold."""
    return Budget(
        TooLargeError(
            f"holds more than {MOST_WORDS:,} words and marks of shell, which no script does: split it"
        ),
        MOST_WORDS,
    )
