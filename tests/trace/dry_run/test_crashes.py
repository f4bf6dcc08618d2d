# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A crash is the program's own, at its own line, unless the imitation caused it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trace.dry_run.programs import dry_run

BEGIN = "import torch\nfrom torch import nn\n"


def crash_of(tmp_path, program):
    ran = dry_run(tmp_path, BEGIN + program)
    assert ran.outcome["status"] == "crashed", ran.printed
    return ran.outcome["crash"]


def last_line(crash):
    """Return the program's own innermost frame."""
    return next(frame[1] for frame in reversed(crash["frames"]) if Path(frame[0]).name == "train.py")


@pytest.mark.slow
def test_a_shape_that_does_not_fit_is_the_programs_own_error(tmp_path):
    crash = crash_of(tmp_path, "net = nn.Linear(8, 4).cuda()\nnet(torch.ones(2, 9, device='cuda'))\n")
    assert (crash["type"], crash["imitation"], last_line(crash)) == ("RuntimeError", False, 4)
    assert "shapes cannot be multiplied (2x9 and 8x4)" in crash["message"]


@pytest.mark.slow
def test_tensors_on_two_devices_are_refused_as_cuda_refuses_them(tmp_path):
    crash = crash_of(tmp_path, "net = nn.Linear(8, 4).cuda()\nnet(torch.ones(2, 8))\n")
    assert (crash["imitation"], last_line(crash)) == (False, 4)
    assert crash["message"].startswith("Expected all tensors to be on the same device")


@pytest.mark.slow
def test_numpy_of_a_tensor_on_the_gpu_is_refused_and_of_its_copy_not(tmp_path):
    crash = crash_of(tmp_path, "x = torch.ones(2).cuda()\nprint(x.cpu().numpy())\nx.numpy()\n")
    assert (crash["type"], crash["imitation"], last_line(crash)) == ("TypeError", False, 5)


@pytest.mark.slow
def test_an_assertion_on_known_values_is_the_programs_own(tmp_path):
    crash = crash_of(tmp_path, "labels = torch.tensor([1, 7]).cuda()\nassert labels.max() < 5, 'seven'\n")
    assert (crash["type"], crash["message"], crash["imitation"]) == ("AssertionError", "seven", False)


@pytest.mark.slow
def test_an_error_that_comes_of_a_guess_is_not_the_programs(tmp_path):
    crash = crash_of(
        tmp_path, "loss = nn.Linear(8, 4).cuda()(torch.ones(2, 8).cuda()).sum()\nprint(1 / loss.item())\n"
    )
    assert (crash["type"], crash["imitation"]) == ("ZeroDivisionError", True)
    assert "guessed in" in crash["reason"]


CHECKED = """\
def loss_of(net):
    return sum(x.item() for x in net(torch.ones(2, 8).cuda()).flatten())

def check(net):
    loss = loss_of(
        net,
    )
    print("the loss")
    print("before")
    print("training")
    print("is", loss)
    %s

check(nn.Linear(8, 4).cuda())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("then", "imitation"),
    [("assert 1 < loss < 2", True), ("raise KeyError('net_g')", False), ("check.width", False)],
)
def test_an_assertion_may_come_of_a_guess_that_was_read_on_the_way(then, imitation, tmp_path):
    crash = crash_of(tmp_path, CHECKED % then)
    assert crash["imitation"] == imitation


@pytest.mark.slow
@pytest.mark.parametrize(("name", "imitation"), [("made_up.txt", True), ("own.txt", False)])
def test_what_a_made_up_list_lacks_is_not_held_against_the_program(name, imitation, tmp_path):
    (tmp_path / name).write_text("0.png (8,8,3)\n")
    read = f"for line in open('{name}'):\n    large, small = line.split(', ')\n"
    ran = dry_run(tmp_path, BEGIN + read, made_up=[str((tmp_path / "made_up.txt").resolve())])
    assert (ran.outcome["crash"]["type"], ran.outcome["crash"]["imitation"]) == ("ValueError", imitation)


@pytest.mark.slow
def test_an_operator_without_any_kernel_is_the_imitations_fault(tmp_path):
    crash = crash_of(
        tmp_path,
        "library = torch.library.Library('theirs', 'DEF')\nlibrary.define('fast(Tensor x) -> Tensor')\n"
        "torch.ops.theirs.fast(torch.ones(2, device='cuda'))\n",
    )
    assert (crash["imitation"], last_line(crash)) == (True, 5)
    assert "fast" in crash["reason"]


@pytest.mark.slow
def test_weights_that_are_not_there_are_any_and_other_files_are_missed(tmp_path):
    ran = dry_run(
        tmp_path,
        BEGIN + "net = nn.Linear(8, 4)\nnet.load_state_dict(torch.load('nowhere/net.pth')['params'])\n"
        "open('nowhere.txt')\n",
        weights="shapes",
    )
    assert ran.outcome["crash"]["type"] == "FileNotFoundError"
    assert "nowhere.txt" in ran.outcome["crash"]["message"]
    assert any("nowhere/net.pth" in note for note in ran.outcome["notes"])


KEYS = """\
def load(net, file):
    found = torch.load(file)
    known = net.state_dict()
    # what its author says
    # of the keys here
    # is that all
    # have to be there
    # in the file
    if set(found) != set(known):
        raise ValueError(f"{%s}: keys do not match")
