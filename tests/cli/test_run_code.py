# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Code of a trainer's repository: run once where the user permits it, served as a profile afterwards."""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import pytest
import yaml

from trainlint.tape.encoding import decode, encode

pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.process]

OPTIONS = "def parse_options(path):\n    return {}\n"
REGISTRY = """\
class Registry:
    def __init__(self):
        self.known = {}

    def register(self):
        def keep(found):
            self.known[found.__name__] = found
            return found
        return keep

    def get(self, name):
        return self.known[name]


ARCH_REGISTRY = Registry()
"""
SCAN = """\
import importlib
from os import scandir, path

for entry in sorted(e.name for e in scandir(path.dirname(__file__)) if e.name.endswith("_arch.py")):
    importlib.import_module(f"basicsr.archs.{entry[:-3]}")
"""
NETWORK = """\
import cv2
import torch
from torch import nn
from basicsr.archs.parts import Block
from basicsr.utils.registry import ARCH_REGISTRY

cv2.setNumThreads(0)


@ARCH_REGISTRY.register()
class Ripple(nn.Module):
    def load_state_dict(self, state_dict, strict=True):
        self.seen = state_dict["tail.weight"].shape[0] + state_dict.get("tail.bias").numel()
        return super().load_state_dict(state_dict, strict)

    def __init__(self, num_feat=16, upscale=4, num_out_ch=3):
        super().__init__()
        self.head, self.body = nn.Conv2d(3, num_feat, 3, padding=1), Block(num_feat)
        self.tail = nn.Conv2d(num_feat, num_out_ch * upscale**2, 3, padding=1)
        self.up = nn.PixelShuffle(upscale)

    def forward(self, x):
        return self.up(self.tail(self.body(self.head(x))))
"""
PARTS = """\
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return x + self.conv(x)
"""
OF_A_PACKAGE = f"""\
{PARTS}
{NETWORK.partition("@ARCH_REGISTRY.register()")[2]}
BUILDERS = {{"Ripple": "Ripple"}}
"""
PARAMETERS = (3 * 9 + 1) * 16 + (16 * 9 + 1) * 16 + (16 * 9 + 1) * 48
OLD = """\
  type: MSRResNet
  num_in_ch: 3
  num_out_ch: 3
  num_feat: 64
  num_block: 16
  upscale: 4
"""
ARGUMENTS = ("-t", "rtx-3060", "--launcher", "none", "--quiet")


@pytest.fixture
def fork(trainlint, variant):
    """Lay a checkout of a trainer with a network of its own, and others that cannot be imported."""
    write = trainlint.write
    (trainlint.folder / ".git").mkdir()
    write("basicsr/__init__.py", "from .archs import *\nfrom .version import __version__\n")
    write("basicsr/utils/__init__.py", "")
    write("basicsr/utils/options.py", OPTIONS)
    write("basicsr/utils/registry.py", REGISTRY)
    write("basicsr/archs/__init__.py", SCAN)
    write("basicsr/archs/ripple_arch.py", NETWORK)
    write("basicsr/archs/broken_arch.py", "raise RuntimeError('not on this machine')\n")
    write("basicsr/archs/other_arch.py", "import lmdb\n\nHANDLE = lmdb.open('data')\n")
    write("basicsr/archs/parts.py", PARTS)
    write("options/a.yml", variant((OLD, "  type: Ripple\n")))
    return trainlint


def check(fork) -> dict:
    (result,) = fork.json(*ARGUMENTS, "options/a.yml")["results"]
    return result


def trace(fork, *arguments: str):
    return fork("trace", "options/a.yml", *ARGUMENTS, *arguments)


def reason(result: dict) -> str:
    assert result["facts"]["memory"] is None
    return result["facts"]["missing"]["memory"]


@pytest.mark.slow
def test_its_network_is_run_once_and_serves_what_runs_nothing(fork):
    hint = "trainlint trace --run-code runs its code once and stores what it needs"
    assert hint in reason(check(fork))
    done = trace(fork, "--run-code")
    assert (done.returncode, done.stderr.count("no limits")) == (0, 0 if sys.platform == "linux" else 1)
    result = check(fork)
    assert result["facts"]["memory"]["gpus"][0]["allocated"] > 0
    assert result["facts"]["memory"]["source"] == "project"
    assert [(net["arch"], net["parameters"]) for net in result["networks"]] == [("Ripple", PARAMETERS)]


SET = """\
  val:
    name: Set5
    type: PairedImageDataset
    dataroot_gt: datasets/Set5/GTmod4
    dataroot_lq: datasets/Set5/LRbicx4
network_g:
"""


