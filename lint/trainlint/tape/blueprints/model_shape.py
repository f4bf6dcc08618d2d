# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What of a language model's step sizes follow as numbers, and what is its kind, which shapes events."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import lcm
from typing import Any, Final

from trainlint.catalogue.base_models import modules_of
from trainlint.errors import CannotTraceError
from trainlint.tape import EVERY_BATCH
from trainlint.tape.blueprints.shape_formulas import LAYERS
from trainlint.tape.step import MODEL_CONFIG, key_of

RECIPES: Final = ("transformers.",)
"""What recipes begin with whose model is layers of one kind (litgpt's takes its loss in pieces of the
length)."""
NUMBERS: Final = {
    "hidden_size": "hidden", "intermediate_size": "intermediate", "vocab_size": "vocabulary",
    "num_hidden_layers": LAYERS, "num_attention_heads": "heads", "num_key_value_heads": "groups",
    "head_dim": "head",
}  # fmt: skip
"""Keys of a model's config.json that are numbers of its shape."""
LAYER_TYPES: Final = "layer_types"
WITHOUT_PART: Final = ("max_position_embeddings", "query_pre_attn_scalar", LAYER_TYPES)
"""Keys of it that no tensor's size follows."""
RANK: Final = "adapter.rank"
TARGETS: Final = "adapter.targets"
ALL_LINEAR: Final = "all-linear"
ATTENTION: Final = "attention.implementation"
EXACT_LENGTHS: Final = "sequence.exact"
WINDOW: Final = "sliding_window"
WITHOUT_MASK: Final = ("flash_attention_2", "flash_attention_3")
"""Implementations that are told lengths in place of a mask (trainlint_zoo/transformers/recipes/sft.py)."""
BOTH_TYPES: Final = ("full_attention", "sliding_attention")
OF_BOTH_TYPES: Final = ("gemma2", "gemma3_text", "olmo3")
"""Types of models that have layers whose attention has a window, and others: alike where both get a mask, or
none."""
CAPPED: Final = ("gemma2",)
"""Those whose scores are capped, which without FlashAttention takes a mask for each layer."""
DIVIDED: Final = ("gemma2", "gemma3_text")
"""Types whose width transformers wants to be a multiple of their heads, though it is not theirs together."""
SAME_LAYERS: Final = {"mistral": "llama"}
"""Types of models whose layers are another type's, but for windows and the order in which the last three
tensors of a forward go, with nothing taken between."""
TOKENS: Final = "sequence.length"
BLOCKS: Final = (32, 64, 128)
"""Tokens of the blocks in which kernels of fused attention keep what they keep."""
ALIGNED: Final = 8
"""Tokens and features that kernels take without a copy that is filled up."""
HEAD_BLOCK: Final = 32
"""Features that a fused kernel's backward fills a head up to."""
HEAD_LIMITS: Final = (64, 128, 192, 224, 256)
"""Features of a head up to which one kernel of fused attention serves."""
BYTES_FROM: Final = {"8bit": 4096, "Paged": 100_000}
"""Words in an optimizer's name -> the values of a tensor from which bitsandbytes keeps its state in bytes, or
pages it."""
BYTES_BLOCK: Final = 256
"""Values in bytes that have one scale."""
BYTES_RANKS: Final = (0, 8, 0, 8, 0)
"""By how much the ranks of the shapes are larger where states are in bytes: most widths are multiples of 32,
so that these make whole blocks."""
FEWEST_LAYERS: Final = 3
"""Layers of the smallest model: the first, the last, and one that is neither."""
SHAPES: Final = 5
"""Shapes that a blueprint is drawn from."""
HEADS: Final = (range(-1, 13), range(-8, 33))
"""By how many groups, and heads of one, these shapes are looked for around the model's own: first near it."""
OTHER_HEADS: Final = (2, 4)
"""Which of the shapes have wider or narrower heads than the model."""
HEAD_STEPS: Final = (0, -32, 32, -64)
"""By how many features of a head."""
LARGER: Final = (0, 3, 7, 5, 11, 2)
"""Units by which the shapes' other widths are larger than the model's."""
WIDTH: Final = 256
EVEN_WIDTH: Final = 64
LEAST_TOKENS: Final = 1024
TOKENS_MORE: Final = (0, 24, 512, -120, 296, -248)
SCALED: Final = 64 * 256
"""Weights in four bits whose scales are whole blocks."""

Step = Mapping[str, Any]


def has_kind(step: Step) -> bool:
    """Return whether a step is that of a language model whose numbers are all known."""
    shape = step.get(MODEL_CONFIG)
    return (
        str(step.get("recipe", "")).startswith(RECIPES)
        and isinstance(shape, Mapping)
        and all(isinstance(shape.get(name), int) and shape[name] > 0 for name in NUMBERS)
        and isinstance(step.get(TOKENS), int)
        and "validation" not in step
        and not _is_mixed(step)
    )


