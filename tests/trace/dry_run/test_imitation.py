# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program asks about its GPU is answered alike everywhere; what is hidden from the recorder is
found."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tests.trace.dry_run.programs import GPU, dry_run, peak
from trainlint.tape import Event
from trainlint.trace.dry_run.operators.known_values import Values

ASKED = """
    import copy, io, torch
    from torch import nn
    here = torch.device("cuda:0")
    x = torch.rand(4, 3, device="cuda")
    assert x.device == here and x.is_cuda and not x.is_meta and x.get_device() == 0
    assert x.type() == "torch.cuda.FloatTensor" and x.untyped_storage().device == here
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1 and torch.cuda.current_device() == 0
    assert torch.cuda.get_device_name() == "NVIDIA GeForce RTX 3060"
    assert torch.cuda.get_device_capability() == (8, 6)
    assert torch.cuda.get_device_properties(0).total_memory == 12 * 2**30
    before = torch.cuda.memory_allocated()
    y = torch.empty(1024, 256, device=here)
    assert torch.cuda.memory_allocated() - before == 2**20
    del y
    assert torch.cuda.memory_allocated() == before

    # moves, in every spelling, keep what a tensor is
    ones = [1.0, 1.0, 1.0]
    for moved in (torch.ones(3).to("cuda"), torch.ones(3).cuda(0), torch.ones(3).to(0),
                  torch.tensor(ones, device="cuda"), torch.as_tensor(ones, device="cuda:0"),
                  torch.ones(3).type("torch.cuda.FloatTensor"), x.new_tensor(ones)):
        assert moved.is_cuda and moved.tolist() == [1.0, 1.0, 1.0] and not moved.cpu().is_cuda
    assert moved.to("cuda") is moved
    with torch.device("cuda"):
        assert torch.zeros(2).is_cuda and torch.tensor([3]).item() == 3
    net = nn.Linear(3, 3)
    weight = net.weight
    net.cuda()
    assert net.weight is weight and weight.is_cuda and weight.requires_grad and weight.is_leaf
    assert copy.deepcopy(net).weight.is_cuda
    assert "device='cuda:0'" in repr(torch.tensor([1.0], device="cuda"))

    # a program's own meta tensors stay what they are
    meta = torch.empty(5, device="meta")
    assert meta.is_meta and not meta.is_cuda and (meta + 1).is_meta
    assert torch.empty_like(meta, device="cuda").is_cuda

    # values that are known
    labels = torch.tensor([3, 1, 2]).cuda()
    mask = labels > 1
    assert mask.sum().item() == 2 and labels[mask].tolist() == [3, 2]
    assert x[torch.tensor([True, False, True, True])].shape[0] == 3
    assert torch.nonzero(mask).shape == (2, 1) and len(labels.unique()) == 3
    labels[0] = 9
    assert labels.max() == 9 and (9 in labels)
    assert bool(torch.isfinite(x @ x.T).all())

    # gradients across the devices
    leaf = torch.ones(3, requires_grad=True)
    (leaf.cuda() * 2).sum().backward()
    assert leaf.grad is not None and not leaf.grad.is_cuda
    print("all as on a GPU")
"""


@pytest.mark.torch
@pytest.mark.parametrize(("count", "known"), [(8, True), (4096, False)])
def test_large_parameters_have_no_values_as_what_follows_from_them(count, known):
    values = Values()
    parameter = nn.Parameter(torch.empty(count, device="meta"))
    values.keep(parameter, torch.ones(count))
    states = torch.zeros_like(parameter)
    values.follow(torch.ops.aten.zeros_like.default, [parameter], {}, states)
    assert (values.twin(states) is not None) == known
    assert values.fits(parameter) == known


@pytest.mark.slow
def test_all_answers_agree(tmp_path):
    ran = dry_run(tmp_path, ASKED)
    assert "all as on a GPU" in ran.printed, ran.printed