@pytest.mark.slow
def test_its_network_is_timed_on_the_images_of_a_known_set(fork):
    text = (fork.folder / "options/a.yml").read_text(encoding="utf-8")
    fork.write("options/a.yml", text.replace("network_g:\n", SET, 1) + "val: {val_freq: 5000}\n")
    trace(fork, "--run-code")
    facts = check(fork)["facts"]
    assert facts["memory"]["validation"] > 0
    assert facts["time"]["image_seconds"] is not None


@pytest.mark.slow
def test_a_file_that_it_was_made_from_takes_the_profile_back(fork):
    trace(fork, "--run-code")
    fork.write("basicsr/archs/broken_arch.py", "raise RuntimeError('still not')\n")
    assert check(fork)["facts"]["memory"] is not None
    fork.write("basicsr/archs/parts.py", PARTS.replace("x + self", "x - self"))
    why = reason(check(fork))
    assert "its profile is not used: basicsr/archs/parts.py was changed after it was made" in why
    trace(fork, "--run-code")
    assert check(fork)["facts"]["memory"] is not None


@pytest.mark.slow
def test_line_ends_are_no_change(fork):
    trace(fork, "--run-code")
    fork.write("basicsr/archs/parts.py", PARTS.replace("\n", "\r\n"))
    assert check(fork)["facts"]["memory"] is not None


@pytest.mark.slow
def test_a_profile_that_names_no_file_or_one_outside_is_not_used(fork):
    trace(fork, "--run-code")
    secret = fork.write("../secret.py", "x = 1\n")
    for made_with in ({}, {"file ../secret.py": "0" * 16}, {f"file {secret}": "0" * 16}):
        for path in (fork.folder / ".trainlint/profiles").iterdir():
            path.write_bytes(encode(replace(decode(path.read_bytes()), made_with=made_with)))
        assert "its profile is not used" in reason(check(fork))


BOOBY_TRAP = "\nopen('{place}', 'w').close()\n"


def test_nothing_runs_without_the_flag(fork):
    place = fork.folder / "executed"
    fork.write("basicsr/archs/ripple_arch.py", NETWORK + BOOBY_TRAP.format(place=place))
    for arguments in (("options/a.yml",), ("trace", "options/a.yml"), ("fit", "options/a.yml")):
        fork(*arguments, *ARGUMENTS)
    assert not place.exists()


def test_no_setting_of_the_tree_grants_it(fork):
    for name, table in (("trainlint.toml", ""), ("pyproject.toml", "[tool.trainlint]\n")):
        fork.write(name, f'{table}trusted = ["."]\n')
        done = trace(fork)
        assert done.returncode == 2
        assert "would run code of the linted tree" in done.stderr
        (fork.folder / name).unlink()


def user_settings(fork, text: str) -> None:
    """Write the user's settings, which lie in no linted tree."""
    home = fork.folder.with_name(f"{fork.folder.name}-home")
    (home / "trainlint").mkdir(parents=True, exist_ok=True)
    (home / "trainlint/settings.toml").write_text(text, "utf-8")
    fork.env["XDG_CONFIG_HOME"] = str(home)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CONFIG_HOME is Linux's")
def test_the_user_may_name_a_folder_that_is_trusted(fork, tmp_path_factory):
    user_settings(fork, f'trusted = ["{tmp_path_factory.mktemp("another")}"]\n')
    assert trace(fork).returncode == 1
    user_settings(fork, f'trusted = ["{fork.folder}"]\n')
    assert "Ripple" in trace(fork).stdout
    assert check(fork)["facts"]["memory"] is not None


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CONFIG_HOME is Linux's")
@pytest.mark.parametrize("folder", ["/", "~", str(Path.home().parent)])
def test_nobody_may_trust_all(fork, folder):
    user_settings(fork, f'trusted = ["{folder}"]\n')
    done = trace(fork)
    assert done.returncode == 2
    assert "not a whole disk or your home" in done.stderr


@pytest.mark.slow
def test_a_stand_in_that_is_called_is_named(fork):
    used = NETWORK.replace("self.body(self.head(x))", "self.body(torch.as_tensor(cv2.blur(self.head(x))))")
    fork.write("basicsr/archs/ripple_arch.py", used)
    done = trace(fork, "--run-code")
    assert done.returncode == 1
    assert '"cv2.blur" is called and cv2 is not there' in done.stderr


