# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An edited page is read as it would be from nothing, though only the edited block is read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from trainlint.documents import markdown_page
from trainlint.documents.edited_page import ReadPage
from trainlint.documents.file_format import forget, read, read_edited, read_to_edit
from trainlint.documents.markdown_page import PageReader
from trainlint.errors import TooLargeError
from trainlint.files.read_limits import Budget
from trainlint.judge.fixes.proof import proven
from trainlint.model.document import Document, Source

PAGE = """# Train

    cd sub

Run `python train.py -opt a.yml` or, in prose:

```bash
cd deeper
python train.py --a 1 --b 2
python train.py --a 3
```

```yaml
a: 4
```

> python train.py --a 5 \\
>   --b 6

```python
!python train.py --a 7
```

```sh
pip install "torch>=2.4"
cd ..
python train.py --a 8
```
"""


def seen(document: Document) -> tuple[Any, ...]:
    """Return what tells a document from another, places included."""
    meta = {key: value for key, value in document.meta.items() if key != "parsed"}
    return document.value, dict(document.places), document.index, document.line, document.installs, meta


def edits(document: Document) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield a document's numbers, and its page with another in the place of each."""
    text = document.source.text
    for path, place in document.places.items():
        if document.raw(path).isdigit():
            yield path, f"{text[: place.value.start]}1234{text[place.value.end :]}"


def test_an_edited_document_is_what_it_is_when_the_whole_page_is_read() -> None:
    tried = 0
    for document in read(Source("a.md", PAGE)):
        for _, text in edits(document):
            whole = read(Source("a.md", text))
            again = read_edited(document, Source("a.md", text))
            assert seen(again[document.index]) == seen(whole[document.index])
            assert [other.value for other in again] == [other.value for other in whole]
            tried += 1
    assert tried == 8


def test_blocks_that_are_as_they_were_are_not_read_again(monkeypatch) -> None:
    blocks: list[str] = []
    read_block = PageReader.documents

    def counted(self: PageReader, block: Any) -> Iterator[Document]:
        blocks.append(block.written()[1])
        return read_block(self, block)

    page = Source("a.md", PAGE)
    document = read_to_edit(page)[2]
    ((path, text),) = edits(document)
    monkeypatch.setattr(PageReader, "documents", counted)
    edited = proven(document, text, {path: "1234"}, frozenset())
    assert edited is not None
    assert edited.source.text == text
    assert [block.splitlines()[-1] for block in blocks] == ["python train.py --a 1234"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cd deeper", "cd elsewhere"),
        ("```yaml", "```\n```yaml"),
        ("# Train\n", "# Train\n\n```sh\ncd x\n```\n"),
    ],
)
def test_what_a_block_leaves_to_the_next_ones_is_read_again(old, new) -> None:
    page = Source("a.md", PAGE)
    text = replace(page, text=PAGE.replace(old, new, 1))
    again = ReadPage.of(page).edited(text, wanted=0)
    assert [(document.value, document.meta.get("folder")) for document in again] == [
        (document.value, document.meta.get("folder")) for document in read(text)
    ]


def test_words_of_blocks_that_are_not_read_again_count(monkeypatch) -> None:
    words = len(PAGE.split())
    monkeypatch.setattr(markdown_page, "word_budget", lambda: Budget(TooLargeError("too many words"), words))
    page = ReadPage.of(Source("a.md", PAGE))
    more = PAGE.replace("--a 8", "--a 8 " + "--c 1 " * (words // 3))
    with pytest.raises(TooLargeError):
        page.edited(Source("a.md", more), wanted=len(page.documents) - 1)


def test_a_called_script_is_read_anew_in_the_next_run(tmp_path: Path) -> None:
    """Proof is held against the page as it is now, not as it was in a run before."""
    script = tmp_path / "train.sh"
    page = Source(str(tmp_path / "a.md"), "```sh\nbash train.sh\n```\n\n```sh\npython train.py --a 1\n```\n")
    for batch in ("2", "3"):
        script.write_text(f"python train.py --b {batch}\n", encoding="utf-8")
        forget()
        called, document = read_to_edit(page)
        assert called.value["b"] == batch
        ((path, text),) = edits(document)
        assert proven(document, text, {path: "1234"}, frozenset()) is not None