@pytest.mark.slow
def test_sizes_that_nobody_knows_are_the_highest_or_the_lowest(tmp_path):
    program = """
        import torch
        from torch import nn
        net = nn.Linear(64, 64).cuda()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            y = net(torch.rand(512, 64, device="cuda"))
            chosen = y[y > 0]
            torch.cat([chosen, chosen]).sum().backward()
            optimizer.step()
    """
    high = dry_run(tmp_path, program, "high", guess={"sizes": "high"})
    low = dry_run(tmp_path, program, "low", guess={"sizes": "low"})
    assert peak(high.tape(), 1) > peak(low.tape(), 1) + 512 * 64 * 8
    assert any(guess["shapes_depend"] for guess in high.outcome["guesses"])


HOLE = """
from trainlint.trace.dry_run.program_start import _Run
begin = _Run.begin
def holed(run, torch):
    from trainlint.trace.dry_run.imitation import Imitation
    Imitation._entered = lambda self, run: run()  # what a thread does is not recorded
    begin(run, torch)
_Run.begin = holed
"""


def test_a_hole_in_the_imitation_is_found_before_the_program_starts(tmp_path):
    ran = dry_run(tmp_path, "import torch\nprint('started')\n", start=HOLE)
    assert ran.outcome["status"] == "refused"
    assert "started" not in ran.printed
    assert any("a thread" in note for note in ran.outcome["notes"])


@pytest.mark.slow
def test_torch_that_was_looked_for_before_is_imitated_and_a_child_does_not_speak_for_it(tmp_path):
    ran = dry_run(
        tmp_path,
        "import importlib.util, subprocess, sys\nassert importlib.util.find_spec('torch')\nimport torch\n"
        "assert torch.cuda.is_available()\nsubprocess.run([sys.executable, '-c', 'pass'], check=True)\n",
    )
    assert ran.outcome["status"] == "ended", ran.printed
    assert ran.outcome["imitated"]