@pytest.mark.slow
def test_code_that_goes_on_after_a_stand_in_refused_is_not_believed(fork):
    body = "        try:\n            cv2.blur(x)\n        except Exception:\n            pass\n"
    used = NETWORK.replace("    def forward(self, x):\n", "    def forward(self, x):\n" + body)
    fork.write("basicsr/archs/ripple_arch.py", used)
    assert '"cv2.blur" is called' in trace(fork, "--run-code").stderr


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise ValueError('no such width')", "no such width"),
        pytest.param("import sys; sys.exit('bye')", "bye", marks=pytest.mark.slow),
        pytest.param("x = [0] * 10**13", "MemoryError", marks=pytest.mark.slow),
    ],
)
def test_code_that_fails_is_a_reason_in_one_line(fork, body, words):
    fork.write("basicsr/archs/ripple_arch.py", NETWORK.replace("cv2.setNumThreads(0)", body))
    done = trace(fork, "--run-code")
    assert done.returncode == 1
    (line,) = [one for one in done.stderr.splitlines() if words in one]
    assert "Traceback" not in done.stderr
    assert line.startswith("trainlint: options/a.yml: ")


MISCHIEF = """\
import ctypes, errno, fcntl, os, platform, resource, signal, socket, subprocess

ME, OTHER = __file__, os.getppid()
NUMBERS = {"x86_64": (129, 297, 165), "aarch64": (138, 240, 40)}[platform.machine()]


def called(number, *words):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *words) < 0:
        raise OSError(ctypes.get_errno(), "refused")


SIGNAL = ctypes.create_string_buffer(bytes([10, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]), 128)
TRIES = {
    "connection": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
    "hypervisor": lambda: socket.socket(40, socket.SOCK_STREAM),
    "program": lambda: subprocess.run(["true"]),
    "open": lambda: open(PLACE, "w"),
    "create": lambda: os.open(PLACE, os.O_RDONLY | os.O_CREAT),
    "empty": lambda: os.open(ME, os.O_RDONLY | os.O_TRUNC),
    "unlink": lambda: os.unlink(ME),
    "rename": lambda: os.rename(ME, PLACE),
    "mode": lambda: os.chmod(ME, 0),
    "times": lambda: os.utime(ME, (0, 0)),
    "attribute": lambda: os.setxattr(ME, "user.a", b"1"),
    "attribute of an open file": lambda: os.setxattr(os.open(ME, os.O_RDONLY), "user.a", b"1"),
    "flags": lambda: fcntl.ioctl(os.open(ME, os.O_RDONLY), 0x40086602, bytes(8)),
    "type into a terminal": lambda: fcntl.ioctl(os.open("/dev/null", os.O_RDONLY), 0x5412, b"x"),
    "signal": lambda: os.kill(OTHER, 0),
    "queued signal": lambda: called(NUMBERS[0], OTHER, 10, SIGNAL),
    "signal to a thread": lambda: called(NUMBERS[1], OTHER, OTHER, 10, SIGNAL),
    "limits of another": lambda: resource.prlimit(OTHER, resource.RLIMIT_CORE, (0, 0)),
    "mount": lambda: called(NUMBERS[2], b"none", os.path.dirname(ME).encode(), b"tmpfs", 0, None),
}


def tried(act):
    try:
        act()
    except OSError as error:
        return error.errno == errno.EPERM
    return False


DONE = [name for name, act in TRIES.items() if not tried(act)]
os.close(os.open(ME, os.O_RDONLY)), resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
raise ValueError(f"{len(TRIES)} tried, done: {DONE}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's")
def test_where_the_system_can_the_code_is_kept_from_the_worst(fork):
    text = f"PLACE = {str(fork.folder / 'executed')!r}\n{MISCHIEF}"
    written = NETWORK.replace("cv2.setNumThreads(0)", text)
    fork.write("basicsr/archs/ripple_arch.py", written)
    done = trace(fork, "--run-code")
    assert "19 tried, done: []" in " ".join(done.stderr.split())
    assert (fork.folder / "basicsr/archs/ripple_arch.py").read_text() == written


@pytest.mark.slow
def test_json_has_no_path_of_this_machine_in_what_is_stored(fork):
    trace(fork, "--run-code")
    for path in (fork.folder / ".trainlint/profiles").iterdir():
        header = path.read_bytes().split(b"\n", 1)[0]
        assert str(fork.folder) not in header.decode()
        assert json.loads(header)["step"]["own"]["networks"] == {
            "Ripple": "basicsr/archs/ripple_arch.py:Ripple"
        }


BASE = """\
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class BaseModel:
    def __init__(self, opt):
        self.opt = opt
        self.device = "cuda" if opt["num_gpu"] else "cpu"
        self.optimizers = []

    def model_to_device(self, net):
        net = net.to(self.device)
        if self.opt["dist"]:
            net = DistributedDataParallel(net, device_ids=[0])
        elif self.opt["num_gpu"] > 1:
            net = nn.DataParallel(net)
        return net
"""
MODEL = """\
import importlib
from collections import OrderedDict
from os import path as osp

import torch
from torch import nn
from basicsr.archs.ripple_arch import Ripple
from basicsr.losses import Edges
from basicsr.models.base import BaseModel


