# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The names among which a registry looks."""

from __future__ import annotations

from trainlint.repository.choices.class_texts import registered_names
from trainlint.repository.trainer.mentioned_words import Words

ENTERED = """\
@ARCH_REGISTRY.register()
class OwnNet(nn.Module):
    pass


@ARCH_REGISTRY.register(suffix="x")
@torch.no_grad()
def make(opt):
    pass


class Resets(nn.Module):
    pass


@LOSS_REGISTRY.register()
class OwnLoss(nn.Module):
    pass
"""


def names(text: str, registry: str = "ARCH_REGISTRY") -> set[str]:
    words = Words([text, "class Other:\n    pass\n"], ["basicsr/archs/own_arch.py", "basicsr/other.py"])
    return registered_names(words, registry, "basicsr/archs")


def test_what_enters_a_registry_is_looked_up_alone() -> None:
    assert names(ENTERED) == {"OwnNet", "make"}
    assert names(ENTERED, "LOSS_REGISTRY") == {"OwnLoss"}


def test_without_a_registry_the_classes_of_its_folder_are() -> None:
    assert names("class OwnNet:\n    pass\n") == {"OwnNet"}
