# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What lies around configs is read once a run: a new run in the same process reads it afresh."""

from __future__ import annotations

from trainlint.environment import around
from trainlint.normalise import defaults
from trainlint.trainer import ask, source, words


def forget() -> None:
    """Forget what is known of the files around configs: they may have changed."""
    ask.forget()
    around.forget()
    words.words_of.cache_clear()
    source.source_in.cache_clear()
    defaults.forget()