class RippleModel(BaseModel):
    def __init__(self, opt):
        super().__init__(opt)
        args = dict(opt["network_g"])
        args.pop("type")
        self.net_g = Ripple(**args)
        weights = torch.load(opt["path"]["pretrain_network_g"])
        self.net_g.load_state_dict(weights["params"], strict=True)
        self.net_g = self.model_to_device(self.net_g)
        self.cri_pix = Edges()
        self.optimizer_g = torch.optim.Adam(self.net_g.parameters(), lr=opt["train"]["optim_g"]["lr"])
        self.optimizers.append(self.optimizer_g)

    def feed_data(self, data):
        self.lq = data["lq"].to(self.device)
        self.gt = data["gt"].to(self.device)

    def optimize_parameters(self, current_iter):
        self.optimizer_g.zero_grad()
        self.output = self.net_g(self.lq)
        log, total = {}, 0
        log["l_pix"] = self.cri_pix(self.output, self.gt)
        total += log["l_pix"]
        total.backward()
        self.optimizer_g.step()
        self.log = {name: value.mean().item() for name, value in log.items()}

    def save(self, epoch, current_iter):
        net = getattr(self.net_g, "module", self.net_g)
        params = OrderedDict((name, tensor.cpu()) for name, tensor in net.state_dict().items())
        torch.save({"params": params}, osp.join(self.opt["path"]["models"], f"net_g_{current_iter}.pth"))
        state = {"iter": current_iter, "optimizers": [o.state_dict() for o in self.optimizers]}
        torch.save(state, osp.join(self.opt["path"]["training_states"], f"{current_iter}.state"))
"""
LOSSES = """\
from torch import nn


class Edges(nn.Module):
    def forward(self, x, y):
        return 1.0 * nn.functional.l1_loss(x, y)
"""


@pytest.fixture
def stepped(fork, variant):
    """Add a model class whose step is its own."""
    fork.write("basicsr/models/__init__.py", "")
    fork.write("basicsr/models/base.py", BASE)
    fork.write("basicsr/models/ripple_model.py", MODEL)
    fork.write("basicsr/losses.py", LOSSES)
    pairs = (OLD, "  type: Ripple\n"), ("pretrain_network_g: ~", "pretrain_network_g: w.pth")
    fork.write("options/a.yml", variant(("model_type: SRModel", "model_type: RippleModel"), *pairs))
    return fork


@pytest.mark.slow
@pytest.mark.parametrize("started", [("--launcher", "none"), ("--launcher", "torchrun:1")])
def test_its_model_class_is_driven_as_the_trainer_would(stepped, started):
    """A step that is BasicSR's in other words takes what BasicSR's takes, to the byte."""
    done = trace(stepped, "--run-code", *started)
    assert "Ripple" in done.stdout, done.stderr
    (own,) = stepped.json(*ARGUMENTS, *started, "options/a.yml")["results"]
    rmtree(stepped.folder / "basicsr")  # without a fork around it, SRModel is BasicSR's
    rmtree(stepped.folder / ".trainlint")
    stepped.write("mine/ripple.py", OF_A_PACKAGE)
    text = (stepped.folder / "options/a.yml").read_text(encoding="utf-8")
    stepped.write("options/a.yml", text.replace("RippleModel", "SRModel"))
    done = stepped(*ARGUMENTS, *started, "--networks", "mine", "--format", "json", "options/a.yml")
    (known,) = json.loads(done.stdout)["results"]
    assert own["facts"]["memory"]["gpus"][0]["allocated"] == known["facts"]["memory"]["gpus"][0]["allocated"]


@pytest.mark.slow
def test_a_network_that_trains_nothing_ends_a_launched_process(stepped):
    """torch: DistributedDataParallel is not needed when a module has nothing that requires a gradient."""
    loss = "self.cri_pix = Edges()\n"
    frozen = f"{loss}        self.model_to_device(nn.Conv2d(3, 3, 1).requires_grad_(False))\n"
    stepped.write("basicsr/models/ripple_model.py", MODEL.replace(loss, frozen))
    launched = trace(stepped, "--run-code", "--launcher", "torchrun:1")
    assert "DistributedDataParallel needs a parameter that requires a gradient" in launched.stderr
    assert (launched.returncode, launched.stdout) == (1, "")


@pytest.mark.slow
def test_a_copy_of_a_launched_network_has_buckets_of_its_own(stepped):
    """torch: DistributedDataParallel.__setstate__ builds its reducer again, and so its buckets."""
    started = ("--launcher", "torchrun:1")

    def allocated() -> int:
        done = trace(stepped, "--run-code", *started)
        assert done.returncode == 0, done.stderr
        (result,) = stepped.json(*ARGUMENTS, *started, "options/a.yml")["results"]
        size: int = result["facts"]["memory"]["gpus"][0]["allocated"]
        return size

    before, loss = allocated(), "self.cri_pix = Edges()\n"
    best = f"{loss}        import copy\n        self.net_best = copy.deepcopy(self.net_g)\n"
    stepped.write("basicsr/models/ripple_model.py", MODEL.replace(loss, best))
    blocks = [432 * 4, 2304 * 4, 6912 * 4, *(16 * 4, 16 * 4, 48 * 4), PARAMETERS * 4]
    assert allocated() - before == sum(-(-size // 512) * 512 for size in blocks)


@pytest.mark.slow
def test_a_library_that_leaves_by_exit_is_a_reason(stepped):
    loss = "self.cri_pix = Edges()\n"
    stepped.write("basicsr/models/ripple_model.py", MODEL.replace(loss, f"{loss}        exit()\n"))
    done = trace(stepped, "--run-code")
    assert "its model class cannot be built here: SystemExit" in done.stderr


@pytest.mark.slow
def test_a_network_whose_file_cannot_be_imported_is_named(stepped):
    """The registry knows only that it has no such name."""
    model = MODEL.replace("from basicsr.archs.ripple_arch import Ripple", "from basicsr.archs import SCANNED")
    model = model.replace("self.net_g = Ripple(", 'self.net_g = ARCH_REGISTRY.get("Ripple")(')
    model = model.replace("SCANNED", "ripple_arch\nfrom basicsr.utils.registry import ARCH_REGISTRY")
    stepped.write("basicsr/models/ripple_model.py", model)
    stepped.write("basicsr/archs/ripple_arch.py", f"raise RuntimeError('no such kernel')\n{NETWORK}")
    said = trace(stepped, "--run-code").stderr
    assert "KeyError: 'Ripple'" in said
    assert '("basicsr.archs.ripple_arch" cannot be imported: RuntimeError: no such kernel)' in said


STRUCTS = """\
from msgspec import Struct


