# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From PyYAML's nodes to plain values and their places, resolved exactly as FullLoader does."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NoReturn

import yaml

from trainlint.config.place_map import NO_KEY, Offsets, Places
from trainlint.config.yaml_loader import KEPT_SCALARS
from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import NUMBER_CHARACTERS, Budget
from trainlint.model.document import Duplicate, Path, Source, Span

_YAML = "tag:yaml.org,2002:"
_PLAIN = yaml.constructor.FullConstructor()  # its scalar constructors keep no state
_SCALARS = {
    _YAML + name: yaml.constructor.FullConstructor.yaml_constructors[_YAML + name]
    for name in (
        *(
            "null",
            "bool",
            "int",
            "float",
            "binary",
            "timestamp",
            "str",
            "python/none",
            "python/bool",
            "python/str",
        ),
        *("python/unicode", "python/bytes", "python/int", "python/long", "python/float", "python/complex"),
    )
}
_STR, _SEQ, _MAP = _YAML + "str", _YAML + "seq", _YAML + "map"
_TUPLE, _SET, _MERGE, _VALUE = _YAML + "python/tuple", _YAML + "set", _YAML + "merge", _YAML + "value"
_PAIRS = (_YAML + "omap", _YAML + "pairs")
_SEQUENCES = {_SEQ, _TUPLE, _YAML + "python/list", *_PAIRS}
_MAPPINGS = {_MAP, _SET, _YAML + "python/dict"}
_ALIAS = later(r"(?:[\s,:\[{?-]|#[^\n]*+)*+(\*[^\s,\[\]{}]+)")

_USUAL = {_YAML + name for name in ("null", "bool", "int", "float")}
_SCALAR_NODE, _MAPPING_NODE = (
    yaml.ScalarNode,
    yaml.MappingNode,
)  # asked for every node


@lru_cache(maxsize=KEPT_SCALARS)
def _constructed(tag: str, text: str) -> Any:
    """Return what a usual scalar is: an edit's text has those of its file, and files have many in common."""
    return _SCALARS[tag](_PLAIN, yaml.ScalarNode(tag, text))


Pair = tuple[Any, Any, yaml.Node, "Offsets | None"]
"""A key, its node, the value's node; the place to use for all of it where an alias merged it in."""

Item = tuple[Any, int]
"""What was read: the value, and where it ends without trailing blanks and comments."""


def _span(node: yaml.Node) -> Span:
    return Span(node.start_mark.index, node.end_mark.index)