load(nn.Linear(8, 4), "nowhere/net.pth")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("named", "imitation"), [("file", True), ("net", False)])
def test_an_error_that_names_weights_that_are_not_there_is_not_the_programs(named, imitation, tmp_path):
    ran = dry_run(tmp_path, BEGIN + KEYS % named, weights="shapes")
    crash = ran.outcome["crash"]
    assert (crash["type"], crash["imitation"]) == ("ValueError", imitation)
    assert ("net.pth, which is not there" in crash["reason"]) == imitation


RESUMED = """\
def main():
    net = nn.Linear(9, 9).cuda()
    start = 0
    %s
    # where it went on
    # with what it had
    # when it was
    # stopped
    # before
    for _ in range(start, 1):
        net(torch.ones(9).cuda())
    assert start, "from the beginning"
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("caught", ["FileNotFoundError", "(OSError, KeyError)", "Exception"])
def test_a_program_that_goes_on_without_its_weights_does(caught, tmp_path):
    tried = f"try:\n        start = torch.load('last.pth')['epoch']\n    except {caught}:\n        pass"
    ran = dry_run(tmp_path, BEGIN + RESUMED % tried, weights="shapes")
    crash = ran.outcome["crash"]
    assert (crash["message"], crash["imitation"]) == ("from the beginning", False)
    assert ran.outcome["notes"] == ["there is no file last.pth, which the program handles"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "tried",
    [
        "start = torch.load('last.pth')['epoch']",
        "try:\n        start = torch.load('last.pth')['epoch']\n    except KeyError:\n        pass",
    ],
)
def test_an_error_of_what_was_given_for_weights_is_not_the_programs(tried, tmp_path):
    ran = dry_run(tmp_path, BEGIN + RESUMED % tried, weights="shapes")
    crash = ran.outcome["crash"]
    assert (crash["type"], crash["imitation"]) == ("TypeError", True)
    assert "any weights were taken for last.pth" in crash["reason"]


@pytest.mark.slow
def test_a_recurrent_network_s_weights_are_moved_into_one_buffer(tmp_path):
    """nn.LSTM asks for it where torch has cuDNN, also where it computes on meta."""
    ran = dry_run(
        tmp_path,
        BEGIN + "net = nn.LSTM(9, 9).cuda()\n"
        "torch._cudnn_rnn_flatten_weight(net._flat_weights, 4, 9, 2, 9, 0, 1, False, False)\n"
        "assert net(torch.ones(2, 3, 9).cuda())[0].shape == (2, 3, 9)\nassert not torch.ones(1), 'done'\n",
    )
    assert ran.outcome["crash"]["message"] == "done"


@pytest.mark.slow
def test_weights_that_are_not_there_are_copied_entry_by_entry_and_have_no_shapes(tmp_path):
    program = (
        "net = nn.Linear(8, 4)\nwhole = torch.load('nowhere/net.pth')\n"
        "net.load_state_dict({name.strip('module.'): value for name, value in whole['state'].items()})\n"
        "width = whole['conv.weight'].float().shape[0]\n"
    )
    ran = dry_run(tmp_path, BEGIN + program, weights="shapes")
    crash = ran.outcome["crash"]
    assert (crash["imitation"], last_line(crash)) == (True, 6)
    assert crash["reason"] == "there is no nowhere/net.pth, and the program reads shape of what it holds"


@pytest.mark.slow
def test_an_assertion_without_a_word_is_its_line_and_an_error_says_what_led_to_it(tmp_path):
    crash = crash_of(tmp_path, "heads = 3\nassert 8 % heads == 0\n")
    assert (crash["message"], crash["causes"]) == ("assert 8 % heads == 0", [])
    (tmp_path / "two").mkdir()
    led = "try:\n    open('nowhere')\nexcept OSError as error:\n    raise ValueError('no data') from error\n"
    crash = crash_of(tmp_path / "two", led)
    assert (crash["message"], crash["causes"]) == ("no data", ["FileNotFoundError"])


@pytest.mark.slow
def test_weights_of_a_hub_are_any_and_a_config_of_it_is_missed(tmp_path):
    hub = tmp_path / "huggingface_hub"
    hub.mkdir()
    (hub / "__init__.py").touch()
    (hub / "file_download.py").write_text(
        "def hf_hub_download(repo_id, filename):\n    raise ConnectionError('no network')\n"
    )
    ran = dry_run(
        tmp_path,
        BEGIN + "from huggingface_hub.file_download import hf_hub_download\n"
        "weights = torch.load(hf_hub_download('them/net', 'net.pth'))\n"
        "weights.pop('head')\nnn.Linear(8, 4).load_state_dict(weights)\n"
        "hf_hub_download('them/net', 'config.json')\n",
        weights="shapes",
    )
    assert (ran.outcome["crash"]["type"], last_line(ran.outcome["crash"])) == ("ConnectionError", 7)
    assert ran.outcome["notes"] == ["there is no file them/net/net.pth: any weights are taken"]


@pytest.mark.slow
def test_an_error_that_the_program_shows_in_its_own_way_is_still_its_error(tmp_path):
    hooked = "import sys\nsys.excepthook = lambda *error: print('oh dear')\nraise ValueError('two')\n"
    crash = crash_of(tmp_path, hooked)
    assert (crash["type"], crash["message"], last_line(crash)) == ("ValueError", "two", 5)


@pytest.mark.slow
def test_an_error_after_which_the_program_gives_up_is_its_error(tmp_path):
    caught = "import sys\ntry:\n    {}['key']\nexcept KeyError:\n    sys.exit(1)\n"
    crash = crash_of(tmp_path, caught)
    assert (crash["type"], crash["message"], last_line(crash)) == ("KeyError", "'key'", 5)


@pytest.mark.slow
def test_a_last_word_is_an_error_and_a_refused_command_is_left_to_its_parser(tmp_path):
    crash = crash_of(tmp_path, "import sys\nsys.exit('no data set is called moon')\n")
    assert (crash["type"], crash["message"]) == ("SystemExit", "no data set is called moon")
    refused = "import argparse\nparser = argparse.ArgumentParser()\nparser.parse_args(['--moon'])\n"
    assert dry_run(tmp_path, BEGIN + refused, "refused").outcome["status"] == "ended"


@pytest.mark.slow
def test_a_caught_error_and_a_plain_end_are_none(tmp_path):
    caught = "import sys\ntry:\n    {}['key']\nexcept KeyError:\n    pass\nsys.exit(0)\n"
    assert dry_run(tmp_path, BEGIN + caught).outcome["status"] == "ended"


SETUP = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('{}', [])\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("built", "imitated"),
    [
        ("own_kernel_cuda", True),
        ("ops.own_kernel_cuda", True),
        ("other_cuda', exclude='own_kernel_cuda", False),
    ],
)
def test_a_cuda_extension_of_the_repository_may_be_built_where_the_gpu_is(tmp_path, built, imitated):
    (tmp_path / "setup.py").write_text(SETUP.format(built))
    crash = crash_of(tmp_path, "import own_kernel_cuda\n")
    assert (crash["type"], crash["imitation"]) == ("ModuleNotFoundError", imitated)
    assert crash["reason"].startswith("own_kernel_cuda is a CUDA extension") is imitated


BUILT = """\
import asyncio
found = asyncio.new_event_loop().create_future()  # whose code is compiled
found.set_exception({error}('{says}'))
{line}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("says", "error", "line", "imitated"),
    [
        ("Expected u.is_cuda() to be true, but got false.", "RuntimeError", "found.result()", True),
        ("q must be on CUDA", "RuntimeError", "found.result()", True),
        ("q must be a CUDA tensor", "RuntimeError", "raise found.exception()", False),
        ("q must be a CUDA tensor", "KeyError", "found.result()", False),
        ("q must be contiguous", "RuntimeError", "found.result()", False),
    ],
)
def test_cuda_code_that_is_built_finds_no_tensor_on_a_gpu(says, error, line, imitated, tmp_path):
    crash = crash_of(tmp_path, BUILT.format(says=says, error=error, line=line))
    assert crash["imitation"] is imitated
    assert crash["reason"] == ("CUDA code that is built cannot run here" if imitated else "")


