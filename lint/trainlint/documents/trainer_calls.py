# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fine-tuning that a program writes out as calls, as documents of TRL's arguments.

Each call of a trainer (`SFTTrainer(model=..., args=SFTConfig(...), peft_config=...)`) is one document of the
format "python", with the names that TRL's own command has for the same: `r` of LoraConfig is `lora_r`. What
only a run knows is in `meta["unknown"]`, with its text; what is said nowhere is absent.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.commands.scripts import numbered
from trainlint.config.extracted_text import Excerpt
from trainlint.config.place_map import NO_KEY, Offsets, Places
from trainlint.documents.call_signatures import Signature, releases_of, signature_of
from trainlint.documents.discover import CALLS_TRAINER, PROGRAM_BYTES
from trainlint.documents.doubts.model_changes import model_changes
from trainlint.documents.doubts.training_condition import Condition, training_condition
from trainlint.documents.python_bindings import Site
from trainlint.documents.python_names import MOST_LINKS, Expression, Names
from trainlint.documents.python_values import UNKNOWN, value_of
from trainlint.documents.trainer_keywords import (
    ADAPTER,
    ADAPTER_RANKS,
    ARGUMENTS,
    CAUSAL,
    CHANGES,
    CHAT_FORMAT,
    DTYPES,
    KBIT,
    LIBRARIES,
    LOADED,
    LOADED_BY_UNSLOTH,
    MOVED,
    OBJECTIVES,
    PASSED_ON,
    QUANT_KEYS,
    QUANTISED,
    QUANTISED_DEFAULT,
    TRAINER,
    TRAINERS_OF_ANY,
    UNSLOTH,
    UNTRAINED,
)
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import DOCUMENTS
from trainlint.model.document import PYTHON, Document, Path, Source

MOST_SHOWN: Final = 40
"""Characters of an expression that is not known."""
NEEDED_BY_TRL: Final = "4.56"
"""The oldest transformers that TRL 0.26 takes (its pyproject.toml, Apache-2.0)."""
_MAGIC: Final = later(r"(?m)^([ \t]*+)([%!][^\r\n]*+)")
_ASKS_RELEASE: Final = later(
    r"__version__|\bversion\.parse\b|\bparse_version\b|importlib[._]metadata|\bis_\w+_version\b"
)
_LINE_END: Final = later(r"\r\n?|\n")


def parse_python(source: Source) -> tuple[Document, ...]:
    """Read a program's trainers; nothing of a program of another kind."""
    return numbered(trainings(Excerpt.of(source)))


def trainings(
    excerpt: Excerpt, cells: Mapping[int, int] | None = None, installs: Sequence[str] | None = None
) -> Iterator[Document]:
    """Yield the trainings of a program, or of a notebook's cells after one another.

    `cells` says by their numbers where in the text cells end, `installs` are the lines of pip of all cells.
    """
    if len(excerpt.text) > PROGRAM_BYTES or not CALLS_TRAINER.search(excerpt.text):
        return
    text = without_magic(excerpt.text)
    names = Names(text)
    if not names.is_readable:
        return
    starts = [0, *(line.end() for line in _LINE_END.finditer(text)), len(text)]
    calls = [call for call in names.bindings.calls if _objective(names, call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset))[:DOCUMENTS]:
        run = _Run(names, call, text, starts)
        if run.is_read:
            cell = next((number for number, end in (cells or {}).items() if run.start < end), None)
            yield run.document(excerpt, cell, installs)


def without_magic(text: str) -> str:
    """Return a program's text with a number in place of each line of IPython's own, as long as that."""
    return _MAGIC.sub(lambda line: line.group(1) + "0".ljust(len(line.group(2))), text)


def _objective(names: Names, call: ast.Call) -> str:
    """Return what a trainer optimises; "" for what is no trainer of a language model's."""
    full = names.imported(call.func)
    if full.partition(".")[0] not in LIBRARIES:
        return ""
    if full in TRAINERS_OF_ANY:
        return "pt"
    name = full.rpartition(".")[2]
    return OBJECTIVES.get(name.removesuffix("Trainer"), "") if name.endswith("Trainer") else ""


