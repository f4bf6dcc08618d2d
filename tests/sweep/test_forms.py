# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a sweep can be written as, and what is said of one that is wrong."""

from __future__ import annotations

import pytest
import yaml

from tests.sweep.conftest import EXAMPLES
from trainlint.errors import UsageError
from trainlint.sweep.axis import MOST_VALUES
from trainlint.sweep.hydra_overrides import override_of
from trainlint.sweep.sweep_plan import base_of
from trainlint.sweep.wandb_file import axes_of

CONFIG = str(EXAMPLES / "msrresnet_x4.yml")


@pytest.mark.parametrize(
    ("word", "key", "values"),
    [
        ("a.b=1,2", "a.b", [1, 2]),
        ("a=1e-4,true,null,x", "a", [1e-4, True, None, "x"]),
        ("a='1,2',\"3\"", "a", ["1,2", "3"]),
        ("a=[1,2],[3]", "a", [[1, 2], [3]]),
        ("a=choice(1,x)", "a", [1, "x"]),
        ("a=range(2,9,3)", "a", [2, 5, 8]),
        ("a=range(3)", "a", [0, 1, 2]),
        ("+a=1", "a", [1]),
        ("a=", "a", [""]),
    ],
)
def test_overrides_are_read_as_hydra_reads_them(word, key, values) -> None:
    found, adds, given = override_of(word)
    assert (found, adds, list(given)) == (key, word.startswith("+"), values)
    assert [type(value) for value in given] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("a", "is not an override"),
        ("=1", "is not an override"),
        ("~a", "deleting"),
        ("a=interval(0,1)", "no list of values"),
        ("a=range(0,9,0)", "never ends"),
        ("a=range(x)", "whole numbers"),
        ("a=sort(1,2)", "is not read here"),
        ("a=[1,2", "expected ]"),
        ("a='x", "expected '"),
        ("a=[&a [*a]]", "cannot be read as a value"),
        ("a={b: !!python/object/apply:os.system [id]}", "cannot be read as a value"),
        (f"a=range(0,{'9' * 5000})", "whole numbers"),
    ],
)
def test_what_is_no_override_is_refused_by_name(word, said) -> None:
    with pytest.raises(UsageError, match=said.replace("]", r"\]")):
        override_of(word)


def axes(text: str):
    return {axis.key: axis for axis in axes_of(yaml.safe_load(text))}


def test_a_wandb_sweep_gives_its_values_constants_and_ends() -> None:
    found = axes("""
method: bayes
metric: {name: psnr, goal: maximize}
parameters:
  batch: {values: [4, 8]}
  seed: {value: 3}
  crop: {distribution: q_uniform, min: 64, max: 128, q: 32}
  workers: {min: 1, max: 3}
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.01}
  decay: {min: 0.1, max: 0.2}
  exponent: {distribution: log_uniform, min: 0, max: 1}
  optim: {parameters: {beta: {values: [0.9]}}}
""")
    assert found["batch"].values == (4, 8)
    assert found["seed"].values == (3,)
    assert found["crop"].values == (64, 96, 128)
    assert found["workers"].values == (1, 2, 3)
    assert found["lr"].values == (0.0001, 0.01)
    assert "its ends" in found["lr"].note
    assert "uniform, judged at its ends" in found["decay"].note
    assert found["exponent"].values == pytest.approx((1, 2.718281828))
    assert found["optim.beta"].values == (0.9,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("method: grid\nparameters: {a: {distribution: normal, mu: 0, sigma: 1}}", "has no ends"),
        ("method: grid\nparameters: {a: {mu: 0, sigma: 1}}", "has no ends"),
        ("method: hill\nparameters: {a: {value: 1}}", "is not one of grid, random, bayes"),
        ("method: grid\nparamters: 1\nparameters: {a: {value: 1}}", '"paramters" is not a key'),
        ("method: grid\nparameters: {a: {valus: [1]}}", '"valus" is not one of'),
        ("method: grid\nparameters: {a: {min: 3, max: 1}}", "min 3 is above max 1"),
        ("method: grid\nparameters: {a: {min: 3}}", "max: expected a number"),
        ("method: grid\nparameters: {a: {min: 0, max: .inf}}", "max: expected a number"),
        ("method: grid\nparameters: {a: {distribution: zipf, min: 0, max: 1}}", "is not known"),
        ("method: grid\nparameters: {a: {distribution: q_uniform, min: 0, max: 1, q: 0}}", "above 0"),
        ("method: grid\nparameters: {a: {distribution: log_uniform, min: 0, max: 99999}}", "is not a number"),
        ("method: grid\nparameters: {a: {values: []}}", "has no values"),
        (f"method: grid\nparameters: {{a: {{min: 1, max: {10**30}}}}}", "expected whole numbers up to"),
        ("method: grid\nparameters: {a: {distribution: q_uniform, min: 0, max: 1, q: 1.0e-320}}", "too many"),
        (
            f"method: grid\nparameters: {{a: {{distribution: q_uniform, min: 0, max: {10**400}, q: .5}}}}",
            "too many",
        ),
        ("method: grid\nparameters: [1]", "expected a mapping"),
        ("method: grid\nparameters: {a: 3}", "parameters.a: expected"),
    ],
)
def test_a_wrong_wandb_sweep_is_refused_with_its_key(text, said) -> None:
    with pytest.raises(UsageError, match=said):
        axes(text)