@pytest.mark.slow
@pytest.mark.parametrize("built", ["own_kernel_cuda", "other_cuda"])
def test_nor_is_one_whose_failed_import_goes_on_until_it_is_needed(tmp_path, built):
    (tmp_path / "setup.py").write_text(SETUP.format(built))
    crash = crash_of(
        tmp_path, "try:\n    import own_kernel_cuda\nexcept ImportError:\n    pass\nown_kernel_cuda.run()\n"
    )
    assert (crash["type"], crash["imitation"]) == ("NameError", built == "own_kernel_cuda")


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["repository", "site-packages"])
def test_basicsrs_operators_are_played_in_a_checkout_alone(tmp_path, folder):
    ops = tmp_path / folder / "zoo" / "ops"
    ops.mkdir(parents=True)
    (ops / "act.py").write_text(
        "try:\n    from . import fused_act_ext\nexcept ImportError:\n    pass\n"
        "def act(x):\n    return fused_act_ext.fused_bias_act(x, x, x, 3, 0, 0.2, 1.0)\n"
    )
    program = f"import sys\nsys.path.insert(0, {str(tmp_path / folder)!r})\nfrom zoo.ops.act import act\n"
    program += "print(act(torch.zeros(2, 3, device='cuda')).shape)\n"
    ran = dry_run(tmp_path, BEGIN + program)
    played = [note for note in ran.outcome["notes"] if note.startswith("fused_act_ext is not built here")]
    assert (bool(played), ran.outcome["status"]) == (
        (True, "ended") if folder == "repository" else (False, "crashed")
    )


