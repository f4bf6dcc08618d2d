# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which timm decided a job's figures, and what is said where its files ask for another."""

from __future__ import annotations

from types import SimpleNamespace as Struct

import pytest

from trainlint.errors import CannotTraceError
from trainlint.estimate import library_version as module
from trainlint.estimate.estimate import Estimating
from trainlint.estimate.library_version import (
    Torches,
    held,
    kept_by_old_torch,
    refused_by_another,
    torches,
    two_roots,
    unfused,
    without_kernels,
    written_out,
)
from trainlint.model.facts import Library, Memory, Uncounted
from trainlint.model.spec import TrainSpec, Value
from trainlint.repository.environment.requirement import Requirement
from trainlint.repository.trainer.library_pins import Pin

SIZED = TrainSpec({"crop.lq": Value(224)})
OPEN = TrainSpec({})


def memory(version="1.0.31", source="traced"):
    return Memory((), {}, 0, "train", library=Library("timm", version), source=source)


def pin(clauses, place="requirements.txt"):
    return Pin(place, Requirement("timm", clauses))


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    monkeypatch.setattr(module, "version", {"timm": "1.0.31"}.get)


@pytest.mark.parametrize(
    ("clauses", "old"),
    [
        ("==0.4.12", True), ("==0.3.2", True), (">=0.4,<0.7", True), ("~=0.6.5", True), ("==0.9.2", False),
        (">=0.4.12", False), ("==1.0.9", False), ("==1.1.0", False), ("<0.9", True), ("==1.7.0", False),
    ],
)  # fmt: skip
def test_a_timm_before_fused_attention_is_a_term_that_can_add(clauses, old):
    attends = Struct(ops=(Struct(kind="matmul"), Struct(kind="attention")))
    term = unfused((pin(clauses),), attends)
    assert (term is not None) is old
    if term is not None:
        assert term.direction == "more"
        assert "requirements.txt" in term.what
    assert unfused((pin(clauses),), Struct(ops=(Struct(kind="conv"),))) is None


@pytest.mark.parametrize(
    ("clauses", "optimizer", "there"),
    [
        ("==2.0.0", "AdamW", True), ("~=2.0.1", "Adam", True), ("==2.1.2", "AdamW", False),
        ("==1.13.1", "AdamW", False), (">=2.0", "AdamW", False), ("<2.1", "AdamW", True),
        ("==2.0.1", "AdamW8bit", False),
    ],
)  # fmt: skip
def test_an_update_by_adam_of_torch_2_0_holds_two_roots(clauses, optimizer, there):
    """diffusers 3613: out of memory on 24 GB with torch 2.0, and not with 1.13."""
    tape = Struct(step={"optimizers": [{"type": optimizer}]})
    term = two_roots((Pin("here", Requirement("torch", clauses)),), tape)
    assert (term is not None) is there
    assert term is None or term.direction == "more"


def test_attention_of_a_torch_without_fused_kernels_is_a_term():
    """diffusers 10994: at 78.2 GiB of tensors 108 MiB more, the mask of 2 x 24 heads of 1536 x 1536."""
    attends = Struct(ops=(Struct(kind="attention"),))
    assert without_kernels("math", attends).direction == "more"
    assert without_kernels("math", Struct(ops=(Struct(kind="conv"),))) is None
    assert without_kernels(None, attends) is None


def test_a_timm_before_fused_attention_writes_it_out():
    old = written_out(TrainSpec({"options": Value({"mixup": True})}), (pin("==0.4.12"),))
    assert old["options"] == {"mixup": True, "fused_attention": False}
    assert written_out(OPEN, (pin("==1.0.9"),)) is None
    assert written_out(OPEN, ()) is None
    another = TrainSpec({"recipe": Value("diffusers.Denoiser")})
    assert written_out(another, (Pin("here", Requirement("torch", "==1.13.1")),)) is None


@pytest.mark.parametrize(
    ("precision", "clauses", "softmaxes", "there"),
    [
        ("fp16", "==0.4.12", 24, True), ("bf16", "<0.9", 24, True), ("fp32", "==0.4.12", 24, True),
        ("fp16", "==1.0.9", 24, False), ("fp16", "==0.4.12", 4, False),
    ],
)  # fmt: skip
def test_what_an_old_torch_keeps_is_a_term_of_networks_that_attend_where_timm_is_old(
    precision, clauses, softmaxes, there
):
    spec = TrainSpec({"precision": Value(precision)})
    term = kept_by_old_torch(spec, (pin(clauses),), softmax_of(softmaxes))
    assert (term is not None) is there
    assert term is None or term.direction == "more"


def softmax_of(count):
    return Struct(ops=(Struct(kind="softmax"),) * count)


