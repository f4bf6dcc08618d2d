"""Documents from text, by a reader of a few lines: these tests are about normalising, not reading."""

from __future__ import annotations

import pytest
import yaml

from trainlint.normalise import load_dialects
from trainlint.read.document import Document, Duplicate, Place, Source, Span


class Loader(yaml.SafeLoader):
    """Safe, with the tuples that BasicSR's forks write."""


def _tuple(loader: yaml.SafeLoader, node: yaml.Node) -> tuple:
    return tuple(loader.construct_sequence(node, deep=True))


Loader.add_constructor("tag:yaml.org,2002:python/tuple", _tuple)


class Reader:
    """Values and places of one YAML document."""

    def __init__(self, text: str) -> None:
        self.places: dict = {}
        self.duplicates: list[Duplicate] = []
        loader = Loader(text)
        node = loader.get_single_node()
        self.value = loader.construct_document(node)
        self._walk(node, (), None)

    def _walk(self, node: yaml.Node, path: tuple, key: Span | None) -> None:
        self.places[path] = Place(Span(node.start_mark.index, node.end_mark.index), key)
        if isinstance(node, yaml.MappingNode):
            seen: dict = {}
            for name, item in node.value:
                span = Span(name.start_mark.index, name.end_mark.index)
                inner = (*path, Loader("").construct_object(name))
                if inner in seen:
                    self.duplicates.append(Duplicate(inner, seen[inner], span))
                seen[inner] = span
                self._walk(item, inner, span)
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self._walk(item, (*path, index), None)


def document(text: str, path: str = "options/train.yml", form: str = "yaml") -> Document:
    """Read one document."""
    read = Reader(text)
    source = Source(path, text)
    return Document(source, read.value, read.places, form, duplicates=tuple(read.duplicates))


def from_value(value: object, path: str = "options/train.yml") -> Document:
    """Make a document of a value that no text was written for: every place is empty."""
    places: dict = {}

    def walk(item: object, at: tuple) -> None:
        places[at] = Place(Span(0, 0), Span(0, 0))
        pairs = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list | tuple) else ()
        for key, inner in pairs:
            walk(inner, (*at, key))

    walk(value, ())
    return Document(Source(path, ""), value, places, "yaml")


@pytest.fixture(scope="session")
def dialects():
    return load_dialects()


@pytest.fixture(scope="session")
def basicsr(dialects):
    return next(dialect for dialect in dialects if dialect.id == "basicsr")
