# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What only classes read that a config does not name is not wrong in it; what its own read is."""

from __future__ import annotations

import pytest

from tests.dialects.reader.test_own_ways import CONFIG, FILES, found  # noqa: F401  # a fixture

BASE = "basicsr/models/base_model.py"
SETS_UP = "class BaseModel:\n    def setup(self, opt):\n        self.sched = opt['train']['scheduler']\n"
SR = "basicsr/models/sr_model.py"
GAN = "basicsr/models/srgan_model.py"
OWN = """
@MODEL_REGISTRY.register()
class {}({}):
    def init(self, opt):
        {}
"""


def of(name, line, base="BaseModel"):
    return OWN.format(name, base, line)


GAN_LOSS = CONFIG.replace("MineNet, num_feat: 64", "EDSR").replace(
    "type: L1Loss}", "type: L1Loss}\n  gan_opt: {type: GanLos}"
)
READS = "self.gan = build_loss(opt['train']['gan_opt'])"


@pytest.mark.parametrize(
    ("line", "level"),
    [("pass", None), ("self.gan = build_loss(opt['train']['gan_opt'])", "fail")],
)
def test_a_loss_of_another_model_may_have_any_name(found, line, level):  # noqa: F811
    files = {BASE: SETS_UP, SR: of("SRModel", line), GAN: of("SRGANModel", READS)}
    assert found(GAN_LOSS, **files).get("misspelt-name", (None,))[0] == level


def test_a_function_for_all_models_reads_for_each(found):  # noqa: F811
    files = {BASE: SETS_UP, SR: of("SRModel", "pass"), GAN: of("SRGANModel", READS)}
    helper = {"basicsr/models/gan_util.py": f"def gan(opt):\n    {READS.replace('self.gan =', 'return')}\n"}
    assert found(GAN_LOSS, **files, **helper)["misspelt-name"][0] == "fail"


def test_what_a_model_imports_of_another_ones_file_is_read(found):  # noqa: F811
    sr = f"from basicsr.models.srgan_model import gan_of\n{of('SRModel', 'gan_of(opt)')}"
    files = {BASE: SETS_UP, SR: sr, GAN: of("SRGANModel", READS)}
    assert found(GAN_LOSS, **files)["misspelt-name"][0] == "fail"


SCHEDULE = CONFIG.replace("MineNet, num_feat: 64", "EDSR").replace(
    "{type: MultiStepLR, milestones: [100]}",
    "{type: CosineAnnealingRestartLR, periods: [100], restart_weights: [1], eta_min: 0}",
)


@pytest.mark.parametrize(("line", "is_said"), [("pass", False), ("x = opt['train']['scheduler']", True)])
def test_a_schedule_that_a_models_classes_do_not_read_may_end_early(found, line, is_said):  # noqa: F811
    files = {BASE: "class BaseModel: ...\n", SR: of("SRModel", line), GAN: of("SRGANModel", SETS_UP[-40:])}
    files[GAN] = of("SRGANModel", "x = opt['train']['scheduler']")
    assert ("schedule-sums" in found(SCHEDULE, **files)) is is_said


NETWORK = CONFIG.replace("type: MineNet, num_feat: 64}", "type: EDSR}\nnetwork_d: {type: EDSR, fancy: 3}")
BUILDS = "self.net_d = build_network(opt['network_d'])"


@pytest.mark.parametrize(("line", "is_said"), [("pass", False), (BUILDS, True)])
def test_a_network_that_only_another_model_builds_may_have_any_argument(found, line, is_said):  # noqa: F811
    net = {
        "basicsr/archs/edsr_arch.py": FILES["basicsr/archs/edsr_arch.py"].replace(
            " ...", "\n    def __init__(self): ..."
        )
    }
    generator = f"self.net_g = build_network(opt['network_g'])\n        {line}"
    files = {BASE: SETS_UP, SR: of("SRModel", generator), GAN: of("SRGANModel", BUILDS)}
    assert ("network-arguments" in found(NETWORK, **files, **net)) is is_said


VALIDATED = CONFIG.replace("MineNet, num_feat: 64", "EDSR").replace(
    "\nnetwork_g:",
    """
  val:
    name: val
    type: Vimeo90KDataset
    dataroot_gt: gt
    dataroot_lq: lq
    meta_info_file: meta.txt
    io_backend: {type: disk}
    num_frame: 7
    gt_size: ~
network_g:""",
)
READ = """
@DATASET_REGISTRY.register()
class Vimeo90KDataset(data.Dataset):
    def __init__(self, opt):
        self.is_train = opt.get('is_train', True)

    def __getitem__(self, index):
        gt_size = self.opt['gt_size']
        {}
"""
CROPS = "img_gt, img_lqs = paired_random_crop(img_gt, img_lqs, gt_size, scale, img_gt_path)"


@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        (f"if self.is_train:\n            {CROPS}", False),
        (f"if not self.is_train:\n            {CROPS}", True),
        (CROPS, True),
    ],
)
def test_a_size_that_only_training_uses_may_be_empty_elsewhere(found, line, is_said):  # noqa: F811
    said = found(VALIDATED, **{"basicsr/data/vimeo90k_dataset.py": READ.format(line)})
    assert ("wrong-type" in said) is is_said, said