def test_very_many_values_are_judged_at_their_ends() -> None:
    axis = axes("method: random\nparameters: {seed: {min: 0, max: 2147483647}}")["seed"]
    assert axis.values == (0, 2147483647)
    assert "2,147,483,648 values" in axis.note
    assert (
        len(axes(f"method: grid\nparameters: {{a: {{min: 1, max: {MOST_VALUES}}}}}")["a"].values)
        == MOST_VALUES
    )


def test_keys_of_a_config_have_to_be_there() -> None:
    with pytest.raises(UsageError, match=r'no "batch_size".*did you mean "batch_size_per_gpu"'):
        base_of(CONFIG, ["datasets.train.batch_size=1"])
    with pytest.raises(UsageError, match=r"\+seed adds it"):
        base_of(CONFIG, ["seed=1"])
    assert base_of(CONFIG, ["+seed=1"]).document([7]).value["seed"] == 7
    with pytest.raises(UsageError, match="set the same key"):
        base_of(CONFIG, ["scale=1", "/scale=2"])
    with pytest.raises(UsageError, match="is not a sweep"):
        base_of(CONFIG, [])
    with pytest.raises(UsageError, match=r'"scale" of "scale\.x" is not a mapping'):
        base_of(CONFIG, ["scale.x=1"])


def test_a_grid_names_its_config_beside_it(tmp_path) -> None:
    (tmp_path / "c.yml").write_text("a: {b: [1, 2]}\n", encoding="utf-8")
    (tmp_path / "g.yml").write_text(
        "config: c.yml\ngrid: {/a/b/1: {from: 1, to: 5, step: 2}}\n", encoding="utf-8"
    )
    (tmp_path / "link.yml").symlink_to("/etc/passwd")
    base = base_of(str(tmp_path / "g.yml"), [])
    assert base.axes[0].values == (1, 3, 5)
    assert base.document([9]).value == {"a": {"b": [1, 9]}}
    (tmp_path / "g.yml").write_text("config: c.yml\ngrid: {+a.d: [1, 2]}\n", encoding="utf-8")
    assert base_of(str(tmp_path / "g.yml"), []).document([2]).value == {"a": {"b": [1, 2], "d": 2}}
    for text, said in (
        ("config: c.yml\ngrid: {a: 3}\n", "grid.a: expected a list"),
        ("config: c.yml\ngrid: {}\n", "grid: expected a mapping"),
        ("config: c.yml\ngrid: {a: [1]}\nother: 1\n", '"other" is not a key'),
        ("config: 3\ngrid: {a: [1]}\n", "config: expected the path"),
        ("config: d.yml\ngrid: {a: [1]}\n", "d.yml"),
        ("config: /etc/passwd\ngrid: {a: [1]}\n", '"/etc/passwd" is not a file in'),
        ("config: ../../../../../../etc/passwd\ngrid: {a: [1]}\n", "is not a file in"),
        ("config: link.yml\ngrid: {a: [1]}\n", "is not a file in"),
        ('config: "c\\0"\ngrid: {a: [1]}\n', "is not a file in"),
        (f"config: c.yml\ngrid: {{a: {{from: 1, to: {10**30}}}}}\n", "expected whole numbers up to"),
        ("config: c.yml\ngrid: {a.d: [1]}\n", r'no "d" in "a.d" \(\+a\.d adds it\)'),
    ):
        (tmp_path / "g.yml").write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=said):
            base_of(str(tmp_path / "g.yml"), [])


def test_a_wandb_command_gets_its_parameters_as_arguments(tmp_path) -> None:
    sweep = tmp_path / "s.yaml"
    sweep.write_text(
        "program: train.py\nmethod: grid\n"
        "command: ['${env}', '${interpreter}', '${program}', /data, '${args}']\n"
        "parameters: {batch-size: {values: [8, 16]}, amp: {value: true}}\n",
        encoding="utf-8",
    )
    document = base_of(str(sweep), []).document([16, True])
    assert document.source.text == "python train.py /data --batch-size=16 --amp=True\n"
    text = sweep.read_text(encoding="utf-8").replace("${args}", "${args_no_boolean_flags}")
    sweep.write_text(text, encoding="utf-8")
    assert base_of(str(sweep), []).document([8, True]).source.text.endswith("--batch-size=8 --amp\n")
    assert base_of(str(sweep), []).document([8, False]).source.text.endswith("--batch-size=8\n")
    sweep.write_text(text.replace("_no_boolean_flags", "_no_hyphens"), encoding="utf-8")
    with pytest.raises(UsageError, match="--config FILE"):
        base_of(str(sweep), [])
