# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether all classes of arguments are there that a program's HfArgumentParser takes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.repository.trainer.mentioned_words import Words

PARSER: Final = "HfArgumentParser"
CHOSEN: Final = later(r"\bHfArgumentParser\(\s*\(?[^()\n]*[+,]\s*[\[(]?\s*[a-z]\w*\s*[\]),]")
"""A class of arguments that is chosen while it runs: `HfArgumentParser(ARGS + [chosen])`."""
MADE: Final = later(r"\bmake_dataclass\(")
LISTED: Final = later(r"(?m)^_?[A-Z_]*TRAIN_ARGS\s*=\s*[\[(]([^\])]*)[\])]")
TRAINING: Final = later(r"(?ms)^def _parse_train_args\(.*?(?=^\S)|^def _parse_args\(.*?(?=^\S)")
LOOSE: Final = later(
    r"allow_extra_keys(?:\s*:\s*bool)?\s*=\s*True|\b(?:_parse_args|parse_dict)\(\s*(?:parser\s*,\s*)?\w+\("
)
"""What lets a parser take keys that no class has, or leaves some out first: `parse_dict(known(args))`."""
FLATTENED: Final = later(r"return\s+\w+\(\s*OmegaConf\.to_container\(")
OF_TRANSFORMERS: Final = frozenset(
    ("Seq2SeqTrainingArguments", "TrainingArguments", "object", "Generic", "ABC", "RayTrainArguments")
)
"""Classes of arguments whose fields a schema knows."""


@lru_cache(maxsize=8)
def takes_other_keys(words: Words) -> bool:
    """Return whether a parser of arguments may take a key that no class of the repository has a field for."""
    if any(map(CHOSEN.search, words.code)):
        return True
    for text in words.code:
        if PARSER not in text or LISTED.search(text) is None:
            continue
        bodies = " ".join(match[0] for match in TRAINING.finditer(text))
        if MADE.search(text) or FLATTENED.search(text) or LOOSE.search(bodies):
            return True
        named = re.findall(r"\b[A-Z]\w+", " ".join(LISTED.findall(text)))
        if any(_comes_from_elsewhere(name, words) for name in named):
            return True
    return False


def _comes_from_elsewhere(name: str, words: Words, depth: int = 4) -> bool:
    """Return whether a class, or one above it, is neither the repository's nor known."""
    if name in OF_TRANSFORMERS or not depth:
        return False
    if name not in words.defined:
        return True
    above = re.compile(rf"(?m)^class {re.escape(name)}\(([^)]*)\)")
    bases = {
        base.strip().rpartition(".")[2].partition("[")[0]
        for text in words.code
        for match in above.finditer(text)
        for base in match[1].split(",")
        if "=" not in base
    }
    return any(_comes_from_elsewhere(base, words, depth - 1) for base in bases - {""})