class Strict(Struct, forbid_unknown_fields=True):
    pass


class Data(Strict):
    type: str
    io_backend: dict
    gt_size: int
    batch_size_per_gpu: int
    phase: str | None = None
    scale: int | None = None


class Options(Strict):
    name: str
    network_g: dict
    path: dict
    datasets: dict[str, Data]
    train: dict
    num_gpu: int = 0
    dist: bool = True
    is_train: bool = False
"""
KEPT = """\
class Config:
    _config = None

    @classmethod
    def kept(cls):
        if cls._config is None:
            raise RuntimeError("nothing is loaded")
        return cls._config
"""
APPLIES = """\
    def optimize_parameters(self, current_iter: int, current_accum_iter: int, apply_gradient: bool):
        self.output = self.net_g(self.lq)
        (self.cri_pix(self.output, self.gt) / 2).backward()
        if apply_gradient:
            assert current_accum_iter == 0
            self.optimizer_g.step()
            self.optimizer_g.zero_grad()
            self.stepped = 1

"""


@pytest.mark.slow
def test_options_are_of_the_class_that_a_model_class_asks_for(stepped):
    """As traiNNer-redux's are, whose script keeps them in a class; its calls say which is a step's last."""
    pytest.importorskip("msgspec")
    start, end = MODEL.index("    def optimize_parameters"), MODEL.index("    def save")
    model = MODEL[:start] + APPLIES + MODEL[end:]
    for name in ("network_g", "path", "train"):
        model = model.replace(f'opt["{name}"]', f"opt.{name}")
    model = model.replace("def __init__(self, opt):", "def __init__(self, opt: Options) -> None:")
    base = BASE.replace('opt["num_gpu"]', "opt.num_gpu").replace('opt["dist"]', "opt.dist")
    loss = "self.cri_pix = Edges()\n"
    assert loss in model
    model = model.replace(loss, f"{loss}        assert Config.kept().num_gpu == 1\n")
    imports = "from basicsr.utils.config import Config\nfrom basicsr.utils.structs import Options\n"
    stepped.write("basicsr/models/ripple_model.py", f"{imports}{model}")
    stepped.write("basicsr/utils/config.py", KEPT)
    stepped.write("basicsr/utils/structs.py", STRUCTS)
    stepped.write("basicsr/models/base.py", base)
    done = trace(stepped, "--run-code")
    assert done.returncode == 0, done.stderr
    assert check(stepped)["facts"]["memory"]["source"] == "project"


@pytest.mark.slow
def test_its_model_class_is_part_of_what_is_watched(stepped):
    hint = reason(check(stepped))
    assert "RippleModel has its own" in hint
    assert "trainlint trace --run-code" in hint
    trace(stepped, "--run-code")
    assert check(stepped)["facts"]["memory"]["source"] == "project"
    stepped.write("basicsr/losses.py", LOSSES.replace("l1_loss", "mse_loss"))
    assert "basicsr/losses.py was changed after it was made" in reason(check(stepped))


@pytest.mark.slow
def test_a_key_that_nobody_knows_the_shape_of_is_named(stepped):
    other = MODEL.replace('data["lq"]', 'data["depth"]')
    stepped.write("basicsr/models/ripple_model.py", other)
    assert (
        'its feed_data takes data["depth"], whose shape is not known' in trace(stepped, "--run-code").stderr
    )


@pytest.mark.slow
def test_what_a_fork_may_have_is_counted_where_its_own_class_ran(stepped):
    """A further network is on the tape of a class that builds it; what other files set is not."""
    text = (stepped.folder / "options/a.yml").read_text(encoding="utf-8")
    both = 'SEEN = ("_base_", "network_vqgan")\n'
    stepped.write("basicsr/models/ripple_model.py", both + MODEL)
    stepped.write("options/a.yml", f"{text}network_vqgan:\n  type: Ripple\n")
    trace(stepped, "--run-code")
    memory = check(stepped)["facts"]["memory"]
    assert (memory["uncounted"], memory["source"]) == ([], "project")
    stepped.write("options/a.yml", f"{text}_base_: [b.yml]\n")
    trace(stepped, "--run-code")
    (term,) = check(stepped)["facts"]["memory"]["uncounted"]
    assert term["what"] == 'what other files set ("_base_")'


def drawing(fork, package: str, act: str) -> str:
    """Have the network draw a number in each step; return what tracing it said, or nothing."""
    text = NETWORK.replace("import cv2\n", f"import cv2\nimport {package}\n")
    text = text.replace("self.body(self.head(x))", f"{act.format(draw=f'{package}.random()')}")
    fork.write("basicsr/archs/ripple_arch.py", text.replace("numpy.random()", "numpy.random.rand()"))
    return trace(fork, "--run-code").stderr


@pytest.mark.slow
@pytest.mark.parametrize("package", ["random", "numpy"])
def test_blocks_that_are_skipped_at_random_are_not_judged(fork, package):
    """One trace would hold as much as one outcome needs."""
    said = drawing(fork, package, "(lambda h: self.body(h) if {draw} < 0.5 else h)(self.head(x))")
    assert "draws random numbers (random, numpy.random) that decide what a step keeps" in said
    assert "internal error" not in said


@pytest.mark.slow
@pytest.mark.parametrize("package", ["random", "numpy"])
def test_a_number_that_decides_no_block_changes_nothing(fork, package):
    assert not drawing(fork, package, "self.body(self.head(x) * {draw})")
    assert check(fork)["facts"]["memory"]["source"] == "project"


@pytest.mark.slow
def test_what_it_compiles_itself_is_not_judged(stepped):
    other = MODEL.replace(
        "self.net_g = self.model_to",
        "self.net_g = torch.compile(self.net_g)\n        self.net_g = self.model_to",
    )
    stepped.write("basicsr/models/ripple_model.py", other)
    assert "its code calls torch.compile" in trace(stepped, "--run-code").stderr


@pytest.mark.slow
def test_a_compiled_operator_that_the_zoo_knows_stands_in_for_itself(fork):
    scan = "from mamba_ssm.ops.selective_scan_interface import selective_scan_fn\n"
    used = NETWORK.replace("import cv2\n", f"import cv2\n{scan}").replace(
        "    def forward(self, x):\n",
        "    def forward(self, x):\n"
        "        rows = x.flatten(2)\n"
        "        state, skip = x.new_zeros(3, 4), x.new_zeros(3)\n"
        "        gates = rows.new_zeros(len(x), 4, rows.shape[2])\n"
        "        scanned = selective_scan_fn(rows, rows, state, gates, gates, skip, delta_bias=skip)\n"
        "        x = x + scanned.view_as(x)\n",
    )
    fork.write("basicsr/archs/ripple_arch.py", used)
    done = trace(fork, "--run-code")
    assert "Ripple" in done.stdout, done.stderr


NEOSR_PARTS = """\
import argparse
import tomllib