@pytest.mark.parametrize(
    ("timm", "torch", "image", "kept", "told"),
    [
        ("==0.3.2", "==1.7.1", None, "1.9", False), ("==0.3.2", ">=1.6,<1.8", None, "1.9", False),
        ("==0.3.2", ">=1.7,<1.10", None, "1.9", False), ("==0.3.2", "==1.10.0", None, "1.10", False),
        ("==0.3.2", ">=1.7,<1.12", None, None, True), ("==0.3.2", "==1.12.1", None, None, False),
        ("==0.3.2", ">=1.7", None, None, True), ("==0.3.2", "==2.0.1", None, None, False),
        ("==0.3.2", None, None, None, True), ("==0.3.2", None, "1.7.0", "1.9", False),
        ("==0.3.2", "==1.7.1", "2.6.0", None, False), ("==0.9.2", "==1.8.1", None, "1.9", False),
        (None, "==1.10.2", None, "1.10", False), ("==0.9.2", "<2", None, None, True),
        ("==0.9.2", "==1.13.1", None, None, False),
    ],
)  # fmt: skip
def test_what_an_old_torch_keeps_is_traced_where_it_is_sure_and_no_term_where_it_is_not_kept(
    timm, torch, image, kept, told
):
    """A target that names the torch of its image goes before what is written next to a job."""
    pins = (
        *([pin(timm)] if timm else []), *([Pin("here", Requirement("torch", torch))] if torch else []),
    )  # fmt: skip
    half = TrainSpec({"precision": Value("fp16")})
    old = written_out(half, pins, image)
    assert old["options"] == {"fused_attention": False, **({"old_torch": kept} if kept else {})}
    assert (kept_by_old_torch(old, pins, softmax_of(24), image) is not None) is told
    as_today = kept_by_old_torch(half, pins, softmax_of(24), image)
    assert (as_today is not None) is (told or kept is not None)  # could not be traced
    again = TrainSpec({**half.fields, "checkpointing": Value(True)})
    assert "old_torch" not in written_out(again, pins, image)["options"]
    assert held(memory("0.3.2" if timm == "==0.3.2" else "0.9.2"), pins, SIZED).library.agrees in (True, None)


@pytest.mark.parametrize(
    ("recipe", "image", "old"),
    [("timm.train", "1.12.1", True), ("timm.train", "2.1.0", False), ("basicsr.SRModel", "1.12.1", False)],
)
def test_a_targets_torch_1_has_no_fused_attention(recipe, image, old):
    """Another trainer's step is not drawn anew: what its tape has fused is a term."""
    spec = TrainSpec({"recipe": Value(recipe)})
    assert (written_out(spec, (), image) is not None) is old
    attends = Struct(ops=(Struct(kind="attention"),))
    assert (unfused((), attends, image) is not None) is image.startswith("1.")
    assert unfused((), attends) is None


@pytest.mark.parametrize(
    ("torch", "generation", "first"),
    [
        ("1.5.1", None, False), ("1.6.0", "1.9", True), ("1.9.1", "1.9", True), ("1.10.2", "1.10", True),
        ("1.11.0", "", True), ("1.13.1", "", True), ("2.0.0", "", False), ("2.13.0", "", False),
    ],
)  # fmt: skip
def test_each_release_of_torch_is_of_the_generation_that_was_read(torch, generation, first):
    known = Torches(generation, first, torch.startswith("2.0."))
    assert torches((), torch) == known
    assert torches((Pin("here", Requirement("pytorch", f"=={torch}")),), None) == known
    assert torches((), None) == Torches(None, False)


def test_without_a_pin_the_installed_one_decides():
    assert held(memory(), (), OPEN).library == Library("timm", "1.0.31")


def test_a_pin_that_is_followed_is_said():
    found = held(memory(), (pin("==1.0.31"),), OPEN).library
    assert found == Library("timm", "1.0.31", "requirements.txt pins timm 1.0.31", agrees=True)


def test_another_pin_leaves_an_unwritten_size_unjudged():
    with pytest.raises(CannotTraceError) as caught:
        held(memory(), (pin("==1.0.31", "line 2"), pin("==1.0.9")), OPEN)
    assert caught.value.reason == (
        "requirements.txt pins timm 1.0.9; 1.0.31 is installed, and the default size may differ: "
        "install that, or pass --img-size"
    )


def test_another_pin_is_a_note_where_the_size_is_written():
    found = held(memory(), (pin("==1.0.9"),), SIZED).library
    assert found == Library("timm", "1.0.31", "requirements.txt pins timm 1.0.9", agrees=False)


def test_a_stored_profile_of_another_timm_is_treated_alike():
    stored = memory("1.0.9", "project")
    with pytest.raises(CannotTraceError) as caught:
        held(stored, (), OPEN)
    assert caught.value.reason == (
        "timm 1.0.31 is installed; 1.0.9 made the stored profile, and the default size may differ: "
        "run trainlint trace, or pass --img-size"
    )
    assert held(stored, (), SIZED).library.agrees is False
    assert held(stored, (pin("==1.0.9"),), OPEN).library.agrees is True
    with pytest.raises(CannotTraceError, match=r"asks for timm>=1\.0\.20; 1\.0\.9 made the stored profile"):
        held(stored, (pin(">=1.0.20"),), OPEN)


def test_without_timm_the_profiles_decides(monkeypatch):
    monkeypatch.setattr(module, "version", {}.get)
    assert held(memory("1.0.9", "shipped"), (), OPEN).library == Library("timm", "1.0.9")


def test_what_another_version_refuses_is_not_held_against_a_job():
    assert refused_by_another((), "timm") is None
    assert refused_by_another((pin("==1.0.31"),), "timm") is None
    assert refused_by_another((pin("==1.0.9"),), "timm") == (
        "requirements.txt pins timm 1.0.9; 1.0.31 is installed, and refuses this"
    )


class Working(Estimating):
    """A job whose step is drawn by its options; `looked` says whether the old attention can be traced."""

    def step(self):
        if "options" in self.spec.fields and not self.looked["traced"]:
            self.missing["networks"] = "cannot be traced"
            return {}, None
        self.terms.append(Uncounted("of this step", "more"))
        return {}, Struct(ops=(Struct(kind="attention"),))


@pytest.mark.parametrize(
    ("clauses", "traced", "old"),
    [("==0.4.12", True, True), ("==0.4.12", False, False), ("==1.0.9", True, False)],
)
def test_the_step_is_the_pinned_timms_where_it_can_be_traced(clauses, traced, old):
    target = Struct(torch=None)
    asked = Working(OPEN, target, None, None, False, (pin(clauses),), looked={"traced": traced})
    found = asked.as_pinned()
    assert ("options" in found.spec.fields) is old
    assert (found is asked) is not old
    assert not any((asked.missing, asked.terms, found.missing, found.terms))
