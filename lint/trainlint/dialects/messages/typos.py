# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which known key an unknown one was meant to be, where that is sure.

Distance alone is right in 3 of 74 published cases (facts of the corpus: `use_flip` next to `use_hflip`,
`optim_d` next to `optim_g`, `resize_prob` next to `resize_prob2`), hence the conditions of `same_word`.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import zip_longest
from typing import Final

from trainlint.errors import CLOSE_RATIO, most_alike

SHORTEST_MISSPELT = 4
"""Letters a word needs before one wrong letter in it is a slip and not another word."""

NAMES: Final = "misspelt-name"
"""The rule of values that are names, whose suggestion is worth a word."""

LONG_WORD = 8
"""Letters of a word that is still legible with two of them wrong."""

TWO_WRONG = 1 - 2 / LONG_WORD
"""The ratio of a long word with two wrong letters: presicion, precision."""

MANY_WORDS = 4
"""Words of a key that means the same in the plural (batch_size_per_gpus); gt_size, gt_sizes are two."""

DIGITS = dict.fromkeys(map(ord, "0123456789"))
"""Translation that drops digits."""


def meant(key: str, known: Collection[str], present: Collection[str]) -> str | None:
    """Return the one known, absent key that differs from `key` by a slip of the pen."""
    candidates = [name for name in known if name not in present and is_slip(key, name)]
    return candidates[0] if len(candidates) == 1 else None


def perhaps_meant(key: str, known: Collection[str], present: Collection[str]) -> str | None:
    """Return the one known, absent key that one edit makes of `key`, or another case."""
    candidates = [
        name for name in known if name not in present and (one_edit(key, name) or key.lower() == name.lower())
    ]
    return candidates[0] if len(candidates) == 1 else None


def read_instead(key: str, known: Collection[str], present: Collection[str]) -> str | None:
    """Return the known, absent key that a key which is never read was surely thought to be.

    Nothing stops at such a key, so that a plural or a word that goes on (lora_rank, lora_r) is a guess too.
    """
    absent = [name for name in known if name not in present and not name.startswith("@")]
    for alike in (sure, is_in_full):
        if candidates := [name for name in absent if alike(key, name)]:
            return candidates[0] if len(candidates) == 1 else None
    return None


def is_in_full(key: str, name: str) -> bool:
    """Return whether one word of one key begins as that of the other, all the others being the same."""
    words, others = key.split("_"), name.split("_")
    wrong = [(a, b) for a, b in zip(words, others, strict=False) if a != b]
    if len(words) != len(others) or len(words) == 1 or len(wrong) != 1:
        return False
    (written, word), *_ = wrong
    return written.isalpha() and word.isalpha() and (written.startswith(word) or word.startswith(written))


def nearest(value: str, known: Collection[str]) -> str | None:
    """Return the choice that a refused value comes close to: the set is closed, so a guess does no harm."""
    written, lower = value.lower(), {name.lower(): name for name in known}
    close = most_alike(written, lower, CLOSE_RATIO)
    if (
        close is None and len(written) >= SHORTEST_MISSPELT
    ):  # a swap counts double in a short word: rnak, rank
        edited = [name for name in lower if one_edit(written, name)]
        close = edited[0] if len(edited) == 1 else None
    if close is None and len(written) >= LONG_WORD:
        begun = [name for name in lower if name[:1] == written[:1]]
        close = most_alike(written, begun, TWO_WRONG)
    return lower[close] if close is not None else None


def sure(key: str, name: str) -> bool:
    """Return whether an unknown key of a closed mapping must be `name`: one edit, and not in a number."""
    plain, other = (text.translate(DIGITS) for text in (key, name))
    return key.lower() == name.lower() or (plain != other and one_edit(key, name))


def legible(key: str, name: str) -> bool:
    """Return whether an unknown key is worth a guess: the same words but for one, and not in a number alone.

    A fork's own keys are often near the original's: compress_h265_range is no slip of compression_heif_range.
    """
    plain, other = (text.translate(DIGITS).split("_") for text in (key, name))
    wrong = [(a, b) for a, b in zip_longest(plain, other, fillvalue="") if a != b]
    return sure(key, name) or len(wrong) == 1


def stands_for(written: str, key: str) -> bool:
    """Return whether an unknown key must be meant for a missing one: case, number or one letter is wrong."""
    if written.lower() == key.lower() or written.rstrip("s") == key.rstrip("s"):
        return True
    return len(key) >= LONG_WORD and sure(written, key)


def is_slip(key: str, name: str) -> bool:
    """Return whether two keys are the same words, one of them with one letter wrong, or run together."""
    if is_run_together(key, name):
        return True
    wrong = [(a, b) for a, b in zip_longest(key.split("_"), name.split("_"), fillvalue="") if a != b]
    return len(wrong) == 1 and (same_word(*wrong[0]) or is_plural(key, name) or is_swap(key, name))


def is_run_together(key: str, name: str) -> bool:
    """Return whether keys of so many words that they are no others differ in one underscore alone."""
    plain, other = key.replace("_", ""), name.replace("_", "")
    many = max(key.count("_"), name.count("_")) + 1 >= MANY_WORDS
    return many and plain == other and one_edit(key, name)


def is_plural(key: str, name: str) -> bool:
    """Return whether one key is the plural of the other, of so many words that it is no other key."""
    return name.count("_") + 1 >= MANY_WORDS and key != name and key.rstrip("s") == name.rstrip("s")


def is_swap(key: str, name: str) -> bool:
    """Return whether two neighbours changed places in a key of so many words that it is no other key."""
    many = name.count("_") + 1 >= MANY_WORDS
    return many and key[:1] == name[:1] and sorted(key) == sorted(name) and one_edit(key, name)


def same_word(written: str, word: str) -> bool:
    """Return whether one edit inside a long enough word (no digit, no plural) turns one into the other.

    The first letter is not mistyped, and with another one it is another word: hflip, vflip.
    """
    if (
        len(word) < SHORTEST_MISSPELT
        or written[:1] != word[:1]
        or any(letter.isdigit() for letter in written + word)
    ):
        return False
    if written.rstrip("s") == word.rstrip("s") or written.lower() == word.lower():
        return False
    return one_edit(written, word)


def one_edit(left: str, right: str) -> bool:
    """Say whether one insertion, deletion, substitution or swap of neighbours turns `left` into `right`."""
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    if len(left) != len(right):
        longer, shorter = (left, right) if len(left) > len(right) else (right, left)
        return longer[start + 1 :] == shorter[start:]
    swapped = left[start : start + 2] == right[start : start + 2][::-1]
    return left[start + 1 :] == right[start + 1 :] or (swapped and left[start + 2 :] == right[start + 2 :])