def net_opt():
    parser = argparse.ArgumentParser()
    parser.add_argument("-opt", type=str)
    parser.add_argument("--launcher", default="none")
    named = parser.parse_args().opt
    if not named.endswith(".toml"):
        raise ValueError("expected TOML")
    with open(named, "rb") as file:
        options = tomllib.load(file)
    return options["scale"], "train" in options["datasets"]
"""
NEOSR_NETWORK = """\
from torch import nn
from neosr.archs.arch_util import net_opt
from neosr.utils.registry import ARCH_REGISTRY

upscale, training = net_opt()


@ARCH_REGISTRY.register()
class ripple(nn.Module):
    def __init__(self, dim=16, upscale=upscale):
        super().__init__()
        assert training
        self.head = nn.Conv2d(3, dim, 3, padding=1)
        self.tail = nn.Conv2d(dim, 3 * upscale**2, 3, padding=1)
        self.up = nn.PixelShuffle(upscale)

    def forward(self, x):
        return self.up(self.tail(self.head(x)))
"""
NEOSR = """\
name = "a"
model_type = "image"
scale = {scale}
use_amp = true
bfloat16 = true

[datasets.train]
type = "paired"
dataroot_gt = "data/gt"
dataroot_lq = "data/lq"
patch_size = 32
batch_size = 4