@pytest.mark.slow
def test_a_file_that_the_installation_writes_may_be_there_where_the_gpu_is(tmp_path):
    (tmp_path / "setup.py").write_text(SETUP.format("kernels") + "version_file = 'zoo/version.py'\n")
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "__init__.py").write_text("from .version import __version__\n")
    crash = crash_of(tmp_path, "import zoo\n")
    assert crash["imitation"]
    assert crash["reason"].endswith("/setup.py writes zoo.version: install the project, or make that file")


@pytest.mark.slow
def test_a_network_that_is_traced_by_torch_jit_is_not_at_fault(tmp_path):
    program = "net = nn.Conv2d(3, 4, 3).cuda()\ntorch.jit.trace(net, torch.ones(1, 3, 8, 8, device='cuda'))\n"
    crash = crash_of(tmp_path, program)
    assert crash["imitation"]
    assert crash["reason"].startswith("torch.jit.trace")


@pytest.mark.slow
def test_a_package_that_setup_py_installs_is_no_extension(tmp_path):
    (tmp_path / "setup.py").write_text(SETUP.format("kernels") + "setup(name='zoo')\n")
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "__init__.py").touch()
    crash = crash_of(tmp_path, f"import sys\nsys.path.remove({str(tmp_path)!r})\nimport zoo\n")
    assert (crash["imitation"], crash["lacks"]["below"]) == (False, ".")


