# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many samples of text the files have that a language model's config names, and how long these are.

Read: hiyouga/LLaMA-Factory ff6d4d12, src/llamafactory/data/parser.py and loader.py (dataset_info.json);
axolotl-ai-cloud/axolotl 067b021c, src/axolotl/utils/data/shared.py. A sample's tokens are those of its own
words; what a template puts around them is not counted.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.data_headers.allowed_folder import Below
from trainlint.data_headers.tokenizer_file import NAME, text_of, token_counts, words_lacking
from trainlint.model.job import Job

MOST_BYTES: Final = 256 << 20
"""Of a file of samples: Alpaca's 52,000 have 46 MB. A larger one is not counted."""
SAMPLED: Final = 2_000
"""Samples whose tokens are counted, evenly over all: a share is then known to about 2 points."""
MOST_CHARACTERS: Final = 400_000
"""Of a sample: a longer one is longer than any length that is trained with."""
SUFFIXES: Final = (".json", ".jsonl")
INFO: Final = "dataset_info.json"
"""The file in which LLaMA-Factory looks up the names of data sets."""
REMOTE_SOURCE_KEYS: Final = ("hf_hub_url", "ms_hub_url", "om_hub_url", "script_url", "cloud_file_name")
"""Keys of an entry whose samples come from somewhere else."""
SELECTING_KEYS: Final = ("num_samples", "subset", "split", "folder", "ranking", "images", "videos", "audios")
"""Keys of an entry that select samples, or give them more than text."""
WORDS: Final = frozenset(
    "instruction input output text prompt query response completion system history messages conversations "  # noqa: SIM905  # words in one text read better
    "question answer content value context segments".split()
)
"""Keys of a sample that hold text which is trained on."""
TEXTLESS_KEYS: Final = frozenset(("role", "from", "name", "type", "train", "label", "weight"))
"""Keys of a message that hold none."""

TOKEN_KEYS: Final = ("eos_token", "pad_token")
"""Keys of TRL's whose tokens the tokenizer has to have."""

DATA_KEYS: Final = ("dataset", "datasets", "dataset_name")
"""Keys that name data sets."""
MOST_OF_EACH: Final = "max_samples"
"""LLaMA-Factory's key of how many samples of each data set are taken."""
IN_FILES: Final = "texts_of_files"

Sample = Mapping[str, Any]
_RECENT_FILES: Final = deque[tuple[Any, dict[str, Any]]](maxlen=4)
"""What files came to, by their names, sizes and times: a job's edits ask again and again."""


def texts_seen(job: Job, below: Below) -> dict[str, Any]:
    """Return what is known of a language model's samples, and of its tokenizer."""
    value = job.document.value if isinstance(job.document.value, Mapping) else {}
    words = [value[key] for key in TOKEN_KEYS if isinstance(value.get(key), str)]
    own = f"{job.spec['model.base']}/{NAME}"
    find = _FILES.get(str(job.spec.get("dialect")))
    files = find(value, below) if find is not None else None
    looked_at = [own, NAME, *(files or ())]
    key = (below.root, words, [_state(name, below) for name in looked_at], looked_at)
    seen = next((seen for kept, seen in _RECENT_FILES if kept == key), None)
    if seen is None:
        seen = {**_tokens_lacking(words, own, below), **_counted(files or [], own, below)}
        _RECENT_FILES.append((key, seen))
    known = {name: entry for name, entry in seen.items() if name != IN_FILES}
    if IN_FILES not in seen:
        return {**known, **_uncounted(job, value, files, below)}
    if "tokens" in seen:  # their number is of no use to a rule without these
        known["texts"] = sum(seen[IN_FILES])
    epoch = _in_an_epoch(job, value, seen[IN_FILES])
    return known if epoch is None else {**known, "samples": epoch}


def _uncounted(job: Job, value: Mapping[str, Any], files: list[str] | None, below: Below) -> dict[str, Any]:
    """Say why samples were not counted; nothing where a config names none."""
    named = [value.get(key) for key in DATA_KEYS if value.get(key)]
    if not named:
        return {}
    if str(job.spec.get("dialect")) not in _FILES:
        return {"uncounted": "samples are counted for LLaMA-Factory and axolotl alone"}
    absent = [name for name in files or () if below.named(name) is None]
    if absent:
        return {"uncounted": f'no file "{absent[0]}" is below "{below.root}"'}
    if files is None and job.spec.get("dialect") == "llamafactory":
        info = f"{value.get('dataset_dir') or 'data'}/{INFO}"
        if below.named(info) is None:
            return {"uncounted": f'no file "{info}" is below "{below.root}"'}
    return {"uncounted": "the config takes samples from files in a way that is not counted"}