@pytest.mark.slow
def test_one_process_of_two_has_its_buckets_and_sends_nothing(tmp_path, monkeypatch):
    for name, value in {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    program = """
        import torch, torch.distributed as dist
        from torch import nn
        from torch.nn.parallel import DistributedDataParallel
        dist.init_process_group("nccl")
        assert (dist.get_world_size(), dist.get_rank(), dist.get_backend()) == (2, 0, "nccl")
        group = dist.new_group([0, 1], backend="gloo")
        dist.barrier(group)
        dist.monitored_barrier(group)
        group.monitored_barrier()
        net = nn.Sequential(nn.Linear(512, 512), nn.BatchNorm1d(512))
        net = nn.SyncBatchNorm.convert_sync_batchnorm(net).cuda()
        net = DistributedDataParallel(net, device_ids=[0])
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            loss = net(torch.rand(4, 512, device="cuda")).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            dist.all_reduce(loss)
            told = [None, None]
            dist.all_gather_object(told, "here")
            assert told == ["here", "here"]
    """
    ran = dry_run(tmp_path, program, gpus=2, world_size=2, gpu=GPU)
    assert ran.outcome["status"] == "recorded", ran.printed
    weights = 512 * 512 * 4
    assert peak(ran.tape(), 4) > 3 * weights  # the weights, their gradients, and the bucket beside them


@pytest.mark.slow
def test_dataparallel_has_the_first_gpus_share(tmp_path):
    program = """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset
        net = nn.DataParallel(nn.Conv2d(3, 64, 3, padding=1).cuda())
        optimizer = torch.optim.Adam(net.parameters())
        for x, in DataLoader(TensorDataset(torch.rand(64, 3, 32, 32)), 8):
            out = net(x.cuda())
            assert out.shape[0] == 8
            optimizer.zero_grad()
            out.mean().backward()
            optimizer.step()
    """
    tape = dry_run(tmp_path, program, gpus=2).tape()
    assert (tape.devices, tape.batches) == (2, (4,))
    assert {block.device for block in tape.blocks} == {0, 1}


DIVIDED_BY_A_SUBCLASS = """
    import torch
    from torch import nn
    class ABatchForEach(nn.DataParallel):
        def scatter(self, inputs, kwargs, device_ids):
            return [[part] for part in inputs[0]], [{} for _ in inputs[0]]
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(8, 8)
        def forward(self, batch):
            return self.layer(batch["image"])  # of a mapping: what all GPUs get is a list of them
    batches = [{"image": torch.rand(4, 8).cuda()} for _ in range(torch.cuda.device_count())]
    Wrapper = type("Wrapper", (ABatchForEach,), {BODY})
    Wrapper(Net().cuda())(batches)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("{}", "what Wrapper.scatter gives each of 2 GPUs is not known"),
        (
            "{'forward': lambda self, x: nn.DataParallel.scatter(self, (x,), {}, self.device_ids)}",
            "how Wrapper divides a batch among 2 GPUs is not known",
        ),
    ],
)
def test_what_a_subclass_of_dataparallel_gives_each_gpu_is_no_error_of_the_program(tmp_path, body, says):
    crash = dry_run(tmp_path, DIVIDED_BY_A_SUBCLASS.replace("{BODY}", body), gpus=2).outcome["crash"]
    assert (crash["imitation"], crash["reason"]) == (True, says)


@pytest.mark.slow
def test_a_storage_that_the_program_makes_on_meta_is_no_memory_of_the_gpu(tmp_path):
    program = """
        import torch
        before = torch.cuda.memory_allocated()
        storage = torch.UntypedStorage(4 * 2**20, device="meta")  # as loaders that read tensors late make it
        late = torch.empty((0,), device=storage.device)
        late.set_(storage, 0, (2**20,), (1,))
        assert late.is_meta and late.device.type == "meta" and late.shape == (2**20,)
        assert torch.cuda.memory_allocated() == before, torch.cuda.memory_allocated()
        there = torch.ones(2**20, device="cuda")
        alias = torch.empty((0,), device="cuda").set_(there.untyped_storage(), 0, (2**19,), (1,))
        assert alias.is_cuda and torch.cuda.memory_allocated() == before + 4 * 2**20
    """
    ran = dry_run(tmp_path, program)
    assert ran.outcome["status"] == "ended", ran.printed


@pytest.mark.slow
@pytest.mark.parametrize("boolean", [True, False])
def test_a_loop_that_draws_until_all_fits_ends_whatever_is_guessed(boolean, tmp_path):
    program = """
        import torch
        weights = torch.nn.init.trunc_normal_(torch.empty(64, 64, device="cuda"))
        drawn = weights * torch.randn(64, 64, device="cuda") @ weights
        while (drawn > 2).any():
            drawn = drawn * drawn @ weights
        while not (drawn > 2).any():
            drawn = drawn * drawn @ weights
        print("through")
    """
    ran = dry_run(tmp_path, program, guess={"boolean": boolean})
    assert "through" in ran.printed


@pytest.mark.slow
def test_a_known_data_set_that_is_not_there_has_its_own_size(tmp_path):
    folder = tmp_path / "torchvision" / "datasets"
    folder.mkdir(parents=True)
    for place in (folder.parent, folder):
        (place / "__init__.py").touch()
    (folder / "cifar.py").write_text(
        "class CIFAR10:\n"
        "    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):\n"
        "        self.root, self.transform = root, transform\n"
        "        raise RuntimeError('Dataset not found')\n"
        "class CIFAR100(CIFAR10):\n    pass\n"
    )
    program = """
        import torch
        from torchvision.datasets.cifar import CIFAR10, CIFAR100
        train, test = CIFAR10("here", True), CIFAR100("here", train=False, transform=len)
        print(train.data.shape, len(train.targets), test.data.shape, max(test.targets), test.transform)
    """
    ran = dry_run(tmp_path, program)
    assert ran.printed.strip() == "(50000, 32, 32, 3) 50000 (10000, 32, 32, 3) 99 <built-in function len>"
    assert ran.outcome["notes"] == [
        "there is no CIFAR10 in here: black images of its size are taken",
        "there is no CIFAR100 in here: black images of its size are taken",
    ]


@pytest.mark.slow
def test_shards_that_are_made_on_meta_are_drawn_on_the_gpu(tmp_path, monkeypatch):
    for name, value in (("RANK", "0"), ("LOCAL_RANK", "0"), ("WORLD_SIZE", "2")):
        monkeypatch.setenv(name, value)
    program = """
        import torch
        from torch import nn
        from torch.distributed.fsdp import fully_shard
        torch.distributed.init_process_group("nccl")
        with torch.device("meta"):
            net = nn.Sequential(nn.Linear(64, 64, bias=False), nn.Linear(64, 64, bias=False))
        for each in (*net, net):
            fully_shard(each)
        net.to_empty(device="cuda")
        for layer in net:
            nn.init.normal_(layer.weight)
        optimizer = torch.optim.Adam(net.parameters())
        for _ in range(4):
            net(torch.ones(8, 64, device="cuda")).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    """
    ran = dry_run(tmp_path, program, world_size=2)
    assert ran.outcome["status"] == "recorded", ran.printed
    half = 64 * 64 * 4 // 2
    sizes = [block.size.at(8, 8, 0) for block in ran.tape().blocks if block.kind == "optimizer"]
    assert sizes.count(half) >= 4  # two states for each of two shards


@pytest.mark.slow
def test_what_fsdp_gathers_goes_when_it_empties_its_storage(tmp_path, monkeypatch):
    for name, value in (("RANK", "0"), ("LOCAL_RANK", "0"), ("WORLD_SIZE", "2")):
        monkeypatch.setenv(name, value)
    program = """
        import torch
        from torch import nn
        from torch.distributed.fsdp import fully_shard
        torch.distributed.init_process_group("nccl")
        net = nn.Sequential(*(nn.Linear(256, 256, bias=False) for _ in range(6))).cuda()
        for each in (*net, net):
            fully_shard(each)
        net[0].reset_parameters()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            net(torch.ones(8, 256, device="cuda")).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    """
    ran = dry_run(tmp_path, program, world_size=2)
    assert ran.outcome["status"] == "recorded", ran.printed
    assert ran.outcome["unseen"] == 0
    tape, whole = ran.tape(), 256 * 256 * 4
    gathered = [index for index, block in enumerate(tape.blocks) if block.size.at(8, 8, 0) == whole]
    lives = [kind for kind, index in tape.events if kind in (Event.ALLOC, Event.FREE) and index in gathered]
    assert lives.count(Event.ALLOC) == lives.count(Event.FREE) > 12  # in forward and backward of two steps
    assert peak(tape, 8) < 6 * whole + 4 * whole  # shards and gradients, and three layers and what is sent


@pytest.mark.slow
def test_a_copy_on_the_gpu_stays_there_whatever_the_default_device(tmp_path):
    program = """
        import torch
        torch.set_default_device("cuda")
        with torch.device("cuda"):
            scale = torch.full((1,), 3.0).to("cuda", copy=True)
            other = scale.to(device=scale.device, non_blocking=True, copy=True)
        print(scale.device, other.device, other.item())
    """
    ran = dry_run(tmp_path, program)
    assert "cuda:0 cuda:0 3.0" in ran.printed


@pytest.mark.slow
@pytest.mark.parametrize("sizes", ["high", "low"])
def test_a_count_has_as_many_classes_as_the_program_names(sizes, tmp_path):
    program = """
        import torch
        guessed = (torch.randn(64, 9, device="cuda") @ torch.randn(9, 9, device="cuda")).argmax(1)
        print(tuple(torch.bincount(guessed * 9 + guessed, minlength=81).reshape(9, 9).shape))
    """
    assert "(9, 9)" in dry_run(tmp_path, program, guess={"sizes": sizes}).printed


@pytest.mark.torch
def test_a_default_type_of_the_gpu_places_all_that_is_made(tmp_path):
    ran = dry_run(
        tmp_path,
        """
    import torch
    from torch import nn
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    assert nn.Linear(3, 3).weight.is_cuda
    for made in (torch.ones(2), torch.tensor([1.0]), torch.Tensor([1.0]), torch.Tensor(2, 3)):
        assert made.is_cuda and made.dtype is torch.float32
    assert torch.Tensor([3.0]).tolist() == [3.0] and torch.Tensor(torch.ones(2)).is_cuda
    assert not torch.zeros(2, device="cpu").is_cuda
    torch.set_default_tensor_type(torch.cuda.HalfTensor)
    assert torch.ones(2).dtype is torch.float16 and torch.ones(2).is_cuda
    torch.set_default_tensor_type(torch.FloatTensor)
    assert not torch.zeros(2).is_cuda and not torch.Tensor(2).is_cuda
    assert torch.ones(2, device="cuda").dtype is torch.float32
    try:
        torch.set_default_tensor_type(torch.cuda.LongTensor)
    except TypeError:
        print("all as on a GPU")
    """,
    )
    assert "all as on a GPU" in ran.printed