class _Run:
    """One trainer's call: values by TRL's names, where they are, and what is not known."""

    def __init__(self, names: Names, call: ast.Call, text: str, starts: list[int]) -> None:
        self.names, self._text, self._starts = names, text, starts
        self.call = call
        self.value: dict[str, Any] = {}
        self._places: dict[Path, Offsets] = {}
        self.unknown: dict[Path, str] = {}
        self.start, self.end = self._span(call)
        self._libraries: set[str] = set()
        self.calls: dict[str, dict[str, Path]] = {}
        self.is_read = True
        self._loader: ast.Call | None = None
        self._collect(_objective(names, call))

    def _collect(self, objective: str) -> None:
        words = self._words(self.call)
        model = words.get("model", self.call.args[0] if self.call.args else None)
        arguments = words.get("args", self.call.args[1] if len(self.call.args) > 1 else None)
        self._arguments(arguments)
        self._keywords(self.call, TRAINER)
        self._note(self.call)
        self._adapter_config(words.get("peft_config"))
        self._quantisation(words.get("quantization_config"))
        self._model(model)
        if objective == "pt" and not self._libraries & set(CAUSAL):
            self.is_read = False
        if objective == "pt":
            self._default("@plain", True, self.call.func)
        self.value["@objective"] = "sft" if objective == "pt" else objective
        self._put(("@objective",), self.call.func)
        if self._calls(UNSLOTH):
            self._default("@unsloth", True, self.call.func)
        if self._named(KBIT):
            self._default("@kbit", True, self.call.func)
        for name in self.names.bindings.set_attributes & set(self.value):
            self.unknown.setdefault((name,), name)
        self._doubts()

    def _doubts(self) -> None:
        """Note what leaves open which weights are trained, and whether any are."""
        for change in model_changes(self.names, self.call, self._loader):
            self._default(change.key, self._written(change.node), change.node)
        condition = training_condition(self.names, self.call)
        if condition is not None:
            self._default(UNTRAINED, self._condition(condition), condition.test or self.call.func)

    def _condition(self, condition: Condition) -> str:
        if condition.test is None:
            return "nothing in the program calls the trainer's train()"
        word = "if" if condition.wanted else "unless"
        return f"the program trains only {word} {self._written(condition.test)}"

    def _words(self, call: ast.Call) -> dict[str, ast.expr]:
        return {word.arg: word.value for word in call.keywords if word.arg is not None}

    def _call(self, node: ast.AST | None) -> tuple[ast.Call, str] | None:
        """Return the call that an expression leads to, and the full name of what it calls."""
        known = None if node is None else self.names.expression(node)
        if known is None or not isinstance(known.node, ast.Call):
            return None
        return known.node, self.names.imported(known.node.func)

    def _arguments(self, node: ast.expr | None) -> None:
        if node is None:
            return
        made = self._call(node)
        if made is None or not made[1].endswith(ARGUMENTS):
            self._lose((), node)
            return
        self.value["@arguments"] = made[1].rpartition(".")[2]
        self._keywords(made[0], None)
        self._note(made[0])

    def _note(self, call: ast.Call) -> None:
        """Note the arguments of a class whose signatures are known, and whether they are of an older TRL.

        Not the arguments where the program asks for the release: it may give each its own.
        """
        signature = signature_of(self.names.imported(call.func))
        if signature is None or self._calls(UNSLOTH):  # which takes an older TRL's all the same
            return
        words = {word.arg: word for word in call.keywords if word.arg is not None}
        older = (word for word in words if signature.library == "trl" and _is_of_older(signature, word))
        for argument in older:
            self._default("older_release", True, words[argument])
        if _ASKS_RELEASE.search(self._text):
            return
        name = f"{signature.library}.{signature.name}"
        self._put(("@calls", name), call.func)
        self.calls[name] = {}
        for argument, word in words.items():
            path = (argument,) if argument in self.value else ("@calls", name, argument)
            self.calls[name][argument] = path
            if len(path) > 1:
                self._put(path, word.value, word)

    def _keywords(self, call: ast.Call, meaning: Mapping[str, str] | None) -> None:
        """Take in a call's keywords by what they mean; all of them where there is no `meaning`."""
        for word in call.keywords:
            if word.arg is None:
                inner = value_of(word.value, self.names)
                if isinstance(inner, dict):
                    for name, value in inner.items():
                        self._fill(str(name), value, word.value, word.value, meaning)
                elif meaning is not TRAINER:
                    self._lose((), word.value)
            else:
                self._fill(word.arg, value_of(word.value, self.names), word.value, word, meaning)

    def _fill(
        self, name: str, value: Any, node: ast.AST, key: ast.AST, meaning: Mapping[str, str] | None
    ) -> None:
        own = name if meaning is None else meaning.get(name)
        if own is None or own in self.value:
            return
        if own == "dtype" and isinstance(value, str):
            value = value if value in DTYPES else None
        if own == "lora_target_modules" and isinstance(value, str) and value != "all-linear":
            value = UNKNOWN  # a pattern
        self.value[own] = None if value is UNKNOWN else _plain(value)
        self._put((own,), node, key if isinstance(key, ast.keyword) else None)
        if value is UNKNOWN or _has_unknown(value):
            self.unknown[own,] = f"{name} = {self._written(node)}"

    def _default(self, name: str, value: Any, where: ast.AST) -> None:
        if name not in self.value:
            self.value[name] = value
            self._put((name,), where)

    def _adapter_config(self, node: ast.expr | None) -> None:
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return
        made = self._call(node)
        if made is None or not made[1].startswith("peft.") or not made[1].endswith("LoraConfig"):
            self._lose_all(("use_peft", "lora_r", "lora_target_modules"), node)
            return
        self._adapter(made[0], "peft")

    def _adapter(self, call: ast.Call, library: str) -> None:
        self._default("use_peft", True, call.func)
        self._note(call)
        self._keywords(call, ADAPTER)
        self._default("lora_r", ADAPTER_RANKS[library], call.func)

    def _quantisation(self, node: ast.expr | None) -> None:
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return
        made = self._call(node)
        if made is None or not made[1].endswith("BitsAndBytesConfig"):
            self._lose_all(QUANT_KEYS, node)
            return
        self._keywords(made[0], QUANTISED)
        for name, value in QUANTISED_DEFAULT.items():
            self._default(name, value, made[0].func)

    def _model(self, node: ast.expr | None) -> None:
        """Follow a model to where it is loaded, through what gives it an adapter."""
        for _ in range(MOST_LINKS):
            known = None if node is None else self.names.expression(node)
            if node is None or known is None:
                break
            name = value_of(node, self.names)
            if isinstance(name, str):
                self._fill("model", name, node, node, {"model": "model_name_or_path"})
                self._nothing_more(node)
                return
            if not isinstance(known.node, ast.Call):
                break
            following = self._loaded(known)
            if following is known.node:
                self._loader = known.node
                return
            node = following if isinstance(following, ast.expr) else None
        where = node if node is not None else self.call.func
        text = "" if node is not None else f"the model of {self._written(where)}"
        self._lose_all(("model_name_or_path", "dtype", *QUANT_KEYS), where, text)
        if "use_peft" not in self.value:
            self._lose_all(("use_peft", "lora_r", "lora_target_modules"), where, text)

    def _loaded(self, known: Expression) -> ast.AST | None:
        """Take in one call on the way: return the model that it is given, itself at the end, or nothing."""
        call = known.node
        if not isinstance(call, ast.Call):
            return None
        full = self.names.imported(call.func)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else full.rpartition(".")[2]
        owner = full.split(".")[-2] if full.count(".") > 1 else ""
        words = self._words(call)
        given = words.get("model", call.args[0] if call.args else None)
        if method == "from_pretrained" and owner in CAUSAL:
            self._libraries.add(owner)
            self._default("@loaded", True, call.func)
            self._from_pretrained(call, words, full.startswith(f"{UNSLOTH}."))
            return call
        if method in MOVED and isinstance(call.func, ast.Attribute) and not full:
            return call.func.value if self._moves(call) else None
        if method == "get_peft_model" and full.startswith(f"{UNSLOTH}."):
            self._adapter(call, UNSLOTH)
        elif method == "get_peft_model" and full.startswith("peft."):
            self._adapter_config(words.get("peft_config", call.args[1] if len(call.args) > 1 else None))
        elif method == CHAT_FORMAT and full.startswith("trl.") and known.item == 0:
            self._default("@chat_format", True, call.func)
        elif method not in PASSED_ON:
            return None
        return given

    def _moves(self, call: ast.Call) -> bool:
        """Return whether a model's method leaves it as it is: no type is among what it is given."""
        given = [*call.args, *(word.value for word in call.keywords)]
        return not any(
            "dtype" in ast.dump(inner) or self.names.imported(inner).startswith("torch.")
            for part in given
            for inner in (part, getattr(self.names.expression(part), "node", part))
            if not isinstance(inner, ast.Call)
        )

    def _from_pretrained(self, call: ast.Call, words: Mapping[str, ast.expr], by_unsloth: bool) -> None:
        first = ("model_name",) if by_unsloth else ("pretrained_model_name_or_path",)
        name = next((words[word] for word in first if word in words), call.args[0] if call.args else None)
        if name is None:
            self._lose_all(("model_name_or_path",), call)
        else:
            self._fill("model", value_of(name, self.names), name, name, {"model": "model_name_or_path"})
        self._keywords(call, LOADED_BY_UNSLOTH if by_unsloth else LOADED)
        if by_unsloth and not {"load_in_8bit", "full_finetuning"} & words.keys():
            self._default("load_in_4bit", True, call.func)
            self._default("use_bnb_nested_quant", True, call.func)
        self._quantisation(words.get("quantization_config"))
        self._nothing_more(call)

    def _nothing_more(self, where: ast.AST) -> None:
        """Say that there is no adapter, where nothing in the program could add one."""
        if "use_peft" in self.value:
            return
        called = {
            call.func.attr for call in self.names.bindings.calls if isinstance(call.func, ast.Attribute)
        }
        called |= {self.names.imported(call.func).rpartition(".")[2] for call in self.names.bindings.calls}
        if self._adapts() or called & CHANGES:
            self._lose_all(("use_peft", "lora_r", "lora_target_modules"), where)

    def _adapts(self) -> bool:
        """Return whether the program calls what of PEFT's could give the model an adapter before this call.

        A config by itself gives none, nor does what a module calls after its trainer.
        """
        sites = self.names.bindings.sites
        for call in self.names.bindings.calls:
            full = self.names.imported(call.func)
            later = sites[call] == sites[self.call] == Site(None, ()) and call.lineno > self.call.lineno
            if full.startswith("peft.") and not full.endswith("Config") and not later:
                return True
        return False

    def _calls(self, library: str) -> bool:
        """Return whether the program calls anything of a library's."""
        calls = self.names.bindings.calls
        return any(self.names.imported(call.func).startswith(f"{library}.") for call in calls)

    def _named(self, name: str) -> bool:
        """Return whether the program calls what has that name, wherever it is from."""
        calls = self.names.bindings.calls
        return any(self.names.imported(call.func).rpartition(".")[2] == name for call in calls)

    def _lose_all(self, keys: tuple[str, ...], node: ast.AST, text: str = "") -> None:
        for key in keys:
            if key not in self.value:
                self._lose((key,), node, text)

    def _lose(self, path: Path, node: ast.AST, text: str = "") -> None:
        if path:
            self.value.setdefault(str(path[0]), None)
            self._put(path, node)
        self.unknown[path] = text or self._written(node)

    def _written(self, node: ast.AST) -> str:
        start, end = self._span(node)
        text = " ".join(self._text[start : min(end, start + MOST_SHOWN + 1)].split())
        return text if end - start <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."

    def _span(self, node: ast.AST) -> tuple[int, int]:
        ends = [(node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)]  # type: ignore[attr-defined]
        return self._offset(*ends[0]), self._offset(*ends[1])

    def _offset(self, line: int, column: int) -> int:
        """Return the place in the text of a line and a column, which counts bytes of UTF-8."""
        start = self._starts[line - 1]
        row = self._text[start : self._starts[line]] if line < len(self._starts) else ""
        if row.isascii():
            return start + column
        return start + len(row.encode()[:column].decode(errors="replace"))

    def _put(self, path: Path, node: ast.AST, key: ast.keyword | None = None) -> None:
        start, end = self._span(node)
        written = (NO_KEY, NO_KEY)
        if key is not None and key.arg is not None:
            begun = self._span(key)[0]
            written = (begun, begun + len(key.arg))
        self._places[path] = (start, end, *written)

    def document(self, excerpt: Excerpt, cell: int | None, installs: Sequence[str] | None) -> Document:
        """Return the document, its places moved to those of the file."""
        self._places[()] = (self.start, self.end, NO_KEY, NO_KEY)
        text = Source(excerpt.source.path, excerpt.text)
        meta: dict[str, Any] = {"unknown": self.unknown, "knower": "a run", "calls": self.calls}
        if installs is not None:
            meta["installs"] = installs
        document = Document(text, self.value, Places(self._places), PYTHON, meta=meta)
        return excerpt.relocate(document, cell=cell)


def _is_of_older(signature: Signature, argument: str) -> bool:
    """Return whether only a TRL before 0.26 takes an argument, or one that needs an older transformers."""
    own = signature.taking(argument)
    if own:
        return max(own) < max(signature.releases)
    base = signature.base.taking(argument) if signature.base is not None else frozenset()
    return bool(base) and max(base) < releases_of("transformers").index(NEEDED_BY_TRL)


def _has_unknown(value: Any) -> bool:
    return isinstance(value, dict) and any(
        inner is UNKNOWN or _has_unknown(inner) for inner in value.values()
    )


def _plain(value: Any) -> Any:
    """Return a value without what is not known in it."""
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items() if inner is not UNKNOWN}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
