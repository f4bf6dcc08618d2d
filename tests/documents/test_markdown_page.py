# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Markdown pages: commands and fragments of configs in code blocks, at their own lines."""

from __future__ import annotations

import pytest

from trainlint.documents.markdown_page import parse_markdown
from trainlint.errors import TooLargeError
from trainlint.files.read_limits import DOCUMENTS
from trainlint.model.document import Document, Source

PAGE = """# Train

Run `python train.py --inline`.

```bash
$ export CUDA_VISIBLE_DEVICES=0
$ python train.py --a 1 \\
    --b 2   # why
!python train_cell.py --c 3
pip install x
```

1. In a list:
   ```sh
   python train.py --d 4
   ```

```python
import x
python train.py --not a line of code
!python train.py --e 5
x = "!python"
```

```yaml
network_g:
  type: RRDBNet
```

~~~json
{"batch_size": 12}
~~~

```toml
[train]
lr = 1e-4
```

```text
C:\\> python train.py --f 6
```

```diff
+ python train.py --g 7
```

> PYTHONPATH="./:${PYTHONPATH}" \\
> CUDA_VISIBLE_DEVICES=0 \\
> python basicsr/train.py -opt x.yml

    python train.py --h 8

```yaml
- just
- a list
```

```yaml
broken: [
```

```cmd
python train.py ^
  --i 9
```

````md
```bash
python train.py --nested
```
````
"""


def read(text: str) -> tuple[Document, ...]:
    return parse_markdown(Source("page.md", text))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_everything_is_found_at_its_line_and_nothing_invented(end: str) -> None:
    documents = read(PAGE.replace("\n", end))
    lines = PAGE.split("\n")
    found = []
    for document in documents:
        first = next(iter(document.value))
        where = document.source.position(document.places[first,].value.start)[0]
        found.append(
            (document.index, document.format, first, where == lines.index(line_of(first, lines)) + 1)
        )
    assert found == [
        (0, "command", "a", True),
        (1, "command", "c", True),
        (2, "command", "d", True),
        (3, "command", "e", True),
        (4, "yaml", "network_g", True),
        (5, "json", "batch_size", True),
        (6, "toml", "train", True),
        (7, "command", "f", True),
        (8, "command", "opt", True),
        (9, "command", "h", True),
        (10, "command", "i", True),
    ]
    assert documents[0].value["b"] == "2"
    assert documents[0].value["@env"] == {"CUDA_VISIBLE_DEVICES": "0"}
    assert documents[8].value["@env"]["CUDA_VISIBLE_DEVICES"] == "0"


@pytest.mark.parametrize(
    "line",
    [
        "Look at [examples/train.py](examples/train.py) training script to try.",
        "The script (train.py) takes --epochs 3",
    ],
)
def test_a_quoted_sentence_is_no_command(line: str) -> None:
    assert read(f"> [!TIP]\n> {line}\n") == ()


def line_of(name: str, lines: list[str]) -> str:
    signs = {"network_g": "type:", "batch_size": '"batch_size"', "train": "[train]", "opt": "-opt"}
    return next(line for line in lines if signs.get(name, f"--{name} ") in line)


def test_fragments_are_marked_and_point_into_the_page() -> None:
    text = 'x\n\n> ```yaml\n> a:\n>   b: "é" # c\n>   b: 2\n> ```\n'
    (document,) = read(text)
    assert document.meta["fragment"] is True
    assert document.value == {"a": {"b": 2}}
    assert document.raw(("a", "b")) == "2"
    assert document.source.position(document.places["a", "b"].value.start) == (6, 8)
    assert document.source.position(document.duplicates[0].first.start) == (5, 5)


@pytest.mark.parametrize(
    ("first", "second", "folder"),
    [
        ("cd codes", "", "codes"),
        ("git clone https://x.org/net\ncd net", "cd codes\n", "net/codes"),
        ("cd codes", "cd ..\n", ""),
        ("cd /data", "", ""),  # nobody knows where that is from here
        ("(cd codes && ls)", "", ""),
    ],
)
def test_a_block_is_run_where_the_one_before_it_led(first: str, second: str, folder: str) -> None:
    (document,) = read(f"```bash\n{first}\n```\n\ntext\n\n```\n{second}python train.py --a 1\n```\n")
    assert document.meta["folder"] == folder


def test_half_a_command_does_not_hide_the_others() -> None:
    documents = read('```bash\npython train.py --a "x\n```\n\n```bash\npython train.py --b 1\n```\n')
    assert [document.broken is not None for document in documents] == [True, False]
    assert documents[0].broken is not None
    assert (documents[0].broken.line, documents[0].broken.column) == (2, 21)


