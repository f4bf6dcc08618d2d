# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What every test may ask for."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import fork_server, warm_cache
from trainlint.cli.entry import GARBAGE_THRESHOLD

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")  # how long an example takes is no test: a loaded machine failed some


def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect without searches for cycles: of a million objects that all stay, they took 15 % of the time."""
    gc.disable()
    config = session.config
    if config.getoption("numprocesses", None) and not config.option.collectonly:
        warm_cache.begin(Path(config.cache.mkdir("trainlint")))
        config.add_cleanup(warm_cache.start().wait)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Search in what the tests make alone, as seldom as the command does."""
    if hasattr(session.config, "workerinput") and any(map(_runs_the_command, session.items)):
        _load(session.config)
    gc.freeze()
    gc.set_threshold(GARBAGE_THRESHOLD)
    gc.enable()


def _runs_the_command(item: pytest.Item) -> bool:
    return "fork_servers" in getattr(item, "fixturenames", ())


def _load(config: pytest.Config) -> None:
    """Load once what most tests of a worker need: seconds that are no test's own."""
    folder = tempfile.TemporaryDirectory()
    warm_cache.begin(Path(config.cache.mkdir("trainlint")))
    server = fork_server.ForkServer(Path(folder.name), *fork_server.IMPORTED)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(warm_cache.warm(Path(folder.name, "cache"))))
        server.start()
        fork_server.read_what_is_shipped()
    fork_server.STARTED.append(server)
    config.add_cleanup(folder.cleanup)
    config.add_cleanup(server.close)  # the last that is added is the first


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of third-party configs and measurements: not part of the project, tests pass without it."""
    folder = Path(os.environ.get("TRAINLINT_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpus" / "INDEX.csv").is_file():
        pytest.skip("the shared corpus is not here (set TRAINLINT_SHARED)")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the session a user's cache of its own: nothing that was traced before helps."""
    warm_cache.begin(Path(request.config.cache.mkdir("trainlint")))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(warm_cache.warm(tmp_path_factory.mktemp("cache"))))
        yield
