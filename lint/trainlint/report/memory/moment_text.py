# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A moment of the step, an operator and a tensor's life, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.model.units import bytes_text
from trainlint.report.style import printable

if TYPE_CHECKING:
    from trainlint.estimate.explain.breakdown import LiveTensor, Moment
    from trainlint.tape import Op

PHASES = {
    "": "at the start of the step",
    "loss": "in the loss",
    "losses": "in the losses",
    "EMA": "in the update of the averaged weights (EMA)",
    "optimizer step": "in the optimizer's step",
    "validation": "at validation",
}
"""A mark that is in no form below -> words."""

MARK_WORDS = {
    " forward": "in the {}'s forward pass",
    " backward": "in the {}'s backward pass",
    " optimizer": "in the {}'s optimizer step",
    " step": "in the {}'s step",
}
"""How a mark ends -> words around what comes before."""

OPERATORS = {
    "matmul": "matrix product",
    "attention": "attention",
    "norm": "normalisation",
    "softmax": "softmax",
    "reduction": "sum or mean",
    "copy": "copy",
    "sampling": "resampling or pooling",
    "elementwise": "elementwise operation",
}
"""Op.kind -> words, where it is no convolution."""

BACKWARD_KINDS = ("attention", "norm", "softmax", "sampling")
"""Kinds of operators that have one of their own in the backward pass."""

CONVOLUTION_WORDS = {"conv": "", "conv-grouped": "grouped ", "conv-depthwise": "depthwise "}
GRADIENTS = {"backward-data": "gradient of a {}'s input", "backward-weight": "gradient of a {}'s weight"}
SETUP = "setup"


def phase_words(phase: str) -> str:
    """Say where in the step a phase is ("in the generator's backward pass")."""
    if phase in PHASES or phase.startswith("step "):
        return PHASES[phase if phase in PHASES else ""]
    for ending, words in MARK_WORDS.items():
        if phase.endswith(ending):
            return words.format(printable(phase.removesuffix(ending)))
    return f"in {printable(phase)}"


def moment_words(moment: Moment) -> str:
    """Say when, in which module and in what operator something happens."""
    words = [phase_words(moment.phase)]
    if moment.backward and not moment.phase.endswith(" backward"):
        words.append("in a backward pass")
    op = f" ({operator_words(moment.op, backward=moment.backward)})" if moment.op else ""
    if moment.module or op:
        words.append(f"{'at ' if moment.module else ''}{owner_words(moment.module)}{op}")
    return ", ".join(words)


def owner_words(owner: str) -> str:
    """Name a module ("generator:body.0"), or what runs outside of modules."""
    if not owner:
        return "outside of any network"
    return printable(owner) if not owner.endswith(":") else f"the {printable(owner[:-1])} itself"


def operator_words(op: Op, *, backward: bool = False) -> str:
    """Name an operator; a convolution with its kernel, and what its backward makes."""
    if op.kind not in CONVOLUTION_WORDS:
        name = OPERATORS.get(op.kind, op.kind)
        return f"backward of {name}" if backward and op.kind in BACKWARD_KINDS else name
    direction, *words = op.key.split()
    kernel = next((word[1:] for word in words if word.startswith("k")), "")
    turned = "transposed " if "transposed" in words else ""
    name = f"{CONVOLUTION_WORDS[op.kind]}{turned}{kernel} convolution"
    return GRADIENTS.get(direction, "{}").format(name)


def tensor_words(tensor: LiveTensor) -> str:
    """Say what made a tensor, its shape and type, and how long it lives."""
    return "; ".join(part for part in (_what(tensor), _life(tensor)) if part)


def _what(tensor: LiveTensor) -> str:
    """Say what made a tensor, and its shape or at least what a sample takes of it."""
    if tensor.op is None or tensor.made.before:
        return f"{bytes_text(tensor.per_sample)} per sample" if tensor.per_sample else ""
    shape = " x ".join(map(str, tensor.shape))
    words = [operator_words(tensor.op, backward=tensor.backward), f"{shape} {tensor.op.dtype}".strip()]
    if tensor.per_sample and not shape:
        words.append(f"{bytes_text(tensor.per_sample)} per sample")
    return ", ".join(words)


def _life(tensor: LiveTensor) -> str:
    """Say when a tensor is made and freed."""
    made, freed = tensor.made, tensor.freed
    if freed is None:
        kept = "for the whole run" if made.before else "after the step"
        return f"{_made(made, for_good=True)}, kept {kept}"
    if not made.before and made.phase == freed.phase:
        return f"made and freed {phase_words(made.phase)}"
    end = phase_words(freed.phase)
    network = _network(freed.phase)
    if network and network == _network(made.phase):
        end = end.replace(f"the {network}'s", "its")
    return f"{_made(made)}, freed {end}"


def _network(phase: str) -> str:
    """Return the network that a phase is of."""
    ending = next((ending for ending in MARK_WORDS if phase.endswith(ending)), None)
    return phase.removesuffix(ending) if ending else ""


def _made(made: Moment, *, for_good: bool = False) -> str:
    if made.before and made.phase in (SETUP, ""):  # a validation's workload begins without a phase
        return "made before the first step" if made.phase else "made in training"
    if made.before:
        return "made in the first step" if for_good else f"made {phase_words(made.phase)} of the step before"
    return f"made {phase_words(made.phase)}"