class Walk:
    """One document's walk: values come back, places and duplicate keys are collected."""

    def __init__(self, source: Source, budget: Budget) -> None:
        self.duplicates: list[Duplicate] = []
        self._source = source
        self._offsets: dict[Path, Offsets] = {}
        self._built: dict[int, Any] = {}
        self._open: set[int] = set()
        self._budget = budget

    def places(self) -> Places:
        """Return the places collected so far."""
        return Places(self._offsets)

    def root(self, node: yaml.Node) -> Any:
        """Construct a document's root node."""
        return self._node(node, (), NO_KEY, NO_KEY)[0]

    def _node(self, node: yaml.Node, path: Path, key_start: int, key_end: int) -> Item:
        """Construct a node that lies where it is used, and record its place."""
        if isinstance(node, _SCALAR_NODE):
            item = self._scalar(node), node.end_mark.index
        elif isinstance(node, yaml.CollectionNode):
            if id(node) in self._open:
                self._fail(node, "an alias is inside its own anchor")
            self._open.add(id(node))
            item = self._mapping(node, path) if isinstance(node, _MAPPING_NODE) else self._list(node, path)
            self._open.discard(id(node))
            self._built[id(node)] = item[0]
        self._offsets[path] = (node.start_mark.index, item[1], key_start, key_end)
        return item

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        tag = node.tag
        if tag == _STR:
            return node.value
        construct = _SCALARS.get(tag)
        if construct is None:
            self._refuse(node)
        if len(node.value) > NUMBER_CHARACTERS and tag != _YAML + "binary":
            self._fail(node, f"a number of more than {NUMBER_CHARACTERS:,} characters")
        try:
            return _constructed(tag, node.value) if tag in _USUAL else construct(_PLAIN, node)
        except (ValueError, LookupError, AttributeError, yaml.constructor.ConstructorError) as error:
            kind = tag.rpartition(":")[2]
            raise self._error(
                node, f'"{node.value[:40]}" is not a value that the tag "!!{kind}" can read'
            ) from error

    def _list(self, node: yaml.CollectionNode, path: Path) -> Item:
        if node.tag not in _SEQUENCES:
            self._refuse(node)
        values, end = [], node.start_mark.index
        for index, child in enumerate(node.value):
            value, end = self._child(child, (*path, index), end, NO_KEY, NO_KEY)
            values.append(value)
        if node.flow_style or not values:
            end = node.end_mark.index
        if node.tag in _PAIRS:
            return self._pairs_of(node, values, path), end
        return (tuple(values) if node.tag == _TUPLE else values), end

    def _pairs_of(self, node: yaml.Node, values: list[Any], path: Path) -> list[Any]:
        if not all(isinstance(value, dict) and len(value) == 1 for value in values):
            self._fail(node, "expected a list of single-pair mappings")
        pairs = [next(iter(value.items())) for value in values]
        start, end = node.start_mark.index, node.end_mark.index
        self._fill(path, pairs, (start, end, NO_KEY, NO_KEY))
        return pairs

    def _mapping(self, node: yaml.MappingNode, path: Path) -> Item:
        if node.tag not in _MAPPINGS:
            self._refuse(node)
        pairs = self._flatten(node, path)
        last = {key: index for index, (key, *_) in enumerate(pairs)}
        out: dict[Any, Any] = {}
        end = node.start_mark.index
        for index, (key, key_node, child, merged) in enumerate(pairs):
            if last[key] != index:
                self._aside(child)  # PyYAML constructs it too, and refuses what it refuses
                continue
            start, after = key_node.start_mark.index, key_node.end_mark.index
            if merged is None:
                out[key], stop = self._child(child, (*path, key), after, start, after)
            else:
                out[key], stop = self._alias_value(child), merged[1]
                self._fill((*path, key), out[key], merged)
            end = max(end, stop)
        if node.flow_style or not pairs:
            end = node.end_mark.index
        return (set(out) if node.tag == _SET else out), end

    def _child(self, node: yaml.Node, path: Path, after: int, key_start: int, key_end: int) -> Item:
        """Construct a child; one that starts before `after` is an alias: its place is where it is used."""
        if node.start_mark.index >= after:
            return self._node(node, path, key_start, key_end)
        alias = self._alias_span(after, key_start, key_end)
        value = self._alias_value(node)
        self._fill(path, value, alias)
        return value, alias[1]

    def _alias_span(self, after: int, key_start: int, key_end: int) -> Offsets:
        match = _ALIAS.match(self._source.text, after)
        start, end = match.span(1) if match else (after, after)
        return (start, end, key_start, key_end)

    def _alias_value(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._open:
            self._fail(node, "an alias is inside its own anchor")
        if id(node) not in self._built:
            self._built[id(node)] = self._aside(node)
        return self._built[id(node)]

    def _aside(self, node: yaml.Node) -> Any:
        """Construct a node whose place is somewhere else (an anchor in a key, a merged mapping)."""
        walk = Walk(self._source, self._budget)
        walk._open, walk._built = self._open, self._built
        value = walk.root(node)
        self._budget.spend(len(walk._offsets))  # an alias may be constructed again and again
        return value

    def _fill(self, path: Path, value: Any, place: Offsets) -> None:
        """Give a value and all below it one place; bounds what aliases may expand to."""
        todo: list[tuple[Path, Any]] = [(path, value)]
        while todo:
            parent, what = todo.pop()
            self._budget.spend(1)
            self._offsets[parent] = place
            children: Iterable[tuple[Any, Any]] = ()
            if isinstance(what, dict):
                children = what.items()
            elif isinstance(what, list | tuple):
                children = enumerate(what)
            todo.extend(((*parent, key), child) for key, child in children)

    def _flatten(self, node: yaml.MappingNode, path: Path | None) -> list[Pair]:
        """Return a mapping's pairs, merged ones first so that its own win; with a path, note duplicates."""
        merged: list[Pair] = []
        own: list[Pair] = []
        met: dict[Any, yaml.Node] = {}
        for key_node, child in node.value:
            if key_node.tag == _MERGE:
                merged.extend(self._merge(key_node, child))
                continue
            key = self._key(key_node)
            if path is not None:
                if key in met:
                    self.duplicates.append(Duplicate((*path, key), _span(met[key]), _span(key_node)))
                met[key] = key_node
            own.append((key, key_node, child, None))
        return merged + own

    def _merge(self, key_node: yaml.Node, child: yaml.Node) -> list[Pair]:
        after = key_node.end_mark.index
        start, end, *_ = self._alias_span(after, NO_KEY, NO_KEY)
        place = (start, end, key_node.start_mark.index, after)
        sources = child.value if isinstance(child, yaml.SequenceNode) else [child]
        pairs: list[Pair] = []
        for mapping in reversed(sources):
            if not isinstance(mapping, yaml.MappingNode):
                self._fail(key_node, '"<<" merges mappings, found something else')
            if id(mapping) in self._open:
                self._fail(key_node, "an alias is inside its own anchor")
            inline = mapping.start_mark.index >= after
            self._open.add(id(mapping))
            merged = self._flatten(mapping, None)
            self._open.discard(id(mapping))
            self._budget.spend(1 + len(merged))
            pairs.extend(pair if inline and pair[3] is None else (*pair[:3], place) for pair in merged)
        return pairs

    def _key(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return node.value if node.tag == _VALUE else self._scalar(node)
        key = self._aside(node)
        try:
            hash(key)
        except TypeError as error:
            message = "a list or mapping cannot be a key: quote it, or fill in the template's braces"
            raise self._error(node, message) from error
        return key

    def _refuse(self, node: yaml.Node) -> NoReturn:
        tag = node.tag.replace(_YAML, "!!")
        kind = {yaml.ScalarNode: "value", yaml.SequenceNode: "list", yaml.MappingNode: "mapping"}[type(node)]
        if "!!python/" in tag and tag.replace("!!", _YAML) not in _SCALARS:
            self._fail(node, f'the tag "{tag}" builds a Python object; trainlint reads plain values only')
        self._fail(node, f'a {kind} cannot have the tag "{tag}"')

    def _fail(self, node: yaml.Node, message: str) -> NoReturn:
        raise self._error(node, message)

    def _error(self, node: yaml.Node, message: str) -> UnreadableError:
        return UnreadableError(message, *self._source.position(node.start_mark.index))
