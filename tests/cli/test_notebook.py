# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The notebook's magic: what it reads of a cell, what it displays, and real notebooks in a real kernel."""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from trainlint.cli.exit_code import Exit
from trainlint.cli.notebook_magic import Output, _cell, _judged, _options
from trainlint.documents.file_format import read
from trainlint.model.document import Cell
from trainlint.report.style import Style, printable

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = (ROOT / "examples" / "realesrgan_x4.yml").read_text("utf-8")
EVIL = "<script>alert(1)</script>\x1b]0;OWNED\x07"


def judged(line: str, text: str, **more):
    return _judged(_options(f"{line} --no-trace", has_cell=True), Cell("cell", text, **more))


def test_a_command_is_judged_with_what_the_kernel_knows(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    shell = SimpleNamespace(
        user_ns={"BATCH": 7, "unused": 1, "data": "photos", "python": Path},
        history_manager=SimpleNamespace(input_hist_raw=["x", "y"]),
    )
    cell = _cell(shell, "!python train.py data --model resnet50 -b {BATCH} --amp --epochs 3")
    assert cell.variables == (("BATCH", "7"), ("data", "photos"))
    assert cell.before == ("x",)
    (document,) = read(cell)
    assert document.value["b"] == "7"
    report, _ = _judged(_options("-t rtx-3060 --no-trace", has_cell=True), cell)
    assert [result.dialect for result in report.results] == ["timm"]


def test_earlier_cells_set_the_environment() -> None:
    line = "!python train_glfcr.py --gpu_ids 0,1 --batch_size 4"
    before = ("%env CUDA_VISIBLE_DEVICES=0", "import os\nos.environ['OTHER'] = 'x'\n!python train.py --a 1")
    (document,) = read(Cell("cell", line, before=before))
    assert document.value["@env"] == {"CUDA_VISIBLE_DEVICES": "0", "OTHER": "x"}


def test_a_written_config_is_judged_at_the_cells_lines(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    report, code = judged("-t kaggle-t4x2 --gpus 1", f"%%writefile train.yml\n{EXAMPLE}")
    assert code is Exit.FINDINGS
    (result,) = {one.name: one for one in report.results}.values()
    (finding,) = (one for one in result.findings if one.rule == "vram-budget")
    line, _ = result.source.position(finding.spans[0].start)
    assert result.source.line(line).strip() == "batch_size_per_gpu: 12"
    assert os.listdir() == []  # noqa: PTH208  # nothing was written


def test_it_displays_a_table_and_the_report(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    report, _ = judged("-t rtx-3060", f"%%writefile train.yml\n{EXAMPLE}")
    shown = Output(report, Style())._repr_mimebundle_()
    assert shown["text/plain"].startswith(
        "cell on rtx-3060 (NVIDIA GeForce RTX 3060): FAIL, runs out of memory"
    )
    assert re.search(r"<td[^>]*>█{10}</td><td[^>]*>at least 15.\d\d of 11.58 GiB</td>", shown["text/html"])
    assert "[vram-budget]" in shown["text/html"]
    assert shown["text/html"].count("<span") == shown["text/html"].count("</span>") > 10


def test_what_a_cell_says_is_text_in_the_page(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = EXAMPLE.replace("name: photos_x4_gan", f'name: "{EVIL.encode("unicode_escape").decode()}"', 1)
    assert text != EXAMPLE
    report, _ = judged("-t rtx-3060", f"%%writefile train.yml\n{text}")
    for shown in Output(report, Style(verbose=True))._repr_mimebundle_().values():
        assert "alert(1)" in shown
        assert [char for char in shown if char != "\n" and printable(char) != char] == []
    assert "<script" not in Output(report, Style())._repr_mimebundle_()["text/html"]


def test_a_cell_without_a_job_is_said_to_have_none_and_may_run(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    report, code = judged("", "x = 1")
    assert code is Exit.CLEAN
    assert "no training command or config in it" in Output(report, Style())._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize(
    ("line", "has_cell", "said"),
    [
        ("--tarjet x", True, "No such option"),
        ("a.yml", True, "expected no path"),
        ("", False, "lints files and folders"),
        ("a.yml --run", False, "has none"),
        ("'", False, "No closing quotation"),
    ],
)
def test_wrong_use_is_one_line(line, has_cell, said) -> None:
    error = pytest.importorskip("IPython.core.error")
    with pytest.raises(error.UsageError, match=said):
        _options(line, has_cell=has_cell)


# In a real kernel (.ci/full installs one).

RECIPES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "notebooks.md").read_text("utf-8"), re.DOTALL)


def ran(folder: Path, cells: list[str], **options):
    """Run cells in a kernel of this interpreter, with `folder` as its own, and return the notebook."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    import nbformat  # noqa: PLC0415 - skipped without

    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata.kernelspec = {"name": "python3", "display_name": "python3", "language": "python"}
    client = nbclient.NotebookClient(
        made, timeout=300, resources={"metadata": {"path": str(folder)}}, **options
    )
    return client.execute()


def said(cell) -> str:
    return "".join(each.get("text", "") + each.get("data", {}).get("text/plain", "") for each in cell.outputs)


def test_a_cell_is_linted_and_not_run(tmp_path) -> None:
    cells = ["%load_ext trainlint", f"%%trainlint -t kaggle-t4x2 --no-trace\n%%writefile a.yml\n{EXAMPLE}"]
    made = ran(tmp_path, cells)
    assert "[vram-budget]" in said(made.cells[1])
    assert "text/html" in made.cells[1].outputs[0].data
    assert not (tmp_path / "a.yml").exists()


def test_run_runs_what_fits_and_stops_the_notebook_at_what_does_not(tmp_path) -> None:
    fits = EXAMPLE.replace("batch_size_per_gpu: 12", "batch_size_per_gpu: 6")
    magic = "%%trainlint -t rtx-3060 --no-trace --run\n%%writefile"
    made = ran(tmp_path, ["%load_ext trainlint", f"{magic} good.yml\n{fits}", "print(6 * 7)"])
    assert (tmp_path / "good.yml").read_text("utf-8").strip() == fits.strip()
    assert said(made.cells[2]).strip() == "42"
    from nbclient.exceptions import CellExecutionError  # noqa: PLC0415 - skipped without

    with pytest.raises(CellExecutionError):
        ran(tmp_path, ["%load_ext trainlint", f"{magic} bad.yml\n{EXAMPLE}", "print(6 * 7)"])
    assert not (tmp_path / "bad.yml").exists()


def test_the_recipes_of_the_page_work(tmp_path) -> None:
    """Each but its installation, in a folder that has what it expects of Kaggle or Colab."""
    options = tmp_path / "Real-ESRGAN" / "options"
    options.mkdir(parents=True)
    (options / "train_realesrgan_x4plus.yml").write_text(EXAMPLE, encoding="utf-8")
    cells = [text for text in RECIPES if "pip install" not in text]
    assert len(cells) == len(RECIPES) - 2
    cells = [text.replace("!git clone", "!true git clone") for text in cells]
    made = ran(tmp_path, cells, allow_errors=True)
    shown = "\n".join(map(said, made.cells))
    assert "kaggle-t4x2" in shown
    assert "colab-t4" in shown
    assert "no training job" not in shown
    assert [each for cell in made.cells for each in cell.outputs if each.output_type == "error"] == []
