# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A page of Markdown that is edited: of its code blocks, those that are as they were are not read again."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from trainlint.commands.scripts import numbered
from trainlint.documents.markdown_page import CodeBlock, PageReader, code_blocks
from trainlint.model.document import Document, Source


class _State(Struct, frozen=True):
    """What a reader has come to between two blocks."""

    folder: str
    words: int
    configs: int

    @classmethod
    def of(cls, reader: PageReader) -> _State:
        return cls(reader.folder, reader.words.left, reader.configs.left)


class _ReadBlock(Struct, frozen=True):
    """A block that was read, and what it held."""

    written: tuple[str, str]
    before: _State
    after: _State
    documents: tuple[Document, ...]

    def is_like(self, block: CodeBlock, reader: PageReader) -> bool:
        """Say whether a block would be read to the same documents."""
        return reader.folder == self.before.folder and block.written() == self.written

    def has(self, index: int) -> bool:
        """Say whether a document of the page is in this block."""
        return any(document.index == index for document in self.documents)

    def step_over(self, reader: PageReader) -> None:
        """Leave a reader as if it had read this block."""
        reader.words.spend(self.before.words - self.after.words)
        reader.configs.spend(self.before.configs - self.after.configs)
        reader.folder = self.after.folder


class ReadPage(Struct, frozen=True):
    """A page as it was read, against which its edited texts are held."""

    blocks: tuple[_ReadBlock, ...]

    @classmethod
    def of(cls, page: Source) -> ReadPage:
        """Read a page."""
        reader, count, blocks = PageReader(page), 0, []
        for block in code_blocks(page):
            before = _State.of(reader)
            documents = numbered(reader.documents(block), first=count)
            blocks.append(_ReadBlock(block.written(), before, _State.of(reader), documents))
            count += len(documents)
        return cls(tuple(blocks))

    @property
    def most_words(self) -> int:
        """The words of the longest block that has a document."""
        return max((len(block.written[1].split()) for block in self.blocks if block.documents), default=0)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The page's documents."""
        return tuple(document for block in self.blocks for document in block.documents)

    def edited(self, text: Source, wanted: int) -> tuple[Document, ...]:
        """Read an edited text of the page as parse_markdown does, for its document of one number.

        Another block that is as it was gives this page's own documents, with their places here.
        """
        return numbered(self._edited(text, wanted))

    def _edited(self, text: Source, wanted: int) -> Iterator[Document]:
        reader = PageReader(text)
        for index, block in enumerate(code_blocks(text)):
            was = self.blocks[index] if index < len(self.blocks) else None
            if was is None or was.has(wanted) or not was.is_like(block, reader):
                yield from reader.documents(block)
            else:
                was.step_over(reader)
                yield from was.documents