def _state(name: str, below: Below) -> tuple[int, int] | None:
    file = below.named(name)
    if file is None:
        return None
    with file:
        state = os.fstat(file.fileno())
    return state.st_size, state.st_mtime_ns


def _tokens_lacking(words: list[str], tokenizer: str, below: Below) -> dict[str, Any]:
    text = text_of(tokenizer, below) if words else ""
    lacking = words_lacking(words, text) if text else None
    return {} if lacking is None else {"tokens_lacking": lacking}


def _counted(files: list[str], own: str, below: Below) -> dict[str, Any]:
    """Return how many samples each file has, and how many tokens some of them."""
    samples: list[Sample] = []
    counts_of_files: list[int] = []
    for named in files:
        read = _read(named, below)
        if read is None:
            return {}
        samples += read
        counts_of_files.append(len(read))
    if not samples:
        return {}
    texts = [[*_texts(sample)] for sample in samples[:: max(len(samples) // SAMPLED, 1)]]
    tokenizer = text_of(own, below) or text_of(NAME, below)
    counts = token_counts(tokenizer, texts) if tokenizer and all(texts) else None
    return {IN_FILES: counts_of_files} | ({} if counts is None else {"tokens": sorted(counts)})


def _in_an_epoch(job: Job, value: Mapping[str, Any], counts: Sequence[int]) -> int | None:
    """Return how many of the files' samples an epoch has; None where the config selects or packs them.

    LLaMA-Factory's max_samples is of each of its data sets (data/loader.py).
    """
    most = value.get(MOST_OF_EACH) or max(counts)
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        return None
    count = sum(min(own, most) for own in counts)
    held = value.get("val_size", value.get("val_set_size")) or 0
    chosen = any(value.get(key) for key in ("streaming", "mix_strategy", "interleave_probs"))
    if (
        job.spec.get("sequence.packing")
        or chosen
        or isinstance(held, bool)
        or not isinstance(held, int | float)
    ):
        return None
    return count - (int(count * held) if held < 1 else int(held))


def _of_llamafactory(value: Mapping[str, Any], below: Below) -> list[str] | None:
    named, folder = value.get("dataset"), value.get("dataset_dir") or "data"
    names = ",".join(map(str, named if isinstance(named, list) else [named or ""])).split(",")
    file = below.named(f"{folder}/{INFO}") if isinstance(folder, str) else None
    if file is None:
        return None
    with file:
        info = _parsed(file.read(MOST_BYTES))
    if not isinstance(info, dict):
        return None
    entries = [info.get(str(name).strip()) for name in names]
    if any(
        not isinstance(entry, dict) or entry.keys() & {*REMOTE_SOURCE_KEYS, *SELECTING_KEYS}
        for entry in entries
    ):
        return None
    return [f"{folder}/{entry.get('file_name')}" for entry in entries if isinstance(entry, dict)]


def _of_axolotl(value: Mapping[str, Any], below: Below) -> list[str] | None:
    del below
    sets = value.get("datasets")
    if not isinstance(sets, list) or not all(isinstance(entry, dict) for entry in sets):
        return None
    if any(
        entry.get(key) for entry in sets for key in ("data_files", "shards", "split", "preprocess_shards")
    ):
        return None
    return [str(entry.get("path")) for entry in sets]


_FILES: Final = {"llamafactory": _of_llamafactory, "axolotl": _of_axolotl}


def _read(named: str, below: Below) -> list[Sample] | None:
    """Return a file's samples: those of a list, or one a line."""
    file = below.named(named) if named.lower().endswith(SUFFIXES) else None
    if file is None:
        return None
    with file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        return None
    whole = _parsed(data)
    if not isinstance(whole, list):
        whole = [_parsed(line) for line in data.splitlines() if line.strip()]
    return whole if all(isinstance(sample, dict) for sample in whole) else None


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _texts(sample: Sample) -> Iterator[str]:
    """Yield a sample's texts, however its messages are nested."""
    waiting: list[Any] = [value for key, value in sample.items() if key in WORDS]
    left = MOST_CHARACTERS
    while waiting and left > 0:
        value = waiting.pop()
        if isinstance(value, str):
            yield value[:left]
            left -= len(value)
        elif isinstance(value, dict):
            waiting += [inner for key, inner in value.items() if key not in TEXTLESS_KEYS]
        elif isinstance(value, list):
            waiting += value
