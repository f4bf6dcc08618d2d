# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Ways of a repository's own to find a class, a file or a value (bench/planted/own_ways.toml has more)."""

from __future__ import annotations

import pytest

from tests.dialects.reader.test_own_ways import CONFIG, FILES
from tests.dialects.reader.test_own_ways import found as found  # noqa: PLC0414 - a fixture
from trainlint.api import check
from trainlint.repository.trainer.mentioned_words import Words

PLAIN = CONFIG.replace("{type: MineNet, num_feat: 64}", "{type: EDSR}")


@pytest.mark.parametrize(("imported", "level"), [("import owndata\n", "warn"), ("", "fail")])
def test_a_package_that_lies_elsewhere_may_enter_its_data_sets(found, imported, level):
    config = PLAIN.replace("type: PairedImageDataset", "type: OwnPairs")
    script = {"basicsr/train.py": imported + FILES["basicsr/train.py"]}
    assert found(config, **script)["misspelt-name"][0] == level


@pytest.mark.parametrize(
    ("read", "level"), [("return pick(dataset_opt.batch_size_per_gpu)", "warn"), ("return None", "fail")]
)
def test_options_that_are_asked_as_attributes_may_take_more(found, read, level):
    config = PLAIN.replace("batch_size_per_gpu: 4", "batch_size_per_gpu: auto")
    published = "batch_size = dataset_opt['batch_size_per_gpu']"
    loader = (
        "def build_dataloader(dataset, dataset_opt):\n    phase = dataset_opt['phase']\n"
        f"    if phase == 'train':\n        if dist:\n            {published}\n    {read}\n"
    )
    files = {"basicsr/data/__init__.py": f"{FILES['basicsr/data/__init__.py']}\n\n{loader}"}
    assert found(config, **files)["wrong-type"][0] == level


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("module = find('models.network_' + net_type)\n", True),
        ("module = find(f'models.network_{net_type}')\n", True),
        ("module = importlib.import_module(name)\n", True),
        ("module = find('network_')\n", False),
    ],
)
def test_a_file_that_is_called_by_a_name_is_found_by_it(code, named):
    files = ["models/select_network.py", "models/network_ownres.py"]
    assert Words([code, "class Net: ...\n"], files).names_file("ownres") is named


COMMAND = (
    "accelerate launch train_network.py --pretrained_model_name_or_path m.safetensors --train_data_dir d "
    "--output_dir o --network_module networks.lora --resolution 512 --cache_latents --random_crop\n"
)
SAYS = "when caching latents, either color_aug or random_crop cannot be used"


@pytest.mark.parametrize(("asserted", "level"), [("group.is_cacheable()", "fail"), ("True", "warn")])
def test_what_always_holds_stops_nothing(tmp_path, asserted, level):
    (tmp_path / ".git").mkdir()
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "train_util.py").write_text(f'assert {asserted}, "{SAYS}"\n')
    (tmp_path / "train_network.py").write_text("import argparse\nparser = argparse.ArgumentParser()\n")
    (tmp_path / "run.sh").write_text(COMMAND)
    results = check(str(tmp_path / "run.sh"), "t4", trace=False).results
    levels = {str(one.level) for result in results for one in result.findings if "latents" in one.rule}
    assert levels == {level}


@pytest.mark.parametrize(("name", "idle"), [("train_x4", True), ("debug_x4", False), (None, False)])
def test_what_is_read_for_another_name_is_not_come_to(name, idle):
    reader = "def parse(opt):\n    if 'debug' in opt['name']:\n        opt['logger']['print_freq'] = 1\n"
    words = Words([f"{reader}\n\nparse(opt)\n"])
    config = {"name": name, "datasets": {"train": {"name": "images"}}}
    assert words.is_idle("logger", config) is idle


@pytest.mark.parametrize(
    ("line", "idle"),
    [
        ("print(opt.logger.print_freq)", False),
        ("self.print_freq = 1", True),
        ("opt.print_freq()", True),
        ("opt.print_freq = 1", True),
    ],
)
def test_a_key_that_is_read_as_an_attribute_is_come_to(line, idle):
    reader = "def parse(opt):\n    if 'debug' in opt['name']:\n        opt['logger']['print_freq'] = 1\n"
    words = Words([f"{reader}\n\n{line}\n"])
    assert words.is_idle("print_freq", {"name": "train_x4"}) is idle
