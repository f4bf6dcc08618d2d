# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository's own classes never read cannot be wrong for them; what they read can."""

from __future__ import annotations

import pytest

from tests.dialects.reader.test_own_ways import CONFIG, FILES, found  # noqa: F401  # a fixture

MODEL = "basicsr/models/own_model.py"
OWN = """
@MODEL_REGISTRY.register()
class OwnModel(SRModel):
    def __init__(self, opt):
        self.net_g = build_network(opt['network_g'])
        {}
"""
GAN = CONFIG.replace("SRModel", "OwnModel").replace(
    "type: MineNet, num_feat: 64}", "type: EDSR}\nnetwork_d: {type: MineNet}"
)
DISCRIMINATOR = "self.net_d = build_network(self.opt['network_d'])"


@pytest.mark.parametrize(
    ("line", "below", "is_said"),
    [
        (f"# {DISCRIMINATOR}", "", False),
        (DISCRIMINATOR, "", True),
        ("pass", f"    def setup(self):\n        {DISCRIMINATOR}\n", True),
        ("self.nets = [build_network(opt[f'network_{x}']) for x in 'gd']", "", True),
    ],
)
def test_a_network_that_no_line_builds_may_have_any_name(found, line, below, is_said):  # noqa: F811
    sr_model = "basicsr/models/sr_model.py"
    files = {MODEL: OWN.format(line), sr_model: FILES[sr_model].replace(" ...", f"\n    x = 1\n{below}")}
    assert ("misspelt-name" in found(GAN, **files)) is is_said


def test_a_class_below_that_lies_elsewhere_may_build_it(found):  # noqa: F811
    assert "misspelt-name" in found(GAN, **{MODEL: OWN.format("pass").replace("SRModel", "Elsewhere")})


POOL = GAN.replace("scale: 4\n", "scale: 4\nqueue_size: 66\n")


@pytest.mark.parametrize(
    ("line", "is_said"), [("pass", False), ("self.queue_size = opt.get('queue_size', 180)", True)]
)
def test_a_model_class_without_a_pool_takes_any_size_of_one(found, line, is_said):  # noqa: F811
    assert ("queue-not-divisible" in found(POOL, **{MODEL: OWN.format(line)})) is is_said


VIDEO = CONFIG.replace("type: MineNet, num_feat: 64", "type: EDSR").replace("PairedImage", "VideoTest")
TESTED = """
class VideoTestDataset(data.Dataset):
    def __init__(self, opt):
        {}

class VideoTestVimeoDataset(data.Dataset):
    def __init__(self, opt):
        self.cache_data = opt['cache_data']
"""


@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("self.cache_data = None", False),
        ("self.cache_data = opt['cache_data']", True),
        ("self.cached = VideoTestVimeoDataset(opt)", True),
    ],
)
def test_a_key_that_only_another_data_set_reads_is_not_missing(found, line, is_said):  # noqa: F811
    missing = found(VIDEO, **{"basicsr/data/video_test_dataset.py": TESTED.format(line)}).get("missing-key")
    assert ("cache_data" in (missing or ("", ""))[1]) is is_said


DEBUG = "    if 'debug' in opt['name']:\n        opt['logger']['print_freq'] = 8\n"
LOOP = "            total_iters = int(opt['train']['total_iter'])\n"


@pytest.mark.parametrize(
    ("asked", "is_said"),
    [("opt['logger']['print_freq']", True), ("opt.logger.print_freq", True), ("100", False)],
)
def test_a_key_that_is_set_and_never_read_has_any_value(found, asked, is_said):  # noqa: F811
    options, script = "basicsr/utils/options.py", FILES["basicsr/train.py"]
    files = {
        options: FILES[options].replace("    return opt", f"{DEBUG}    return opt"),
        "basicsr/train.py": script.replace(
            LOOP, f"{LOOP}            if current_iter % {asked} == 0: say()\n"
        ),
    }
    config = CONFIG.replace("type: MineNet, num_feat: 64", "type: EDSR").replace(
        "print_freq: 100", "print_freq: 0"
    )
    assert ("wrong-value" in found(config, **files)) is is_said
