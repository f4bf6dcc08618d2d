# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write docs/accuracy.md and its plots from the tables in bench/measured and bench/replayed.

    python -m bench accuracy_page [--no-plots]

`python -m bench replay TAPES` writes the second ones. Plots need matplotlib.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from string import Template
from typing import Any

from bench import ROOT
from bench.accuracy import fit, sources
from bench.accuracy.old_attention import VARIANTS
from bench.accuracy.runs import A100, CLOSE, LEFT_OUT_PARTS, Found, Run, error_line, quantile
from bench.accuracy.sources import gpumemnet_runs, sourced_runs
from bench.commands import parser_of
from bench.measured_tables import MEASURED, REPLAYED, table
from trainlint.model.facts import WORST_SHARE

MIB = 2**20
DOCS = ROOT / "docs"
TEMPLATE = Path(__file__).with_suffix(".md")
ERRORS = (
    "| rows | n | median | p90 | p95 | within 5 % | bias (median) | bias (mean) | too low | too high |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)

ABLATION = "| estimate | median | p95 | within 5 % |\n|---|--:|--:|--:|"
SPIKE = "off-trend"
"""Flag of a run that is more than 10 % off the line through its model's other runs, measurements alone."""


Parts = dict[str, Any]
"""What fills the template, by the names in it."""
Target = tuple[str, float, float, bool]
"""What was aimed at, what was reached, what was wanted, and whether more is better."""


def by(runs: Iterable[Run], field: str) -> list[tuple[str, list[Run]]]:
    """Return the runs in groups of one field's values, in their order."""
    groups: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        groups[getattr(run, field)].append(run)
    return sorted(groups.items())


def error_lines(groups: Iterable[tuple[str, Sequence[Run]]]) -> str:
    """Return the table of several groups' errors."""
    return "\n".join([ERRORS, *(error_line(name, group) for name, group in groups)])


def gpumemnet(found: Found) -> Parts:
    """Return the page's parts on GPUMemNet: held out first, then the same in sample."""
    runs, ceiling = found["runs"], found["ceiling"]
    fitted_each, held = fit.held_out(runs)
    contexts, shares = zip(*fitted_each, strict=True)
    fitted, inside = fit.in_sample(runs)
    context, share = fitted
    capacity = A100.capacity
    fails = [run for run in runs if context + run["segments"] > capacity]
    fits = {model: context + need["segments"] for model, need in ceiling.items()}
    fits = {model: least for model, least in fits.items() if least <= capacity}
    clean = [run for run in held if not run.flags]
    spikes = [run for run in held if SPIKE in run.flags]
    far = sorted((run for run in held if abs(run.error) > CLOSE), key=lambda run: -abs(run.error))
    worst = sorted(by(held, "family"), key=lambda item: -sum(abs(r.error) > CLOSE for r in item[1]))
    covered = fit.covered(runs)
    beyond = [run for run, below in covered if not below]
    errors = [abs(run.error) for run in held]
    return {
        "runs": len(runs),
        "models": len({run["model"] for run in runs}),
        "families": len(fit.families(runs)),
        "a100_contexts": spread([each / MIB for each in contexts]),
        "a100_context": context // MIB,
        "unshared": f"{share:.2f}",
        "unshared_held_out": f"{min(shares):.2f} to {max(shares):.2f}",
        "errors": error_lines(
            [
                ("**held out**", held),
                ("in sample", inside),
                ("held out, without spikes", [run for run in held if SPIKE not in run.flags]),
                ("held out, batch series complete", clean),
                *((f"held out, {name}", own) for name, own in by(held, "kind")),
            ]
        ),
        "spikes": len(spikes),
        "spike_names": names(f"{run.model} at batch {run.batch} ({run.error:+.1%})" for run in spikes),
        "worst_families": error_lines(worst[:6]),
        "far": len(far),
        "far_rows": "\n".join(map(far_line, far)),
        **blocks(runs),
        **unseen(runs, held),
        "ablation": "\n".join(
            [
                ABLATION,
                ablation_line("as it is", held),
                ablation_line("gradients always in one block", fit.held_out(runs, shares=fit.NO_SHARE)[1]),
                *(ablation_line(f"without {name}", left_out(runs, name)) for name in LEFT_OUT_PARTS),
                ablation_line("live tensors and context alone", live_alone(runs)),
            ]
        ),
        "fake": error_lines(
            [
                ("FakeTensor on a line, held out", fit.fake_held_out(runs)),
                ("FakeTensor's bytes", [fit.as_run(run, run["fake"]) for run in runs]),
                ("trainlint, held out", held),
            ]
        ),
        "wrong_fails": len(fails),
        "wrong_fails_names": names(f"{run['model']} at batch {run['batch']}" for run in fails),
        "ceiling": len(ceiling),
        "a100_capacity": f"{capacity // MIB:,}",
        "wrong_fits": len(fits),
        "wrong_fits_names": names(f"{model} {least / MIB:,.0f} MiB" for model, least in fits.items()),
        "margin": f"{WORST_SHARE - 1:.0%}",
        "margin_in_sample": f"{fit.margin(runs, fitted):.1%}",
        "missing": names(found["missing"]),
        "coverage": f"{1 - len(beyond) / len(covered):.1%}",
        "beyond": len(beyond),
        "beyond_names": names(
            f"{run['model']} at batch {run['batch']} ({run['measured'] / MIB:,.0f} MiB)" for run in beyond
        ),
        "targets": [
            ("GPUMemNet, `expect`: median error", median(errors), 0.01, False),
            ("GPUMemNet, `expect`: p95", quantile(errors, 0.95), 0.045, False),
            ("GPUMemNet, `expect`: within 5 %", 1 - len(far) / len(held), 0.95, True),
        ],
    }


def unseen(runs: Sequence[Found], held: Sequence[Run]) -> Parts:
    """Return what a fit that saw no dense network makes of the dense networks, and what it finds."""
    fits, blind = fit.held_out(runs, unseen=fit.DENSE)
    alone = fit.held_out(runs, shares=fit.NO_SHARE, unseen=fit.DENSE)[1]
    shares = [share for _, share in fits]
    lines = [
        ("gradients always in one block", alone),
        ("fitted without any of them", blind),
        ("held out, as on this page", held),
    ]
    return {
        "dense_families": names(sorted(fit.DENSE)),
        "unshared_unseen": f"{min(shares):.2f} to {max(shares):.2f}",
        "unseen": error_lines(
            (name, [run for run in found if run.family in fit.DENSE]) for name, found in lines
        ),
    }


def blocks(runs: Sequence[Found]) -> Parts:
    """Return what hangs on a second workspace of the largest dense convolution, by how much that would be."""
    held = fit.held_out(runs, shares=fit.NO_SHARE)[1]
    found = [(run, fit.block(need)) for need, run in in_the_order_of(held, runs)]
    small = [run for run, block in found if block < fit.WEIGHTY * run.measured]
    large = [run for run, block in found if block >= fit.WEIGHTY * run.measured]
    heavy = [(run, block) for run, block in found if block >= fit.SHOWN_SHARE * run.measured]
    cells: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for run, block in heavy:
        cells[run.model][run.batch] = f"{(run.measured - run.expect) / block:+.2f}"
    batches = sorted({run.batch for run, _ in heavy})
    rows = [
        "| " + " | ".join([model, *(by_batch.get(batch, "") for batch in batches)]) + " |"
        for model, by_batch in sorted(cells.items())
    ]
    head = "| model | " + " | ".join(f"batch {batch}" for batch in batches) + " |"
    return {
        "block_errors": error_lines(
            [
                (f"less than {fit.WEIGHTY:.0%} of the measurement", small),
                (f"{fit.WEIGHTY:.0%} and more", large),
            ]
        ),
        "blocks": "\n".join([head, "|---|" + "--:|" * len(batches), *rows]),
        "heavy": f"{fit.SHOWN_SHARE:.0%}",
    }


def in_the_order_of(held: Iterable[Run], runs: Iterable[Found]) -> list[tuple[Found, Run]]:
    """Return [(run as collected, the same as Run)]."""
    collected = {(run["model"], run["batch"]): run for run in runs}
    return [(collected[run.model, run.batch], run) for run in held]


def names(found: Iterable[str]) -> str:
    """List names, or say that there are none."""
    return ", ".join(found) or "none"


def spread(values: Sequence[float]) -> str:
    """Write the values of the fits: one, or from the least to the most."""
    low, high = min(values), max(values)
    return f"{low:.0f} MiB" if low == high else f"{low:.0f} to {high:.0f} MiB"


def far_line(run: Run) -> str:
    """Return a row on a run that is far off."""
    cells = (run.model, run.batch, f"{run.measured / MIB:,.0f}", f"{run.expect / MIB:,.0f}")
    return "| " + " | ".join(map(str, (*cells, f"{run.error:+.1%}", run.flags.replace(";", ", ")))) + " |"


def left_out(runs: Sequence[Found], name: str) -> list[Run]:
    """Return the Runs, held out, without a part of the estimate; what is fitted is fitted without it too."""
    shares = fit.NO_SHARE if name == LEFT_OUT_PARTS[-1] else fit.SHARES
    return fit.held_out(runs, lambda run: run["without"][name], shares)[1]


def live_alone(runs: Sequence[Found]) -> list[Run]:
    """Return the Runs, held out, of live tensors and context alone."""
    return fit.held_out(runs, lambda run: run["live"], fit.NO_SHARE)[1]


def ablation_line(name: str, runs: Sequence[Run]) -> str:
    """Return a row on the estimate without a part."""
    sizes = [abs(run.error) for run in runs]
    close = sum(size <= CLOSE for size in sizes) / len(sizes)
    cells = (f"{median(sizes):.2%}", f"{quantile(sizes, 0.95):.2%}", f"{close:.1%}")
    return "| " + " | ".join((name, *cells)) + " |"


def target_table(targets: Iterable[Target]) -> str:
    """Return the table of (target, reached, wanted, whether more is better); missed ones are bold."""
    lines = ["| target | reached | wanted |", "|---|--:|--:|"]
    for name, reached, wanted, more in targets:
        missed = reached < wanted if more else reached > wanted
        mark, sign = "**" if missed else "", ">=" if more else "<="
        lines.append(f"| {name} | {mark}{reached:.2%}{mark} | {sign} {wanted:.1%} |")
    return "\n".join(lines)


def by_source(runs: Sequence[Found]) -> Parts:
    """Return the tables by source, each held out, and what the fragmentation's ratio is."""
    held = sources.held_out(runs)
    ratios = sorted(float(row["ratio"]) for row in table(REPLAYED, "fragmentation"))
    return {
        "sources": "\n".join(
            [sources.HEAD, *map(sources.line, held), sources.bracket_line(sources.margin(runs))]
        ),
        "source_families": "\n".join([sources.FAMILY_HEAD, *sources.family_lines(runs)]),
        "source_rows": "\n".join([sources.ROW_HEAD, *map(sources.row_line, sources.independent(runs))]),
        "trials": sources.trial_words(runs),
        "margin_needed": f"{sources.needed(runs) - 1:.1%}",
        "further": f"{sources.further(runs):.1f}",
        "margins": "\n".join([sources.MARGIN_HEAD, *sources.margin_lines(runs)]),
        "ratios": len(ratios),
        "ratio_median": f"{median(ratios):.3f}",
        "ratio_95": f"{quantile(ratios, 0.95):.3f}",
        "ratio_most": f"{ratios[-1]:.3f}",
    }


def old_attention() -> str:
    """Return the table of networks that were measured with the attention of timm before 0.9."""
    measured = {row["model"]: int(row["measured_mib"]) for row in table(MEASURED, "old_attention")}
    lines = [
        "| network | measured MiB | as today, fused | | written out | | as in torch 1.7 | |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in table(REPLAYED, "old_attention"):
        own, said = measured[row["model"]], [int(row[name]) for name in VARIANTS]
        cells = " | ".join(f"{mib:,} | {mib / own - 1:+.1%}" for mib in said)
        lines.append(f"| {row['model']} | {own:,} | {cells} |")
    return "\n".join(lines)


def draw(runs: Sequence[Found]) -> None:
    """Draw the plots into docs/accuracy/."""
    from bench.accuracy import plots  # noqa: PLC0415 - matplotlib, which the page does without

    folder = DOCS / "accuracy"
    folder.mkdir(exist_ok=True)
    _, held = fit.held_out(runs)
    plots.gpumemnet(held, folder / "gpumemnet.svg")
    plots.families(held, folder / "families.svg")


def main() -> None:
    """Write the page and its plots."""
    parser = parser_of(__doc__)
    parser.add_argument("--no-plots", action="store_true", help="leave the plots as they are")
    options = parser.parse_args()
    found = gpumemnet_runs()
    parts = gpumemnet(found) | by_source(sourced_runs())
    parts["targets"] = target_table(parts["targets"])
    parts["old_attention"] = old_attention()
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(parts)
    (DOCS / "accuracy.md").write_text(text, encoding="utf-8")
    if not options.no_plots:
        draw(found["runs"])