[network_g]
type = "ripple"

[train.optim_g]
type = "adan_sf"
lr = 1e-3

[train.pixel_opt]
type = "L1Loss"

[logger]
total_iter = 1000
print_freq = 100
save_checkpoint_freq = 500
"""


@pytest.fixture
def neosr(trainlint):
    """Lay a checkout whose networks read the option file that the command line names."""
    (trainlint.folder / ".git").mkdir()
    trainlint.write("neosr/__init__.py", "")
    trainlint.write("neosr/utils/__init__.py", "")
    trainlint.write("neosr/utils/options.py", OPTIONS)
    trainlint.write("neosr/utils/registry.py", REGISTRY)
    trainlint.write("neosr/archs/__init__.py", SCAN.replace("basicsr", "neosr"))
    trainlint.write("neosr/archs/arch_util.py", NEOSR_PARTS)
    trainlint.write("neosr/archs/ripple_arch.py", NEOSR_NETWORK)
    return trainlint


READ_AS_YAML = {"import tomllib": "import yaml", '".toml"': '".yml"', "tomllib.load(": "yaml.safe_load("}
"""How neosr's first versions read their option files."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "form"),
    [
        (2, "toml"),
        pytest.param(4, "toml", marks=pytest.mark.slow),
        pytest.param(4, "yml", marks=pytest.mark.slow),
    ],
)
def test_networks_that_read_the_command_are_given_one(neosr, scale, form):
    """The step's scale, in an option file of the format that the trainer reads."""
    text = NEOSR.format(scale=scale)
    if form == "yml":
        parts = NEOSR_PARTS
        for toml, yml in READ_AS_YAML.items():
            assert toml in parts
            parts = parts.replace(toml, yml)
        neosr.write("neosr/archs/arch_util.py", parts)
        text = yaml.safe_dump(tomllib.loads(text))
    neosr.write(f"options/a.{form}", text)
    done = neosr("trace", f"options/a.{form}", *ARGUMENTS, "--run-code")
    assert done.returncode == 0, done.stderr
    (result,) = neosr.json(*ARGUMENTS, f"options/a.{form}")["results"]
    assert result["facts"]["memory"]["source"] == "project"
    (network,) = result["networks"]
    assert network["parameters"] == (3 * 9 + 1) * 16 + (16 * 9 + 1) * 3 * scale**2


def test_what_a_step_keeps_is_written_as_its_trainer_reads_it(tmp_path):
    """Tables, lists and what TOML has no word for, by two readers."""
    from trainlint.trace.own_code.import_command import command  # noqa: PLC0415 - imports torch

    kept = {"a": [1, 2.5, None, 'é\n"'], "b": {"c.d": True, "e": None, "f": {}}, "name": "run"}
    step = {"own": {"config": json.dumps(kept)}, "scale": 3}
    *_, yml = command(step, tmp_path)
    always = {"scale": 3, "datasets": {"train": {}}, "path": {}, "num_gpu": 1}
    assert yaml.safe_load(Path(yml).read_text("utf-8")) == {**always, **kept}
    *_, toml = command({**step, "own": {**step["own"], "form": "toml"}}, tmp_path)
    without = {"a": [1, 2.5, 'é\n"'], "b": {"c.d": True, "f": {}}, "name": "run"}
    assert tomllib.loads(Path(toml).read_text("utf-8")) == {**always, **without}


