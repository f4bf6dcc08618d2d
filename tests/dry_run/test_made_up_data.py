# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""--data: made-up images where a config points, in the private folder alone."""

from __future__ import annotations

import struct
import zlib

import pytest

from trainlint.dry_run.enclosure.instructions import PLAIN_COPY
from trainlint.dry_run.rehearsing.class_folders import ClassFolders, class_folders_of
from trainlint.dry_run.rehearsing.made_up_data import parse_made_up, png
from trainlint.dry_run.rehearsing.wanted_images import wanted_of
from trainlint.dry_run.starting.typed_command import program_of

from .conftest import facts, listing

LOOKS = """\
import os, struct, sys
def side(folder):
    names = sorted(os.listdir(folder))
    return len(names), struct.unpack(">II", open(os.path.join(folder, names[0]), "rb").read()[16:24])
big, small = side("/no/such/hr"), side("photos/lr")
assert big == (5, (64, 48)), big
assert small == (5, (32, 24)), small
assert sum(1 for _ in open("photos/names.txt")) == 5
train(4)
"""
CONFIG = """\
scale: 2
datasets:
  train: {dataroot_gt: /no/such/hr, dataroot_lq: photos/lr, meta_info: photos/names.txt}
"""


@pytest.mark.slow
def test_images_lie_where_the_config_points_and_nowhere_else(dry_run, program, project):
    program(LOOKS)
    (project / "c.yml").write_text(CONFIG)
    before = listing(project)
    result = dry_run("--data images:64x48:5 --format json -- PYTHON train.py --opt c.yml")
    assert facts(result)[0]["outcome"] == "pass", result.stdout
    assert listing(project) == before


@pytest.mark.slow
@pytest.mark.parametrize("small", ["photos", "halves"])
def test_a_list_of_pairs_names_images_of_both_sizes(small, dry_run, program, project):
    program(
        "import struct\n"
        "side = lambda path: struct.unpack('>II', open(path, 'rb').read()[16:24])\n"
        "pairs = [line.strip().split(', ') for line in open('pairs.txt')]\n"
        f"sides = [(side('photos/' + a), side('{small}/' + b)) for a, b in pairs]\n"
        "assert sides == [((64, 48), (32, 24))] * 3, sides\n"
        "train(4)"
    )
    (project / "c.yml").write_text(
        "scale: 2\ntrain:\n  type: RealESRGANPairedDataset\n  dataroot_gt: photos\n"
        f"  dataroot_lq: {small}\n  meta_info: pairs.txt\n"
    )
    result = dry_run("--data images:64x48:3 --format json -- PYTHON train.py --opt c.yml")
    assert facts(result)[0]["outcome"] == "pass", result.stdout


@pytest.mark.slow
def test_both_databases_of_a_pair_have_the_same_keys(dry_run, program, project):
    program(
        "lists = [open(f'/no/such/{side}.lmdb/meta_info.txt').readlines() for side in ('hr', 'lr')]\n"
        "keys = [[line.split('.')[0] for line in lines] for lines in lists]\n"
        "assert keys[0] == keys[1] and len(keys[0]) == 3, keys\n"
        "assert lists[1][0].split(' ')[1] == '(24,32,3)\\n', lists\n"
        "train(4)"
    )
    (project / "c.yml").write_text(
        "scale: 2\n"
        "train: {dataroot_gt: /no/such/hr.lmdb, dataroot_lq: /no/such/lr.lmdb, filename_tmpl: '{}x2'}\n"
    )
    result = dry_run("--data images:64x48:3 --format json -- PYTHON train.py --opt c.yml")
    assert facts(result)[0]["outcome"] == "pass", result.stdout


@pytest.mark.slow
def test_a_list_of_other_images_is_replaced(dry_run, program, project):
    program(
        "import os, sys; names = [line.split()[0] for line in open('names.txt')]; "
        "assert sorted(os.listdir('made')) == names, names; train(4)"
    )
    own = "0001_s001.png (480,480,3)\n0001_s002.png (480,480,3)\n"
    (project / "names.txt").write_text(own)
    (project / "c.yml").write_text("train: {dataroot_gt: made, meta_info_file: names.txt}\n")
    result = dry_run("--data images:8x8:3 --format json -- PYTHON train.py --opt c.yml")
    assert facts(result)[0]["outcome"] == "pass", result.stdout
    assert (project / "names.txt").read_text() == own


