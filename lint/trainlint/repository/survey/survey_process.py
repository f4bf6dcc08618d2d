# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The process that reads a repository: questions on its standard input, answers on its output, JSON lines."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Collection
from typing import Any, Final

from trainlint.repository.survey.alterations import altered
from trainlint.repository.survey.annotated_classes import declares, options_of
from trainlint.repository.survey.argparse_parsers import parser_of
from trainlint.repository.survey.class_graph import Graph, built, definitions
from trainlint.repository.survey.python_files import Files, TooMuchError
from trainlint.repository.survey.replaced_definitions import patched

CPU_S: Final = 120
"""Seconds of CPU time for a question, after which the process is ended. The counts end it long before that on
every machine alike: what is built to be slow takes 1 to 3 s."""
MEMORY: Final = 1 << 30
"""Bytes of address space: syntax trees take about 100 bytes for each byte of their text."""


class SurveyReader:
    """One repository's reader; what it has parsed serves the next question as well."""

    def __init__(self, root: str, stop: Collection[str] = (), package: str = "") -> None:
        self.files = Files(root, package)
        self.graph = Graph(self.files, stop)

    def answer(self, names: Collection[str]) -> dict[str, Any]:
        """Return {"places": name -> ids, "nodes": id -> node, "patches", "altered"} or {"error": why}."""
        return self.reply(list(names))

    def _definitions(self, names: Collection[str]) -> dict[str, Any]:
        refs_by_name = definitions(self.graph, names)
        places = {name: [self.graph.follow(ref) for ref in refs] for name, refs in refs_by_name.items()}
        twice = {name for name, keys in places.items() if len(keys) > 1}
        for key in built(self.graph, twice) & {key for name in twice for key in places[name]}:
            self.graph.nodes[key]["built"] = True
        nodes = self.graph.behind(key for keys in places.values() for key in keys)
        own = {node["name"] for node in nodes.values() if node["kind"] in ("class", "function")}
        patches = dict(patched(self.graph.scopes, own, self.graph.stop))
        return {"places": places, "nodes": nodes, "patches": patches, "altered": altered(self.graph.scopes)}

    def reply(self, question: Any) -> dict[str, Any]:
        """Answer a question: a list of names, {"parser" or "options": a path} or {"declares": a key}."""
        self.files.begin()
        try:
            if isinstance(question, list):
                return self._definitions(question)
            if "parser" in question:
                return {"parser": parser_of(self.files, question["parser"])}
            if "declares" in question:
                return {"declares": declares(self.files, question["declares"])}
            return {"options": options_of(self.files, question["options"])}
        except TooMuchError as error:
            return error.answer
        except (MemoryError, RecursionError):
            return {"error": "it is nested too deep, or too long"}


def allow(seconds: int) -> None:
    """Limit this process to so many more seconds of CPU time, its memory and files, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on Windows

        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + seconds
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))


def main() -> None:
    """Answer questions about one repository; the first line has its root, what to pass over, its package."""
    root, stop, package = json.loads(sys.stdin.readline())
    reader = None
    for line in sys.stdin:
        allow(CPU_S)
        reader = reader or SurveyReader(root, stop, package)
        sys.stdout.write(json.dumps(reader.reply(json.loads(line))) + "\n")
        sys.stdout.flush()