@pytest.mark.slow
def test_cuda_code_that_is_compiled_at_the_start_is_no_error_of_the_program(tmp_path):
    crash = crash_of(tmp_path, "from torch.utils.cpp_extension import load\nload('fast', ['fast.cu'])\n")
    assert crash["imitation"]
    assert crash["reason"] == "fast is CUDA code that is compiled at the start, and not here"


@pytest.mark.slow
def test_a_program_that_does_without_its_cuda_code_is_not_judged(tmp_path):
    ran = dry_run(
        tmp_path,
        BEGIN + "from torch.utils.cpp_extension import load\n"
        "try:\n    load('fast', ['fast.cu'])\nexcept Exception:\n    pass\n"
        "net = nn.Linear(8, 4).cuda()\noptimizer = torch.optim.SGD(net.parameters(), 1)\n"
        "for _ in range(4):\n    net(torch.ones(2, 8).cuda()).sum().backward()\n    optimizer.step()\n",
    )
    lacks = [note for note in ran.outcome["notes"] if isinstance(note, dict)]
    assert [lack["direction"] for lack in lacks] == ["unknown"]


ASSERTS = """\
x = nn.Linear(8, 4).cuda()(torch.ones(2, 8).cuda())
assert torch.all(x >= 0)
assert not (
    x < 0
).any(), "less"
assert (x >= 0).all() and (x < 9).all()
assert not (x > 9).all() and not torch.any(x > 8)
print("got through")
raise SystemExit("so far")
"""


@pytest.mark.slow
@pytest.mark.parametrize("boolean", [True, False])
def test_what_a_program_asserts_of_unknown_values_is_so(boolean, tmp_path):
    ran = dry_run(tmp_path, BEGIN + ASSERTS, guess={"value": int(boolean), "boolean": boolean})
    assert "got through" in ran.printed


VALIDATED = """
from torch.distributions import Categorical
chances = Categorical(logits=nn.Linear(8, 4).cuda()(torch.ones(2, 8).cuda()))
print(chances.log_prob(chances.sample()).sum().item())
"""


@pytest.mark.slow
@pytest.mark.parametrize("boolean", [False, True])
def test_what_torch_validates_of_a_distribution_holds(boolean, tmp_path):
    ran = dry_run(tmp_path, BEGIN + VALIDATED, guess={"value": int(boolean), "boolean": boolean})
    assert ran.outcome["status"] == "ended", ran.printed


@pytest.mark.slow
def test_the_positions_of_the_largest_have_no_more_values_than_there_are_classes(tmp_path):
    program = """
scores = nn.Linear(8, 4).cuda()(torch.ones(64, 8).cuda())
for guessed in (scores.argmax(dim=1).detach(), scores.max(1)[1].view(8, 8)):
    assert len(torch.unique(guessed)) == 4
guessed += 1
assert len(torch.unique(guessed)) == 64
"""
    ran = dry_run(tmp_path, BEGIN + program)
    assert ran.outcome["status"] == "ended", ran.printed


@pytest.mark.slow
def test_an_error_may_come_of_a_guess_before_the_one_that_its_handling_reads(tmp_path):
    program = """
loss = nn.Linear(8, 4).cuda()(torch.ones(2, 8).cuda()).sum()


def check(values):
    if len(torch.unique(values)) > 4:
        raise RuntimeError("too many")


try:
    check(torch.relu(loss + torch.ones(64).cuda()))
finally:
    print("the last one was", loss.item())
"""
    crash = crash_of(tmp_path, program)
    assert (crash["message"], crash["imitation"]) == ("too many", True)
    assert "guessed in" in crash["reason"]


@pytest.mark.slow
def test_a_sparse_tensor_on_the_gpu_is_the_imitations_lack(tmp_path):
    program = (
        "links = torch.eye(3).to_sparse()\nprint(links._nnz())\nlinks.cuda() @ torch.ones(3, 2).cuda()\n"
    )
    crash = crash_of(tmp_path, program)
    assert (crash["imitation"], last_line(crash)) == (True, 5)
    assert crash["reason"].startswith("it has a sparse tensor on the GPU")


