# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the settings let tapes come from: stored profiles, torch, the user's own networks or interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from trainlint.catalogue.zoo.file_check import check_named
from trainlint.documents.file_format import is_option_file
from trainlint.errors import UsageError
from trainlint.estimate.tapes.kept_tapes import TAPES
from trainlint.estimate.tapes.stored_profiles import (
    Store,
    leads_out,
    project_folder,
    shipped_store,
    user_folder,
)
from trainlint.estimate.tapes.tape_source import Step, TapeSource, Trace
from trainlint.estimate.tapes.trace_here import NO_TORCH
from trainlint.settings.settings import Settings
from trainlint.settings.settings_file import line_of
from trainlint.shipped.own_cache import is_own
from trainlint.tape import Tape


def tapes_for(
    settings: Settings,
    progress: Callable[[str], None],
    *,
    may_trace: bool,
    most: int | None = TAPES,
    used: Callable[[Tape], object] | None = None,
    beside: Iterable[str] = (),
) -> TapeSource:
    """Return the project's, the user's and the shipped profiles, with torch behind them if it may start.

    `most`: how many of their tapes are kept at a time, None: all that are used. `used` gets every tape that
    is asked for. With --python on the command line a job's network is looked for in its own folder too:
    `beside` are the files that the user named.
    """
    settings = _with_folders(settings, beside)
    if may_trace and (settings.python or settings.networks):
        return TapeSource(
            progress=progress, trace=_own_code(settings), own_code=True, used=used
        )  # code changes: nothing stored is trusted
    cache = Store(user_folder(), "cache")
    own = is_own(cache.folder, settings.root)
    stores = (projects_store(settings), *([cache] if own else []), shipped_store())
    return TapeSource(
        stores,
        save_to=cache if own else None,
        may_trace=may_trace,
        progress=progress,
        most=most,
        used=used,
    )


def _with_folders(settings: Settings, named: Iterable[str]) -> Settings:
    """Return settings that look for networks beside the named jobs, where the command line runs own code."""
    if settings.python is None or "python" not in settings.flags:
        return settings
    folders = dict.fromkeys(Path(path).parent for path in named if is_option_file(path))
    return replace(settings, networks=tuple(dict.fromkeys((*settings.networks, *folders))))


def _own_code(settings: Settings) -> Trace:
    """Return a tracer that runs the user's networks: in the interpreter they named, or in this one."""
    if settings.python is not None:
        from trainlint.estimate.tapes.other_python import OtherPython  # noqa: PLC0415 - seldom asked for

        return OtherPython(settings.python.absolute(), tuple(path.absolute() for path in settings.networks))

    try:
        check_named(settings.networks, settings.schemas)
    except UsageError as error:
        raise UsageError(f"{line_of(settings, 'networks')}{error}") from None

    from trainlint.estimate.tapes.recipe_guard import aside, staying  # noqa: PLC0415 - with --networks alone
    from trainlint.estimate.tapes.torch_import import check_torch  # noqa: PLC0415 - with --networks alone
    from trainlint.estimate.tapes.trains import trained  # noqa: PLC0415 - with --networks alone
    from trainlint.estimate.tapes.untraceable import (  # noqa: PLC0415 - with --networks alone
        check_allowed,
        check_listed,
    )

    def trace_here(step: Step, **options: Any) -> Tape:
        check_allowed(step)
        check_listed(step, settings.networks)
        check_torch(NO_TORCH)
        from trainlint.trace.building.build import networks_from  # noqa: PLC0415 - imports torch
        from trainlint.trace.trace import trace  # noqa: PLC0415 - imports torch

        with aside(), networks_from(settings.networks), staying():
            return trained(trace(step, **options), settings.networks)

    return trace_here


def projects_store(settings: Settings) -> Store:
    """Return where the project keeps its profiles; UsageError where a link in it leads elsewhere."""
    root = settings.root or Path()
    folder = settings.profiles or project_folder(root)
    if "profiles" in settings.flags:
        return Store(folder)
    if settings.profiles is None and leads_out(folder, root):
        raise UsageError(
            f'"{folder}" leads out of the project, to "{folder.resolve()}", and is not followed: keep the '
            f"profiles in the project, or name their folder with --profiles-dir"
        )
    return Store(folder, within=None if leads_out(folder, root) else root)