DEFORMED = """\
import torch
from torch import nn
from torch.autograd import Function
from basicsr.ops.dcn import deform_conv_ext
from basicsr.utils.registry import ARCH_REGISTRY


class Sampled(Function):
    @staticmethod
    def forward(ctx, x, offset, mask, weight, bias):
        ctx.save_for_backward(x, offset, mask, weight, bias)
        ctx.bufs = [x.new_empty(0), x.new_empty(0)]
        made = x.new_empty(len(x), len(weight), *x.shape[2:])
        how = (3, 3, 1, 1, 1, 1, 1, 1, 2, 4, True)
        deform_conv_ext.modulated_deform_conv_forward(
            x, weight, bias, ctx.bufs[0], offset, mask, made, ctx.bufs[1], *how)
        return made

    @staticmethod
    def backward(ctx, grad):
        x, offset, mask, weight, bias = ctx.saved_tensors
        found = [torch.zeros_like(each) for each in ctx.saved_tensors]
        to_x, to_offset, to_mask, to_weight, to_bias = found
        deform_conv_ext.modulated_deform_conv_backward(
            x, weight, bias, ctx.bufs[0], offset, mask, ctx.bufs[1], to_x, to_weight, to_bias, to_offset,
            to_mask, grad.contiguous(), 3, 3, 1, 1, 1, 1, 1, 1, 2, 4, True)
        return tuple(found)


@ARCH_REGISTRY.register()
class Ripple(nn.Module):
    def __init__(self, num_feat=16, upscale=4):
        super().__init__()
        self.head = nn.Conv2d(3, num_feat, 3, padding=1)
        self.where = nn.Conv2d(num_feat, 4 * 27, 3, padding=1)
        self.weight = nn.Parameter(torch.empty(num_feat, num_feat // 2, 3, 3))
        self.bias = nn.Parameter(torch.empty(num_feat))
        self.tail = nn.Conv2d(num_feat, 3 * upscale**2, 3, padding=1)
        self.up = nn.PixelShuffle(upscale)

    def forward(self, x):
        x = self.head(x)
        offset, mask = (part.contiguous() for part in self.where(x).split([72, 36], dim=1))
        return self.up(self.tail(Sampled.apply(x, offset, mask, self.weight, self.bias)))
"""


@pytest.mark.slow
def test_a_modulated_deformable_convolution_makes_its_columns(fork):
    """BasicSR's compiled operator, called by the repository's own function; its package is not there."""
    fork.write("basicsr/archs/ripple_arch.py", DEFORMED)
    done = trace(fork, "--run-code")
    assert done.returncode == 0, done.stderr
    assert check(fork)["facts"]["memory"]["gpus"][0]["allocated"] > 0


PLAIN = (
    DEFORMED.partition("class Sampled")[0]
    + """\
class Sampled(Function):
    @staticmethod
    def forward(ctx, x, offset, weight):
        ctx.save_for_backward(x, offset, weight)
        ctx.how = (3, 3, 1, 1, 1, 1, 1, 1, 2, 4)
        made = x.new_empty(len(x), len(weight), *x.shape[2:])
        deform_conv_ext.deform_conv_forward(
            x, weight, offset, made, x.new_empty(0), x.new_empty(0), *ctx.how, len(x))
        return made

    @staticmethod
    def backward(ctx, grad):
        x, offset, weight = ctx.saved_tensors
        to_x, to_offset, to_weight = (torch.zeros_like(each) for each in ctx.saved_tensors)
        spare = x.new_empty(0)
        deform_conv_ext.deform_conv_backward_input(
            x, offset, grad, to_x, to_offset, weight, spare, *ctx.how, len(x))
        if ctx.needs_input_grad[2]:
            deform_conv_ext.deform_conv_backward_parameters(
                x, offset, grad, to_weight, spare, spare, *ctx.how, 1, len(x))
        return to_x, to_offset, to_weight


@ARCH_REGISTRY.register()
class Ripple(nn.Module):
    def __init__(self, num_feat=16, upscale=4):
        super().__init__()
        self.head = nn.Conv2d(3, num_feat, 3, padding=1)
        self.where = nn.Conv2d(num_feat, 4 * 18, 3, padding=1)
        self.weight = nn.Parameter(torch.empty(num_feat, num_feat // 2, 3, 3))
        self.tail = nn.Conv2d(num_feat, 3 * upscale**2, 3, padding=1)
        self.up = nn.PixelShuffle(upscale)

    def forward(self, x):
        x = self.head(x)
        return self.up(self.tail(Sampled.apply(x, self.where(x), self.weight)))
"""
)


@pytest.mark.slow
def test_a_deformable_convolution_without_mask_is_judged_with_one_sample_and_stops_with_more(fork, variant):
    """BasicSR's compiled operator cannot make its weight's gradient from several samples at once."""
    fork.write("basicsr/archs/ripple_arch.py", PLAIN)
    done = trace(fork, "--run-code")
    assert "cannot view those of several samples at once" in done.stderr
    assert check(fork)["facts"]["memory"] is None
    one = ("batch_size_per_gpu: 16", "batch_size_per_gpu: 1")
    fork.write("options/a.yml", variant((OLD, "  type: Ripple\n"), one))
    done = trace(fork, "--run-code")
    assert done.returncode == 0, done.stderr
    assert check(fork)["facts"]["memory"]["gpus"][0]["allocated"] > 0
