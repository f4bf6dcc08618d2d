# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What networks, recipes and formats of other packages import; docs/your-own.md has an example of each.

These names stay where modules move. Each is imported when somebody asks for it: a network's file runs where
nothing but torch is installed, and a format where there is no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from trainlint.catalogue.signature import Positive
    from trainlint.errors import CannotTraceError
    from trainlint.model.finding import Finding, Level, Outcome
    from trainlint.model.result import Report, Result
    from trainlint.report.format import Format, ReportStream
    from trainlint.report.style import Style
    from trainlint.trace.building.build import network
    from trainlint.trace.building.refusal import fitting
    from trainlint.trace.building.torch_imports import library
    from trainlint.trace.stage import Stage

__all__ = [
    "CannotTraceError",
    "Finding",
    "Format",
    "Level",
    "Outcome",
    "Positive",
    "Report",
    "ReportStream",
    "Result",
    "Stage",
    "Style",
    "fitting",
    "library",
    "network",
]

HOMES: Final = {
    "CannotTraceError": "errors",
    "Finding": "model.finding",
    "Format": "report.format",
    "Level": "model.finding",
    "Outcome": "model.finding",
    "Positive": "catalogue.signature",
    "Report": "model.result",
    "ReportStream": "report.format",
    "Result": "model.result",
    "Stage": "trace.stage",
    "Style": "report.style",
    "fitting": "trace.building.refusal",
    "library": "trace.building.torch_imports",
    "network": "trace.building.build",
}
"""Name -> the module that has it."""


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(HOMES)}")
    return getattr(import_module(f"trainlint.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    """List what there is to import."""
    return sorted(HOMES)
