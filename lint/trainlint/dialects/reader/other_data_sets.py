# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Options of a data set that the classes of others read, and that of its own phase does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from trainlint.config.value_by_path import dig
from trainlint.dialects.reader.key_problem import CLASS_KEYS, OPTION_DEPTH
from trainlint.files.syntax_tree import tree_of
from trainlint.model.document import Document, Path
from trainlint.repository.choices.class_texts import classes_of, with_bases
from trainlint.repository.choices.model_lineage import named_classes
from trainlint.repository.keys.asked_if_trained import QUESTION, is_for_training
from trainlint.repository.keys.placed_uses import placed_uses

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.trainer_source import TrainerSource


OF_THE_LOADER: Final = (
    "name", "type", "mode", "phase", "scale", "num_worker_per_gpu", "batch_size_per_gpu", "use_shuffle",
    "dataset_enlarge_ratio", "prefetch_mode", "num_prefetch_queue", "pin_memory", "persistent_workers",
)  # fmt: skip
"""Options that BasicSR's loader and loop read themselves."""


def is_of_other_data(path: Path, document: Document, source: TrainerSource) -> bool:
    """Return whether only classes read an option of a phase which its own does not have above it.

    Or its own alone does, and all that it does with it is for training, which the phase is not.
    """
    words = source.words
    if words is None or source.structs is not None or document.format == "command":
        return False
    if len(path) < OPTION_DEPTH or path[0] != "datasets":
        return False
    options, key = dig(document.value, path[:2]), str(path[2])
    names = [options.get(name) for name in CLASS_KEYS] if isinstance(options, Mapping) else []
    name = next((name for name in names if isinstance(name, str)), None)
    readers = _readers(key, words) if name is not None else None
    own = with_bases(named_classes(str(name), words), words) if readers else None
    if not readers or not own:
        return False
    texts = [text for _, text in own]
    used = {name for name in readers for text in texts if re.search(rf"\b{re.escape(name)}\b", text)}
    if not used or str(path[1]).startswith(QUESTION):
        return not used
    return used <= {name for name, _ in own} and all(
        is_for_training(key, text) for name, text in own if name in used
    )


def is_unread_by_its_class(path: Path, document: Document, words: Words) -> bool:
    """Return whether a repository has a phase's class and all above it, and none of these has an option.

    Where the trainer is installed, its loader reads the options too, and its loop the name.
    """
    if len(path) < OPTION_DEPTH or path[0] != "datasets" or str(path[2]) in OF_THE_LOADER:
        return False
    options, key = dig(document.value, path[:2]), re.escape(str(path[2]))
    names = [options.get(name) for name in CLASS_KEYS] if isinstance(options, Mapping) else []
    name = next((name for name in names if isinstance(name, str)), None)
    own = with_bases([name], words) if name is not None else None
    asked = re.compile(rf"""["']{key}["']|\.{key}\b""")
    return bool(own) and not any(asked.search(text) for _, text in own or ())


def _readers(key: str, words: Words) -> set[str] | None:
    """Return the classes in which a key is used; None where it is used elsewhere too, or none can say."""
    files = dict(zip(words.files, words.texts, strict=False))
    if any(key in text and tree_of(text) is None for text in files.values()):
        return None
    readers = set()
    for place, _ in placed_uses(words, key):
        file, _, line = place.rpartition(":")
        around = [node.name for node in classes_of(files[file]) if _has_line(node, int(line))]
        if not around:
            return None
        readers.update(around)
    return readers


def _has_line(node: ast.ClassDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
