# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tapes written by hand and at random, for the tests of what reads them."""

from __future__ import annotations

from hypothesis import strategies as st

from trainlint.tape import Block, Event, File, Network, Op, Size, Tape
from trainlint.tape.step import key_of

MIB = 2**20

ARCH, PARAMETERS = "RRDBNet", 10_485_760
"""What the parameters' storages hold, and the network that steps of the tests name."""


class Writer:
    """Writes a tape event by event, as a recorder would."""

    def __init__(self):
        self.blocks, self.ops, self.marks, self.events = [], [], [], []

    def alloc(
        self, const, batch=0, *, kind="activations", owner="generator:", total=0, pool=0, device=0, stream=0
    ):
        self.blocks.append(Block(Size(const, batch, total, pool), kind, owner, device, stream))
        self.events.append((int(Event.ALLOC), len(self.blocks) - 1))
        return len(self.blocks) - 1

    def free(self, *indices):
        for index in indices:
            self.events.append((int(Event.FREE), index))

    def op(self, kind, read=0, written=0, key="", *, device=0, const=0, dtype="float32"):
        op = Op(kind, Size(0), Size(0, read), Size(const, written), key, device, dtype)
        if op not in self.ops:
            self.ops.append(op)
        self.events.append((int(Event.OP), self.ops.index(op)))

    def mark(self, name):
        if name not in self.marks:
            self.marks.append(name)
        self.events.append((int(Event.MARK), self.marks.index(name)))

    def tape(self, **more):
        step = more.get("step", {"recipe": "test"})
        return Tape(
            **{
                "key": key_of(step),
                "step": step,
                "blocks": tuple(self.blocks),
                "ops": tuple(self.ops),
                "marks": tuple(self.marks),
                "events": tuple(self.events),
                "networks": (Network("generator", ARCH, PARAMETERS, PARAMETERS),),
                "files": (File("net.pth", 123),),
                "made_with": {"trainlint": "0", "torch": "0"},
            }
            | more
        )


def key_for(direction, kernel=3, inputs=64, sides="24x24"):
    """Return a convolution's key, as trace/recording/operator_cost.py writes it."""
    return f"{direction} k{kernel}x{kernel} 64o {inputs}x{sides} s1 p{kernel // 2} d1 g1"


def two_steps(parameters=40 * MIB, activation=8 * MIB, layers=4, device=0, writer=None):
    """Return a writer with two steps of a plain network: forward keeps, backward frees, state stays."""
    w = writer or Writer()
    where = {"device": device}
    w.mark("setup")
    w.alloc(parameters, kind="parameters", **where)
    state = gradient = None
    for number in (1, 2):
        w.mark(f"step {number}")
        batch = w.alloc(0, MIB, kind="inputs", owner="", **where)
        if gradient is not None:
            w.free(gradient)
        w.mark("generator forward")
        kept = []
        for layer in range(layers):
            kept.append(w.alloc(0, activation, owner=f"generator:{layer % 20}", **where))
            w.op("conv", activation, activation, f"forward k3x3 {layer % 20}", device=device)
        w.mark("generator backward")
        gradient = w.alloc(parameters, kind="gradients", **where)
        for layer, block in reversed(list(enumerate(kept))):
            temporary = w.alloc(0, activation, owner=f"generator:{layer % 20}", **where)
            w.op("conv", activation, activation, f"backward-data k3x3 {layer % 20}", device=device)
            w.free(block, temporary)
        w.mark("generator optimizer")
        if state is None:
            state = w.alloc(2 * parameters, kind="optimizer", **where)
        temporary = w.alloc(parameters, kind="optimizer", **where)
        w.free(temporary, batch)
    return w


def stored(writer):
    """Return the writer with whole keys of convolutions, as a profile must have them: of what they write."""
    keys = [
        key_for(op.key.split()[0], inputs=1 + number, sides=f"1x{op.written.batch // (64 * 4)}")
        for number, op in enumerate(writer.ops)
    ]
    writer.ops = [op._replace(key=key) for op, key in zip(writer.ops, keys, strict=True)]
    return writer


KEYS = (key_for("forward"), key_for("backward-data"), key_for("forward", 1))


@st.composite
def tapes(draw):
    """Return any well-formed tape: every block is born once and dies at most once."""
    w = Writer()
    live = []
    sizes = st.integers(0, 40 * MIB)
    w.mark("setup")
    w.alloc(512, kind="parameters")
    for step in (1, 2):
        w.mark(f"step {step}")
        for _ in range(draw(st.integers(0, 25))):
            action = draw(st.sampled_from("aaffom"))
            if action == "a":
                live.append(
                    w.alloc(
                        draw(sizes),
                        draw(st.sampled_from([0, 0, 512, 3 * MIB])),
                        kind=draw(st.sampled_from(["activations", "gradients", "inputs"])),
                        owner=draw(st.sampled_from(["generator:a", "discriminator:b", ""])),
                        pool=draw(st.sampled_from([0, 0, 4096])),
                        device=draw(st.integers(0, 1)),
                        stream=draw(st.sampled_from([0, 0, 1])),
                    )
                )
            elif action == "f" and live:
                w.free(live.pop(draw(st.integers(0, len(live) - 1))))
            elif action == "o":
                kind = draw(st.sampled_from(["conv", "conv-grouped", "matmul", "elementwise"]))
                key = draw(st.sampled_from(KEYS))
                w.op(kind, draw(sizes), draw(sizes), key if kind.startswith("conv") else "")
            else:
                w.mark(draw(st.sampled_from(["generator forward", "generator backward"])))
    return w.tape(devices=2, batches=draw(st.sampled_from([(), (1,)])), notes=("a note",))