def test_a_fence_that_never_closes_runs_to_the_end() -> None:
    (document,) = read("```bash\npython train.py --a 1\n")
    assert document.value["a"] == "1"


@pytest.mark.parametrize("text", ["", "text\n", "```", "```bash\n```\n", "> \n>\n", "\u2028```bash\r"])
def test_pages_without_commands(text: str) -> None:
    assert read(text) == ()


def test_five_hundred_commands_and_as_many_configs() -> None:
    documents = read(_page(DOCUMENTS // 2))
    assert len(documents) == DOCUMENTS
    assert documents[-2].value["a"] == "499"
    assert documents[-1].line == _page(DOCUMENTS // 2).count("\n") - 1


def test_more_commands_and_configs_than_anybody_reads() -> None:
    with pytest.raises(TooLargeError, match="holds more than 1,000 commands and configs: split it"):
        read(_page(5_000))


@pytest.mark.parametrize("language", ["yaml", "json", "toml"])
def test_more_blocks_than_are_parsed(language: str) -> None:
    with pytest.raises(TooLargeError, match="holds more than 5,000 blocks of YAML, JSON or TOML: split it"):
        read(f"```{language}\n1\n```\n\n" * 5_001)


def _page(sections: int) -> str:
    return "\n".join(
        f"## {n}\n\n```bash\npython train.py --a {n}\n```\n\n```yaml\nb: {n}\n```\n" for n in range(sections)
    )


def test_a_command_in_prose_that_names_an_option_file() -> None:
    text = (
        "First `python basicsr/train.py -opt options/a.yml --auto_resume`, then `python train.py --more`.\n"
    )
    (document,) = read(text)
    assert document.value["opt"] == "options/a.yml"
    assert document.raw(("opt",)) == "options/a.yml"
    assert document.line == 1


def test_a_continuation_mark_that_was_escaped_for_markdown() -> None:
    (document,) = read("> python train.py -opt a.yml \\\\\\\n> --auto_resume\n")
    assert document.value == {"opt": "a.yml", "auto_resume": True, "@script": "train.py"}


def test_words_in_brackets_are_the_readers_to_fill_in() -> None:
    (document,) = read("```\npython train.py -opt [PATH TO OPTION] --sizes [1,2]\n```\n")
    assert document.value["opt"] == "[PATH TO OPTION]"
    assert document.meta["unresolved"] == (("opt",),)
    assert document.value["sizes"] == "[1,2]"


@pytest.mark.parametrize("words", ["[1, 2, 3]", "[1/2/3]", "[train | test]", "[16|32]", "[N]"])
def test_choices_in_brackets_are_the_readers_on_a_page(words):
    (document,) = read(f"```\npython train.py --protocol {words} --epochs 3\n```\n")
    assert document.value["protocol"] == words
    assert document.meta["unresolved"] == (("protocol",),)
    assert document.value["epochs"] == "3"


@pytest.mark.parametrize("before", ["", "# first\n", "cd codes\n", "pip install -r requirements.txt\n\n"])
def test_what_a_page_calls_python_may_be_what_a_shell_runs(before):
    (document,) = read(f"```python\n{before}python main_train_psnr.py --opt options/a.json\n```\n")
    assert document.value["opt"] == "options/a.json"


@pytest.mark.parametrize("line", ["import x", "python = 3", "x = 'python train.py --a 1'", "!pip install x"])
def test_python_that_speaks_of_commands_runs_none(line):
    assert read(f"```python\n{line}\npython train.py --not code\n```\n") == ()


@pytest.mark.parametrize(
    ("keys", "is_read"), [("a:\nb:\nc: 1", False), ("a:\nb: 2\nc: 1", True), ("a:\nb: 2", True)]
)
def test_a_page_that_lists_keys_shows_no_config(keys: str, is_read: bool) -> None:
    page = Source("README.md", f"```yaml\n{keys}\n```\n")
    assert bool(parse_markdown(page)) is is_read


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- 1. To load the data, run\n```\npython download.py --data all\n``` -->\n",
        "<!-- one line: ```` -->\n",
        "  <!--\n\n    python indented.py --x 1\n\n-->\n",
    ],
)
def test_a_comment_of_a_page_is_not_shown(comment):
    """Nor does a fence in it begin one that goes on behind it."""
    page = f"{comment}\n```\npython train.py --epochs 3\n```\n\nSee [train.sh](../train.sh) and [a](b.yml).\n"
    (document,) = read(page)
    assert document.value["epochs"] == "3"


def test_a_comment_in_a_block_of_code_is_code():
    (document,) = read("```\n<!--\npython train.py --epochs 3\n```\n")
    assert document.value["epochs"] == "3"