@pytest.mark.slow
def test_an_extension_whose_source_is_published_need_not_be_built(tmp_path):
    ran = dry_run(
        tmp_path,
        BEGIN + "import smm_cuda\n"
        "a, b = torch.ones(2, 5, 8).cuda(), torch.ones(2, 8, 6).cuda()\n"
        "index = torch.zeros(2, 5, 3, dtype=torch.int32).cuda()\n"
        "print(smm_cuda.SMM_QmK_forward_cuda(a, b, index).shape)\n",
    )
    assert ran.printed.strip() == "torch.Size([2, 5, 3])"
    assert ran.outcome["notes"][0].startswith("smm_cuda is not built here")


FLEX = """\
from torch.nn.attention.flex_attention import flex_attention
bias = nn.Parameter(torch.ones(2, 31).cuda())
q, k, v = (torch.ones(3, 2, 16, 8, device="cuda", requires_grad=True) for _ in range(3))
def score(found, b, head, query, key):
    return found + bias[head, key - query + 15]
out = {}(q, k, v, score_mod=score)
out.sum().backward()
print(tuple(out.shape), tuple(bias.grad.shape))
"""


@pytest.mark.slow
def test_flex_attention_that_is_compiled_allocates_as_its_kernel_does(tmp_path):
    ran = dry_run(tmp_path, BEGIN + FLEX.format("torch.compile(flex_attention, dynamic=True)"))
    assert ran.printed.strip() == "(3, 2, 16, 8) (2, 31)"
    assert ran.outcome["notes"] == []


@pytest.mark.slow
def test_what_torch_says_of_tensors_of_its_own_is_no_error_of_the_program(tmp_path):
    crash = crash_of(tmp_path, FLEX.format("flex_attention"))
    assert crash["imitation"]


SWALLOWED = """\
def item():
    try:
        picture = open("pictures/00000001.png").read()
    except OSError:
        pass
    shape = (1,
        2,
        3,
        4)
    return len(picture), shape
item()
"""


@pytest.mark.slow
@pytest.mark.parametrize("made_up", [True, False])
def test_a_name_that_made_up_data_lacks_is_seen_where_the_program_swallows_it(tmp_path, made_up):
    (tmp_path / "pictures").mkdir()
    request = {"made_up": [str((tmp_path / "pictures").resolve())]} if made_up else {}
    crash = dry_run(tmp_path, BEGIN + SWALLOWED, **request).outcome["crash"]
    assert (crash["type"], crash["imitation"]) == ("UnboundLocalError", made_up)
    assert crash["reason"].endswith("(00000001.png)") is made_up


@pytest.mark.slow
def test_a_program_that_looks_for_its_packages_itself_lacks_one(tmp_path):
    words = "opencv-python is not installed. Please run ./install.sh"
    crash = crash_of(tmp_path, f"raise RuntimeError({words!r})\n")
    assert crash["lacks"] == {"name": "", "has": None, "below": None}


LISTED = """\
import os
def pairs(folder):
    inner = [name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))]
    return inner[0]
pairs("pictures")
"""


@pytest.mark.slow
@pytest.mark.parametrize("made_up", [True, False])
def test_folders_in_folders_that_made_up_data_lacks_are_not_held_against_the_program(tmp_path, made_up):
    (tmp_path / "pictures").mkdir()
    request = {"made_up": [str((tmp_path / "pictures").resolve())]} if made_up else {}
    crash = dry_run(tmp_path, BEGIN + LISTED, **request).outcome["crash"]
    assert (crash["type"], crash["imitation"]) == ("IndexError", made_up)


@pytest.mark.slow
def test_an_error_of_a_folder_that_is_not_there_names_it(tmp_path):
    crash = crash_of(tmp_path, "from glob import glob\nassert len(glob('data/*.png')) > 0, 'no images'\n")
    assert (crash["imitation"], crash["missing"]) == (False, "data")