@pytest.mark.slow
def test_a_copy_of_the_project_has_its_own_list_and_no_images_through_a_link(
    dry_run, program, project, monkeypatch
):
    monkeypatch.setattr("trainlint.dry_run.enclosure.enclosure.best_kind", lambda _folder: PLAIN_COPY)
    program("import os, sys; assert open('names.txt').read().startswith('made_up_00000.png'); train(4)")
    own = "0001_s001.png (480,480,3)\n"
    (project / "names.txt").write_text(own)
    (project / "c.yml").write_text("train: {dataroot_gt: made, meta_info_file: names.txt}\n")
    result = dry_run("--data images:8x8:3 --format json -- PYTHON train.py --opt c.yml")
    assert facts(result)[0]["outcome"] == "pass", result.stdout
    assert (project / "names.txt").read_text() == own
    (project / "venv").mkdir()  # the copy has a link to it
    (project / "c.yml").write_text("train: {dataroot_gt: venv/made}\n")
    result = dry_run("--data images:8x8:3 -- PYTHON train.py --opt c.yml")
    assert '"venv/made" lies outside of the project' in str(result.exception)
    assert listing(project / "venv") == {}


@pytest.mark.slow
def test_a_list_of_another_form_is_kept(dry_run, program, project):
    program("import os, sys; assert open('clips.txt').read() == '000 100 (720,1280,3)\\n'; train(4)")
    (project / "clips.txt").write_text("000 100 (720,1280,3)\n")
    (project / "c.yml").write_text("train: {dataroot_gt: made, meta_info_file: clips.txt}\n")
    result = dry_run("--data images:8x8:3 --format json -- PYTHON train.py --opt c.yml")
    assert facts(result)[0]["outcome"] == "pass", result.stdout


@pytest.mark.slow
def test_a_name_that_made_up_data_lacks_is_no_crash_of_the_program(dry_run, program, project):
    program("import os, sys; open(os.path.join('made', '000', '00000000.png')); train(4)")
    (project / "c.yml").write_text("train: {dataroot_gt: made}\n")
    result = facts(dry_run("--data images:8x8:3 --format json -- PYTHON train.py --opt c.yml"))[0]
    assert result["outcome"] == "skipped"
    assert result["findings"] == []
    assert "has other names than it looks for (made)" in result["facts"]["missing"]["memory"]


@pytest.mark.slow
def test_a_file_missing_elsewhere_is_a_crash_with_made_up_data_too(dry_run, program, project):
    program("import os, sys; open('weights.pth'); train(4)")
    (project / "c.yml").write_text("train: {dataroot_gt: made}\n")
    result = facts(dry_run("--data images:8x8:3 --format json -- PYTHON train.py --opt c.yml"))[0]
    assert [found["rule"] for found in result["findings"]] == ["program-crashes"]


@pytest.mark.slow
def test_a_flag_points_too_and_what_is_there_is_kept(dry_run, program, project):
    program(
        "import os, sys; assert len(os.listdir('made')) == 3; assert os.listdir('own') == ['a.png']; train(4)"
    )
    (project / "own").mkdir()
    (project / "own" / "a.png").touch()
    result = dry_run("--data images:8x8:3 --format json -- PYTHON train.py --data-dir made --val-dir own")
    assert facts(result)[0]["outcome"] == "pass", result.stdout


