# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the desk says in the protocol's own classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lsprotocol import types
from msgspec import Struct

from trainlint.editor.completion import Offer
from trainlint.editor.offered_fixes import Repair
from trainlint.editor.protocol_positions import EditorPlaces
from trainlint.editor.remarks import Remark
from trainlint.model.document import Document, Span

NAME: Final = "trainlint"
KEY_FORMATS: Final = {"json": '"{}": ', "toml": "{} = "}
"""How a key is written, by the document's format; elsewhere as YAML has it."""


class Answers(Struct, frozen=True):
    """Turns spans of one version of a text into the protocol's ranges, and back."""

    uri: str
    places: EditorPlaces
    version: int | None

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position."""
        return self.places.offset(position.line, position.character)

    def span(self, asked: types.Range) -> Span:
        """Return the span of a range."""
        return Span(self.offset(asked.start), self.offset(asked.end))

    def range(self, span: Span) -> types.Range:
        """Return the range of a span."""
        start, end = (types.Position(*self.places.position(offset)) for offset in (span.start, span.end))
        return types.Range(start, end)

    def diagnostic(self, remark: Remark) -> types.Diagnostic:
        """Return a remark as what is underlined."""
        others = [
            types.DiagnosticRelatedInformation(types.Location(self.uri, self.range(span)), "this too")
            for span in remark.others
        ]
        return types.Diagnostic(
            range=self.range(remark.span),
            message=remark.message,
            severity=types.DiagnosticSeverity(remark.severity),
            code=remark.rule or None,
            code_description=types.CodeDescription(remark.page) if remark.page else None,
            source=NAME,
            related_information=others or None,
        )

    def action(self, repair: Repair, given: Sequence[types.Diagnostic], *, first: bool) -> types.CodeAction:
        """Return a fix as what is offered; its edits hold for this version of the text alone."""
        place = self.range(repair.span)
        edits = [types.TextEdit(self.range(edit.span), edit.text) for edit in repair.edits]
        text = types.OptionalVersionedTextDocumentIdentifier(self.uri, self.version)
        return types.CodeAction(
            title=repair.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[
                diagnostic
                for diagnostic in given
                if diagnostic.code == repair.rule and diagnostic.range == place
            ]
            or None,
            is_preferred=True if first and repair.safe else None,
            edit=types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(text, list(edits))]),
        )

    def hover(self, words: str, span: Span) -> types.Hover:
        """Return Markdown about a span."""
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, words), self.range(span))

    def completions(
        self, offers: Sequence[Offer], span: Span, document: Document | None
    ) -> types.CompletionList:
        """Return what a word could become; a key is written with what is behind one."""
        form = KEY_FORMATS.get(document.format if document else "", "{}: ")
        text, place = self.places.text, self.range(span)
        quoted = text[span.start - 1 : span.start] in ("'", '"')
        ends = text[span.end :].partition("\n")[0].lstrip("'\" ")[:1] in (":", "=")
        items = [
            types.CompletionItem(
                label=offer.text,
                kind=types.CompletionItemKind.Property if offer.key else types.CompletionItemKind.Value,
                detail=offer.detail or None,
                documentation=types.MarkupContent(types.MarkupKind.Markdown, offer.words)
                if offer.words
                else None,
                text_edit=types.TextEdit(
                    place, form.format(offer.text) if offer.key and not quoted and not ends else offer.text
                ),
            )
            for offer in offers
        ]
        return types.CompletionList(is_incomplete=False, items=items)


def _words(text: str) -> types.MarkupContent | None:
    return types.MarkupContent(types.MarkupKind.Markdown, text) if text else None
