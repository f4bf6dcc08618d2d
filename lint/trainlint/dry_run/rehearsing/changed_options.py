# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An option file that a run has in the place of the user's own, which stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from trainlint.dry_run.enclosure.enclosure import Enclosure
from trainlint.dry_run.enclosure.instructions import OVERLAY
from trainlint.errors import CannotTraceError


class ChangedOptions(Struct, frozen=True):
    """Where the option file lies, and what the program reads there."""

    path: Path
    text: str

    def preparing(self, before: Callable[[Enclosure], None]) -> Callable[[Enclosure], None]:
        """Return what lays it out, after what else is laid out."""

        def lay(around: Enclosure) -> None:
            before(around)
            if around.kind == OVERLAY:
                made = around.private / "made" / f"options{self.path.suffix}"
                made.parent.mkdir(exist_ok=True)
                around.lay(made, self.path)
            else:
                made = around.inside(self.path)
                if not made.resolve().is_relative_to(around.private.resolve()):
                    raise CannotTraceError(f"{self.path.name} lies outside of the project")
                made.unlink()  # a link to the user's own where the file is large
            made.write_text(self.text, encoding="utf-8")

        return lay
