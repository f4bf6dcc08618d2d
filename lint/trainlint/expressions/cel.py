# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CEL behind one door: the only file that imports the engine (cel-expr-python, Google's cel-cpp).

Names are declared with types, so a misspelled one is an error when the expression is compiled. What fails
at run time comes back from the engine as a value of type ERROR; here it is raised, never read as false.
Expressions end: the engine stops after 10,000 iterations and parses 32 levels of brackets; what they may
build is bounded here. Its regular expressions (RE2) take time that grows with the text alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trainlint.errors import RuleError
from trainlint.expressions.patterns import later, simple
from trainlint.postponed import Postponed
from trainlint.shipped import compiled

INT64 = 2**63 - 1
"""CEL's integers are 64 bits wide; larger ones are held at the limit."""

LARGEST_FACTORED = 10**9
"""`divisors` gives up above this: no pool, batch or image side comes near it."""

MOST_EXPRESSION_CHARACTERS = 2_000
"""Characters of an expression with all its parts: the longest that trainlint ships has about 1,000."""

MOST_LOOPS = 2
"""Calls in one expression that may make a text many times longer, or bind a name that is then added to
itself: ten such, one in the other, fill any memory. No shipped expression has more than two."""

_TEXT = later(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
"""A text inside an expression."""

_LOOP = later(
    r"\.\s*(?:map|filter|all|exists|exists_one|existsOne|optMap|optFlatMap|transform\w+|replace|join|format|bind)\s*\("
)

_LITERAL = later(r"(true|false)|([0-9]{1,9})|'([^'\\]*)'")
_IS_KEY = later(r"(!\()?'([^'\\]*)' in (\w+)(?(1)\))")
"""Expressions that need no engine: a literal; whether a mapping has a key that is written out."""

MOST_MULTIPLES = 9_999
"""Values that `multiples` offers: more than any fix tries, and all that CEL's `filter` goes through."""

REMEMBERED_CHARACTERS = 100
"""Characters of a key, or of a short value: whether a pattern matches those is remembered."""

FEW_VALUES = 40
"""Keys and values in all that an expression reads, by which its result is known: a published config's losses
are 5 to 30."""

ANSWERS = 32
"""Results of an expression that are kept, for a few short values in what it reads; some 0.2 to 1 KB each."""

SCALARS = frozenset((str, int, bool, float, type(None)))
"""Types of what is kept, and of what it is known by: no value of one can change."""

ANY: Final = "any"
TYPES = ("integer", "float", "number", "string", "boolean", "list", "dict", ANY)
"""What a variable may be declared as: the names Cerberus uses, and `any` (no check)."""


class ExpressionError(RuleError):
    """An expression that does not compile, or fails when it is evaluated."""

    def __init__(self, message: str, undeclared: str | None = None) -> None:
        super().__init__(message)
        self.undeclared = undeclared
        """The name that it reads and that is not declared."""


class Expression(Struct, frozen=True, dict=True):
    """An expression over declared variables; call it with their values.

    It is compiled when it is first evaluated, unless somebody asked before whether it is right (`check`).
    """

    text: str
    variables: frozenset[tuple[str, str]]
    among: frozenset[tuple[str, str]] = frozenset()
    """Variables that many expressions share: their compiled forms take one environment then.

    A form reads a variable of any type from an environment that does not declare it, too.
    """

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The declared variables that the text may read."""
        return tuple(sorted(name for name, _ in self.variables if name in self.text))

    @property
    def returns(self) -> str:
        """The static type that CEL found: BOOL, INT, DOUBLE, STRING, LIST<INT>, DYN ..."""
        name: str = self._program.return_type().name()
        return name

    def check(self, want: str | None = None) -> None:
        """Raise ExpressionError where it does not compile, or is not of the type `want`."""
        if len(_LOOP.findall(self.text)) > MOST_LOOPS:
            raise ExpressionError(
                f"{self.text!r} calls more than {MOST_LOOPS} of map, filter, all, exists, replace ..."
            )
        if "//" in _TEXT.sub("", self.text):
            raise ExpressionError(
                f'"//" begins a comment in {self.text!r}: "/" already divides integers to an integer'
            )
        if want is not None and self.returns not in (want, "DYN"):
            raise ExpressionError(f"{self.text!r} is {self.returns}, expected {want}")

    def __call__(self, values: Mapping[str, Any]) -> Any:
        """Evaluate to plain Python values.

        `values` needs an entry for every name that is read; more do not matter. Raises ExpressionError.
        """
        return self.over_plain({name: plain(values[name]) for name in self.names if name in values})

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Evaluate a condition, whose static type may be unknown. Raises ExpressionError for what is none."""
        result = self(values)
        if not isinstance(result, bool):
            raise ExpressionError(f"{self.text!r} is {result!r}, expected true or false")
        return result

    def over_plain(self, values: Mapping[str, Any]) -> Any:
        """Evaluate over values that `plain` made already, so that a document is converted once."""
        if self._literal is not None:
            return self._literal
        data = {name: values[name] for name in self.names if name in values}
        if self._asks is not None and type(data.get(self._asks[1])) is dict:
            return (self._asks[0] in data[self._asks[1]]) is self._asks[2]
        key = key_of(data) if len(data) == len(self.names) else None
        if key is not None and key in self._known:
            return self._known[key]
        try:
            result = self._program.eval(data=data)
        except (RuntimeError, ValueError, TypeError) as error:
            raise ExpressionError(f"cannot evaluate {self.text!r}: {error}") from error
        if result.type().name() == "ERROR":
            raise ExpressionError(f"cannot evaluate {self.text!r}: {result.value()}")
        answer = result.plain_value()
        if key is not None and type(answer) in SCALARS:
            if len(self._known) == ANSWERS:
                self._known.clear()
            self._known[key] = answer
        return answer

    @cached_property
    def _literal(self) -> bool | int | str | None:
        """Its value where it is a literal, else None."""
        match = _LITERAL.fullmatch(self.text)
        if match is None:
            return None
        truth, number, text = match.groups()
        return truth == "true" if truth else int(number) if number else str(text)

    @cached_property
    def _asks(self) -> tuple[str, str, bool] | None:
        """The key that it asks a mapping for, the mapping, and what it is where the key is there."""
        match = _IS_KEY.fullmatch(self.text)
        if match is None or (match[3], "dict") not in self.variables:
            return None
        return match[2], match[3], match[1] is None

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        """What it came to: files of a run ask mostly the same of the same values."""
        return {}

    def serialized(self) -> bytes:
        """Return the compiled form, as `shipped/compiled.py` keeps it."""
        form: bytes = self._program.serialize()
        return form

    @cached_property
    def key(self) -> str:
        """The name of its compiled form: the whole text, after a digest of the variables and their types."""
        return f"{_digest(self.variables)} {self.text}"

    @cached_property
    def _program(self) -> Any:
        form = compiled.expression(self.key, engine())
        try:
            if form is not None:
                # the types turn whole numbers into floats: what has one is declared alike
                typed = {variable for variable in self.variables if variable[1] != ANY}
                return _environment(self.among if typed <= self.among else self.variables).deserialize(form)
        except RuntimeError:
            pass  # of an engine that wrote another form: compiled again
        try:
            made = _environment(self.variables).compile(self.text)
        except RuntimeError as error:
            from trainlint.expressions.cel_message import readable, undeclared  # noqa: PLC0415  # only for one that is wrong

            said = readable(str(error), self.text, dict(self.variables))
            raise ExpressionError(said, undeclared(str(error))) from None
        compiled.note(self.key, made.serialize, engine())
        return made


def key_of(data: Mapping[str, Any]) -> Hashable:
    """Return what distinguishes an expression's values from others, None where they are not a few short ones.

    Equal values of two types have two keys, and so have the two zeros of floats, which are equal.
    """
    values: list[Any] = []
    kinds: list[type] = []
    if all(_noted(value, values, kinds) for value in data.values()):
        return tuple(values), tuple(kinds)
    return None


def _noted(value: Any, values: list[Any], kinds: list[type]) -> bool:
    """Note a value with its type, lists and mappings after their sizes; False where it has no key."""
    kind = type(value)
    kinds.append(kind)
    if kind in SCALARS:
        if kind is str and len(value) > REMEMBERED_CHARACTERS:
            return False
        values.append(repr(value) if kind is float and not value else value)
        return True
    if kind not in (dict, list) or len(values) + len(value) > FEW_VALUES:
        return False
    values.append(len(value))
    if kind is list:
        return all(_noted(item, values, kinds) for item in value)
    for name, item in value.items():
        values.append(name)
        if type(name) is not str or not _noted(item, values, kinds):
            return False
    return True


Compiler = Callable[..., Expression]
"""Makes an expression of a text and the types of its variables: `compile_expression` or `believed`."""


def compile_expression(text: str, variables: Mapping[str, str], want: str | None = None) -> Expression:
    """Compile `text` over `variables` (dotted name -> one of TYPES).

    `want` is the type it must have (BOOL, INT ...; a dynamic one passes). Raises ExpressionError, whose
    message says what is wrong and at which character.
    """
    if len(text) > MOST_EXPRESSION_CHARACTERS:
        raise ExpressionError(
            f"an expression of {len(text):,} characters: at most {MOST_EXPRESSION_CHARACTERS:,} are read"
        )
    compiled_expression = believed(text, variables)
    _check(compiled_expression, want)
    return compiled_expression


def believed(
    text: str,
    variables: Mapping[str, str],
    want: str | None = None,  # noqa: ARG001  # as compile_expression takes it
    *,
    among: frozenset[tuple[str, str]] = frozenset(),
) -> Expression:
    """Return an expression that was checked before (trainlint ships it): compiled when it is needed."""
    return _expression(text, frozenset(variables.items()), among)


@cache
def _expression(
    text: str, variables: frozenset[tuple[str, str]], among: frozenset[tuple[str, str]]
) -> Expression:
    return Expression(text, variables, among)


@cache
def _check(expression: Expression, want: str | None) -> None:
    if want is None and compiled.expression(expression.key, engine()) is not None:
        return  # what is shipped was checked before it was kept
    expression.check(want)
    _ = expression.returns


@cache
def _digest(variables: frozenset[tuple[str, str]]) -> str:
    return blake2b(repr(sorted(variables)).encode(), digest_size=8).hexdigest()


@cache
def engine() -> str:
    """Return the engine's name and version as it was installed: another one may write another form.

    It is in the name of the folder of its metadata (importlib.metadata says the same, and takes 45 ms). An
    engine that was not installed as a package has the state of its file.
    """
    from cel_expr_python import cel  # noqa: PLC0415  # 50 MB of engine, not needed by `trainlint targets`

    file = Path(cel.__file__)
    folders = sorted(file.parents[1].glob("cel_expr_python-*.dist-info"))
    if len(folders) == 1:
        return folders[0].stem
    state = file.stat()
    return f"{file} {state.st_size} {state.st_mtime_ns}"


@cache
def _environment(variables: frozenset[tuple[str, str]]) -> Any:
    """Build an environment; costs about 0.1 ms, so every set of names has one."""
    from cel_expr_python import cel  # noqa: PLC0415  # 50 MB of engine, not needed by `trainlint targets`
    from cel_expr_python.ext import ext_math, ext_optional, ext_strings  # noqa: PLC0415 - as above

    kind = cel.Type
    types = {
        "integer": kind.INT, "float": kind.DOUBLE, "number": kind.DOUBLE, "string": kind.STRING,
        "boolean": kind.BOOL, "list": kind.List(kind.DYN), "dict": kind.Map(kind.STRING, kind.DYN),
        ANY: kind.DYN,
    }  # fmt: skip
    ints, dyn = kind.List(kind.INT), kind.List(kind.DYN)

    def function(name: str, takes: list[Any], returns: Any, does: Callable[..., Any]) -> Any:
        return cel.FunctionDecl(name, [cel.Overload(name, returns, takes, impl=does)])

    environment = cel.NewEnv(
        variables={name: types[type_name] for name, type_name in variables},
        extensions=[ext_math.ExtMath(), ext_optional.ExtOptional(), ext_strings.ExtStrings()],
        functions=[
            function("divisors", [kind.INT], ints, divisors),
            function("multiples", [kind.INT, kind.INT], ints, multiples),
            function("sum", [dyn], kind.DYN, sum),
            function("sorted", [dyn], dyn, sorted),
        ],
    )
    environment.compile("true")  # before its first, a deserialized program does not heed the variables' types
    return environment


_SPEC = later(r"""\bspec\[\??'([^']*)'\]|'([^']*)' in spec\b""")


def spec_names(text: str) -> tuple[str, ...]:
    """Return the fields that a dialect's expression asks the spec for: spec['a'], spec[?'a'], 'a' in spec."""
    return tuple(name for match in _SPEC.findall(text) for name in match if name)


def divisors(number: int) -> list[int]:
    """Return every divisor of a positive number in rising order (CEL: `divisors(180)`)."""
    if not 0 < number <= LARGEST_FACTORED:
        return []
    low = [n for n in range(1, int(number**0.5) + 1) if number % n == 0]
    return low + [number // n for n in reversed(low) if n * n != number]


def multiples(step: int, limit: int) -> list[int]:
    """Return step, 2 x step ... up to `limit`, at most MOST_MULTIPLES of them (CEL: `multiples(8, 400)`)."""
    return list(range(step, limit + 1, step)[:MOST_MULTIPLES]) if step > 0 else []


def matches(pattern: str, text: str) -> bool:
    """Say whether a pattern of a schema is somewhere in a text, in time that grows with the text alone.

    RE2 knows no look-around and no back-references. Raises ExpressionError for a pattern that it refuses.
    """
    plainly = simple(pattern)
    if plainly is not None:
        return plainly.search(text) is not None
    return (
        _matches(pattern, text) if len(text) <= REMEMBERED_CHARACTERS else _matches.__wrapped__(pattern, text)
    )


@lru_cache(maxsize=4_096)
def _matches(pattern: str, text: str) -> bool:
    return MATCHES_EXPRESSION({"text": text, "pattern": pattern}) is True


MATCHES_EXPRESSION: Final = believed("text.matches(pattern)", {"text": "string", "pattern": "string"})


MAX_DEPTH = 64
"""Deeper values are cut off: no rule looks so deep, and Python's stack is finite."""


def plain(value: Any, depth: int = 0) -> Any:  # noqa: PLR0911  # one line per kind of value
    """Turn what a loader may yield (tuples, dates, huge integers, odd keys) into what CEL takes."""
    kind = type(value)
    if (kind is str and value.isascii()) or kind is float or kind is bool:  # most values
        return value
    match value:
        case None | bool() | float():
            return value
        case int():
            return max(-INT64, min(INT64, value))
        case str():
            return value.encode(errors="replace").decode()  # lone surrogates crash the binding
        case Mapping():
            return {_key(key): plain(item, depth + 1) for key, item in value.items() if depth < MAX_DEPTH}
        case set() | frozenset():
            return plain(sorted(value, key=str), depth)
        case list() | tuple():
            return [plain(item, depth + 1) for item in value if depth < MAX_DEPTH]
        case Postponed():
            return plain(value.value, depth)
        case _:
            return str(value)


def _key(key: Any) -> str | int | bool:
    return plain(key) if isinstance(key, (str, int)) else str(key)