BY_CLASS = """\
import argparse, os, sys
parser = argparse.ArgumentParser()
parser.add_argument({data}, default="imagenet"{more})
parser.add_argument("-a", "--arch")
parser.add_argument("--amp", action="store_true")
given = parser.parse_args()
root = given.data_path if {dashed} else given.data
# datasets.ImageFolder(os.path.join(root, "train")), and of "val"
for split in ("train", "val"):
    for name in ("class_0", "class_1"):
        assert len(os.listdir(os.path.join(root, split, name))) == 3, (root, split, name)
train(4)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "dashed"),
    [
        ("-a resnet18 photos", False),
        ("photos --amp", False),
        ("--amp photos -a resnet18", False),
        ("-a resnet18", False),
        ("--data-path photos --amp", True),
        ("--data-path=photos", True),
        ("", True),
    ],
)
def test_a_program_that_reads_by_class_gets_a_folder_for_each(words, dashed, dry_run, program, project):
    data, more = ("'--data-path'", "") if dashed else ("'data'", ", nargs='?'")
    program(BY_CLASS.format(data=data, more=more, dashed=dashed))
    result = dry_run(f"--data images:8x8:6 --format json -- PYTHON train.py {words}")
    assert facts(result)[0]["outcome"] == "pass", result.stdout
    assert [path.name for path in project.iterdir() if path.name in ("photos", "imagenet")] == []


def test_a_reader_by_class_is_known_by_its_source_alone(project):
    folder = project / "classes"
    folder.mkdir()

    def found(text: str, words: str):
        (folder / "train.py").write_text(text)
        return class_folders_of(program_of(["python", "train.py", *words.split()]), folder)

    imports = "from timm.data import create_loader, \\\n    create_dataset\n"
    timm = f"{imports}parser.add_argument('data', nargs='?')\n"
    own = "class ImageFolder(Dataset): pass\nparser.add_argument('--dataroot')\n"
    assert found(f"{timm}split = 'validation'", "photos") == ClassFolders(("photos",), ("validation",))
    assert found(own, "--dataroot photos") is None
    (folder / "datasets.py").write_text("import torchvision.datasets as d; d.ImageFolder(root)\n")
    assert found(own, "--dataroot photos") == ClassFolders(("photos",), ("train", "val"), by_script=False)


@pytest.mark.parametrize("words", ["photos --out weights", "--out weights photos"])
def test_a_word_without_a_flag_may_be_called_path(words, project):
    reads = "parser.add_argument('--out')\nparser.add_argument('path')\ndatasets.ImageFolder(args.path)\n"
    (project / "train.py").write_text(reads)
    program = program_of(["python", "train.py", *words.split()])
    assert class_folders_of(program, project) == ClassFolders(("photos",), ("train", "val"))


def test_a_folder_that_is_named_is_as_its_script_reads_it(project):
    program = program_of(["python", "train.py"])
    reads = "datasets.ImageFolder('photos')\n"
    (project / "train.py").write_text(reads)
    (by_class,) = wanted_of(program, project, ["photos"])
    assert by_class.splits
    (project / "train.py").write_text("os.listdir('photos')\n")
    (project / "other.py").write_text(reads)
    (flat,) = wanted_of(program, project, ["photos"])
    assert not flat.splits


def test_data_that_nobody_asks_for_is_refused(dry_run, program):
    program("train(4)")
    result = dry_run("--data images:8x8:3 -- PYTHON train.py --lr 1")
    assert "no key of the config and no flag names a folder" in str(result.exception)
    assert str(result.exception).endswith(": name it, images:8x8:3:FOLDER")


@pytest.mark.rest
def test_folders_that_the_code_alone_names_get_images_where_they_are_said(dry_run, program, project):
    (project / "own").mkdir()
    (project / "own" / "a.png").touch()
    lists = "import os\nassert [len(os.listdir(name)) for name in ('data/hr', 'val', 'own')] == [3, 3, 1]\n"
    program(f"{lists}train(4)")
    result = dry_run("--data images:8x8:3:data/hr,val,own --format json -- PYTHON train.py")
    assert facts(result)[0]["outcome"] == "pass", result.stdout
    assert not (project / "data").exists()
    assert not (project / "val").exists()


@pytest.mark.parametrize(
    "text",
    [
        "images",
        "images:0x4:2",
        "images:4x4:0",
        "images:4x4:99999",
        "videos:4x4:2",
        "images:4x4:2:",
        "images:4x4:2:a,",
    ],
)
def test_another_form_is_refused(text):
    with pytest.raises(ValueError, match="is not images:WIDTHxHEIGHT:COUNT"):
        parse_made_up(text)


def test_a_picture_is_a_png_of_its_size():
    data = png(5, 3)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (5, 3)
    start = data.index(b"IDAT")
    (size,) = struct.unpack(">I", data[start - 4 : start])
    assert len(zlib.decompress(data[start + 4 : start + 4 + size])) == 3 * (1 + 3 * 5)