def _is_mixed(step: Step) -> bool:
    """Say whether some layers of a step get a mask, and others may get none."""
    kind = step[MODEL_CONFIG].get("model_type")
    both = kind in OF_BOTH_TYPES and kind not in CAPPED
    return both and step.get(ATTENTION) in {None, "sdpa"} and _slides(step)


def shape_of(step: Step) -> dict[str, int]:
    """Return the numbers that the sizes of a step follow."""
    numbers = {own: int(step[MODEL_CONFIG][name]) for name, own in NUMBERS.items()}
    tokens = int(step[TOKENS])
    return {
        **numbers,
        "queries": numbers["heads"] * numbers["head"],
        "keys": numbers["groups"] * numbers["head"],
        "rank": int(step.get(RANK) or 1),
        "tokens": tokens,
        **{f"tokens by {block}": -(-tokens // block) * block for block in BLOCKS},
    }


def kind_of(step: Step, batch: int = EVERY_BATCH) -> str:
    """Return the key of all steps whose events are alike, layer by layer, for one sample or for several."""
    shape = shape_of(step)
    config = {
        name: value
        for name, value in step[MODEL_CONFIG].items()
        if name not in (*NUMBERS, *WITHOUT_PART, WINDOW) and value is not None
    }
    config["model_type"] = SAME_LAYERS.get(config["model_type"], config["model_type"])
    rest = {
        name: value for name, value in step.items() if name not in (MODEL_CONFIG, RANK, TOKENS, *_idle(step))
    }
    if TARGETS in rest:
        rest[TARGETS] = _targets(step)
    masked = _is_masked(step, batch)
    return key_of({**rest, "model": config, "masked": masked, "alike": _alike(step, shape)})


def _idle(step: Step) -> Iterator[str]:
    """Yield the fields of a step that change nothing in it, given its others."""
    if step.get(ATTENTION) in {*WITHOUT_MASK, None, "sdpa"}:
        yield from (ATTENTION, EXACT_LENGTHS)  # one kernel, and whether it gets a mask (`_is_masked`)
    if step.get("objective") in {"pt", "sft"}:
        yield "objective"
    if step.get("adapter.kind") in {"none", "freeze", None}:
        yield from ("adapter.dtype", "adapter.dropout")


def _is_masked(step: Step, batch: int) -> bool:
    """Say whether samples are padded to the longest one's length, and a kernel is told."""
    told = step.get(ATTENTION) not in WITHOUT_MASK
    return told and ((batch >= EVERY_BATCH and not step.get(EXACT_LENGTHS)) or _slides(step))


def _slides(step: Step) -> bool:
    """Say whether samples are longer than the window of attention, and a kernel gets a mask for that."""
    window = int(step[MODEL_CONFIG].get(WINDOW) or 0)
    return step.get(ATTENTION) not in WITHOUT_MASK and 0 < window < int(step[TOKENS])


def _targets(step: Step) -> list[str]:
    """Return the layers with adapters, sorted; one word for those that have all of a block's."""
    named = sorted(set(step[TARGETS]))
    every = modules_of(step[MODEL_CONFIG])
    return [ALL_LINEAR] if ALL_LINEAR in named or (every and set(named) == set(every)) else named


def _alike(step: Step, shape: Mapping[str, int]) -> list[Any]:
    """Return on which side of each bound a step's numbers lie from which on kernels or optimizers differ."""
    return [
        shape["groups"] == shape["heads"],
        shape["groups"] == 1,
        shape["hidden"] == shape["queries"],
        _slides(step),
        shape["tokens"] % ALIGNED,
        shape["head"] % HEAD_BLOCK,
        sum(shape["head"] > limit for limit in HEAD_LIMITS),
        *(_of_bytes(step, shape) if _in_bytes(step) else ()),
    ]


def _in_bytes(step: Step) -> list[int]:
    """Return the bounds that a step's optimizer has; none where its states are torch's."""
    optimizers: Sequence[Mapping[str, Any]] = step.get("optimizers") or ({},)
    kind = str(optimizers[0].get("type", ""))
    return [bound for word, bound in BYTES_FROM.items() if word in kind]


def _of_bytes(step: Step, shape: Mapping[str, int]) -> list[int]:
    """Return which bounds each tensor's values are above, and whether some are no whole blocks."""
    rank = shape["rank"]
    widths = [shape[name] for name in ("hidden", "intermediate", "queries", "keys")]
    counts = [rank * width for width in widths]
    if step.get("adapter.kind") in {None, "none"}:
        counts = [*widths, *(shape["hidden"] * width for width in widths)]
    broken = any(count % BYTES_BLOCK for count in (*counts, shape["hidden"] * shape["vocabulary"]))
    return [*(sum(count >= bound for bound in _in_bytes(step)) for count in counts), int(broken)]


def drawn_from(step: Step, batch: int = EVERY_BATCH) -> Sequence[dict[str, Any]]:
    """Return the steps that a blueprint is drawn from: further layers first, then other widths.

    CannotTraceError where models near this one are built in another way.
    """
    for around in HEADS:
        steps = _near(step, batch, around)
        if len(steps) == SHAPES:
            return [steps[0], _deeper(steps[0], 1), _deeper(steps[1], 2), *steps[2:]]
    raise CannotTraceError("models whose numbers are near these are built in another way")


def _near(step: Step, batch: int, around: range) -> Sequence[dict[str, Any]]:
    """Return steps of a step's kind whose shapes differ in enough numbers, SHAPES of them at the most."""
    own, kind = shape_of(step), kind_of(step, batch)
    steps: list[dict[str, Any]] = []
    seen: set[tuple[int, ...]] = set()
    least = 1 if 1 in {own["groups"], own["heads"] // own["groups"]} else 2
    ways = [way for way in _heads(own, around) if kind_of(_with(step, own, way, 0), batch) == kind]
    several = len({head for _, _, head in ways}) > 1
    for groups, per_group, head in (*ways, *ways):  # again those passed over while another head was wanted
        number = len(steps)
        if number == SHAPES:
            break
        if several and number in OTHER_HEADS and head == own["head"]:
            continue
        made = _with(step, own, (groups, per_group, head), number)
        if (
            kind_of(made, batch) == kind
            and _is_whole(made)
            and _widest(shape_of(made)) == _widest(own)
            and _is_new((groups, per_group, head), seen, least)
        ):
            seen.add((groups, per_group, head))
            steps.append(made)
    return steps


def _deeper(step: Step, layers: int) -> dict[str, Any]:
    config = _layered({**step[MODEL_CONFIG], "num_hidden_layers": FEWEST_LAYERS + layers})
    return {**step, MODEL_CONFIG: config}


def _layered(config: dict[str, Any]) -> dict[str, Any]:
    """Return a shape that has layers of both types, where its model has, however few they are."""
    if config.get("model_type") not in OF_BOTH_TYPES:
        return config
    return {**config, LAYER_TYPES: [BOTH_TYPES[layer % 2] for layer in range(config["num_hidden_layers"])]}


def _heads(own: Mapping[str, int], around: range) -> Iterator[tuple[int, int, int]]:
    """Yield groups, heads a group and features a head, the nearest to a model's own first."""
    same, single = own["groups"] == own["heads"], own["groups"] == 1
    ways = [
        (own["groups"] + more_groups, own["heads"] // own["groups"] + more_heads, own["head"] + step)
        for more_groups in ((0,) if single and not same else around)
        for more_heads in ((0,) if same else around)
        for step in HEAD_STEPS
    ]
    whole = own["groups"], own["heads"] // own["groups"], own["head"]
    yield from sorted(
        (way for way in ways if min(way) > 0),
        key=lambda way: sum(abs(a / b - 1) for a, b in zip(way, whole, strict=True)),
    )


def _is_new(way: tuple[int, ...], seen: Collection[tuple[int, ...]], least: int) -> bool:
    """Say whether a way differs from each one seen in so many numbers."""
    return all(
        sum(number != other for number, other in zip(way, known, strict=True)) >= least for known in seen
    )


def _widest(shape: Mapping[str, int]) -> str:
    """Return which width is the largest, that of what an optimizer takes at once."""
    return max(("intermediate", "queries", "hidden"), key=shape.__getitem__)


def _is_whole(step: Step) -> bool:
    """Say whether the scales of all weights in four bits are whole blocks."""
    if not step.get("quant.bits"):
        return True
    shape = shape_of(step)
    return not any(shape["hidden"] * shape[name] % SCALED for name in ("queries", "keys", "intermediate"))


def _with(step: Step, own: Mapping[str, int], way: tuple[int, int, int], number: int) -> dict[str, Any]:
    groups, per_group, head = way
    square = own["hidden"] == own["queries"]
    larger = LARGER[number] * WIDTH
    made = {
        "hidden_size": groups * per_group * head if square else own["hidden"] + larger,
        "intermediate_size": -(-own["intermediate"] // WIDTH) * WIDTH + LARGER[-number] * WIDTH,
        "vocab_size": own["vocabulary"] + 2 * larger,
        "num_hidden_layers": FEWEST_LAYERS,
        "num_attention_heads": groups * per_group,
        "num_key_value_heads": groups,
        "head_dim": head,
    }
    tokens = LEAST_TOKENS + own["tokens"] % ALIGNED + TOKENS_MORE[number]
    if step[MODEL_CONFIG].get("model_type") in DIVIDED and not square:
        unit = lcm(made["num_attention_heads"], EVEN_WIDTH)
        made["hidden_size"] = -(-made["hidden_size"] // unit) * unit
    if window := step[MODEL_CONFIG].get(WINDOW):  # on the same side of it
        made[WINDOW] = min(window, LEAST_TOKENS // 2) if _slides(step) else max(window, 2 * LEAST_TOKENS)
    config = _layered({**step[MODEL_CONFIG], **made})
    changed: dict[str, Any] = {**step, MODEL_CONFIG: config, TOKENS: tokens}
    if RANK in step:
        changed[RANK] = own["rank"] + (BYTES_RANKS[number] if _in_bytes(step) else number)
    return changed
