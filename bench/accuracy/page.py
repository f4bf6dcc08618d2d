# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write docs/accuracy.md and its plots from what the commands accuracy, peaks and systems find.

    python -m bench accuracy_page KEEP TAPES [...] MEASURED [--part dev]

KEEP is a folder outside the repository for the collected figures (collected.py): a part that is there is not
run again. TAPES is what `timm_tapes` made, MEASURED the folder of measurements. Needs torch and matplotlib;
about ten minutes. Only aggregates and plots are written; the measurements stay where they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from string import Template
from typing import Any

from bench import ROOT
from bench.accuracy import fit, plots
from bench.accuracy.collected import CONVERTED, WITHOUT, Found, collect
from bench.accuracy.runs import A100, CLOSE, RTX3090, Run, error_line, quantile
from bench.commands import parser_of
from bench.references import peaks
from bench.references import systems as guides
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
COPIES = CONVERTED[-1]
DANGEROUS = 0.03
"""Share of the brackets' verdicts that may be dangerous, as the target has it."""
MISS = 5
"""Networks that are named at each end."""


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
                ablation_line("gradients always in one block", fit.held_out(runs, shares=fit.ALONE)[1]),
                *(ablation_line(f"without {name}", left_out(runs, name)) for name in WITHOUT),
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
    alone = fit.held_out(runs, shares=fit.ALONE, unseen=fit.DENSE)[1]
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
    held = fit.held_out(runs, shares=fit.ALONE)[1]
    found = [(run, fit.block(need)) for need, run in in_the_order_of(held, runs)]
    small = [run for run, block in found if block < fit.WEIGHTY * run.measured]
    large = [run for run, block in found if block >= fit.WEIGHTY * run.measured]
    heavy = [(run, block) for run, block in found if block >= fit.HEAVY * run.measured]
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
        "heavy": f"{fit.HEAVY:.0%}",
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
    shares = fit.ALONE if name == WITHOUT[-1] else fit.SHARES
    return fit.held_out(runs, lambda run: run["without"][name], shares)[1]


def live_alone(runs: Sequence[Found]) -> list[Run]:
    """Return the Runs, held out, of live tensors and context alone."""
    return fit.held_out(runs, lambda run: run["live"], fit.ALONE)[1]


def ablation_line(name: str, runs: Sequence[Run]) -> str:
    """Return a row on the estimate without a part."""
    sizes = [abs(run.error) for run in runs]
    close = sum(size <= CLOSE for size in sizes) / len(sizes)
    cells = (f"{median(sizes):.2%}", f"{quantile(sizes, 0.95):.2%}", f"{close:.1%}")
    return "| " + " | ".join((name, *cells)) + " |"


def bracket_cells(name: str, count: Counter[str]) -> str:
    """Return a row on a group's verdicts."""
    judged = sum(count.values()) - count["no tape"]
    shares = [f"{count[says]} ({count[says] / judged:.1%})" for says in ("in", "dangerous", "annoying")]
    return "| " + " | ".join([name, str(judged), *shares]) + " |"


def ends_of(row: Found) -> str:
    """Name a model with what its segments take at both ends."""
    sizes = " and ".join(f"{end['segments'] / MIB:,.0f}" for end in row["ends"])
    return f"{row['model']} ({sizes} MiB)"


def just_below(dangerous: Sequence[Found], context: int) -> Parts:
    """Return of which kinds dangerous verdicts are, and how far below the card at the batch that failed."""
    needs = [context * MIB + row["ends"][1]["segments"] for row in dangerous]
    short = [1 - need / RTX3090.capacity for need in needs]
    kinds = Counter(row["kind"] for row in dangerous).most_common()
    return {
        "dangerous_count": len(dangerous),
        "dangerous_kinds": names(f"{count} {kind}" for kind, count in kinds),
        "dangerous_short": f"{median(short):.1%}" if short else "none",
        "dangerous_most": f"{max(short):.1%}" if short else "none",
    }


def brackets(rows: Sequence[Found]) -> Parts:
    """Return the page's parts on the RTX 3090 brackets."""
    contexts, held = fit.brackets_held_out(rows, COPIES)
    context = fit.fit_context(rows, COPIES)
    inside = [(row, fit.says(row, COPIES, context)) for row in rows]
    plain = fit.brackets_held_out(rows, "none")[1]
    total = fit.counted(held)
    judged = sum(total.values()) - total["no tape"]
    kinds: defaultdict[str, list[tuple[Found, str]]] = defaultdict(list)
    for row, verdict in held:
        kinds[row["kind"]].append((row, verdict))
    lines = [
        ("**held out**", held),
        ("in sample", inside),
        ("held out, nothing converted", plain),
        *((f"held out, {kind}", found) for kind, found in sorted(kinds.items())),
    ]
    wrong = {
        verdict: names(map(ends_of, (row for row, said in held if said == verdict)))
        for verdict in ("dangerous", "annoying")
    }
    return {
        **just_below([row for row, said in held if said == "dangerous"], context),
        "bracket_table": "\n".join(bracket_cells(name, fit.counted(found)) for name, found in lines),
        "rtx_contexts": spread(contexts),
        **any_margin(rows),
        "rtx_context": context,
        "no_tape": names(row["model"] for row in rows if None in row["ends"]),
        **wrong,
        "verdicts": inside,
        "targets": [
            ("RTX 3090, `least`: in the bracket", total["in"] / judged, 0.95, True),
            ("RTX 3090, `least`: dangerous", total["dangerous"] / judged, DANGEROUS, False),
            ("RTX 3090, `least`: annoying", total["annoying"] / judged, 0.02, False),
        ],
    }


def any_margin(rows: Sequence[Found]) -> Parts:
    """Return what the best margin and context would make of the brackets, and what speaks against any."""
    _, annoying = fit.least_annoying(rows, DANGEROUS)
    least, most = ends_of_failed(rows, MISS), ends_of_ran(rows, MISS)
    return {
        "allowed": f"{DANGEROUS:.0%}",
        "margin_annoying": annoying,
        "margin_share": f"{annoying / len(rows):.1%}",
        "failed_least": names(f"{name} ({share:.1%})" for share, name in least),
        "ran_most": names(f"{name} ({share:.1%})" for share, name in most),
    }


def shares_of(rows: Sequence[Found], end: int) -> list[tuple[float, str]]:
    """Return [(segments as a share of the room, model and batch)] at one end of the brackets, sorted."""
    room = RTX3090.capacity - RTX3090.context
    batch = ("fit_batch", "fail_batch")[end]
    judged = (row for row in rows if None not in row["ends"])
    return sorted(
        (row["ends"][end]["segments"] / room, f"{row['model']} at batch {row[batch]}") for row in judged
    )


def ends_of_failed(rows: Sequence[Found], count: int) -> list[tuple[float, str]]:
    """Return the batches that failed with the smallest shares of the card."""
    return shares_of(rows, 1)[:count]


def ends_of_ran(rows: Sequence[Found], count: int) -> list[tuple[float, str]]:
    """Return the batches that ran with the largest shares of the card."""
    return shares_of(rows, 0)[: -count - 1 : -1]


def reference_peaks(rows: Sequence[Found]) -> Parts:
    """Return the page's parts on the reference peaks."""
    traced = [row for row in rows if row["errors"]]
    lines: list[str] = []
    outside: list[str] = []
    still = 0
    for row in traced:
        cells = [f"{row['errors'][c]:+.3f}" if c in row["errors"] else "" for c in peaks.COLUMNS]
        lines.append("| " + " | ".join([row["name"], row["network"], row["status"], *cells]) + " |")
        tolerance, plain = peaks.TOLERANCE[row["status"]], row["off_cuda"]
        for column, error in row["errors"].items():
            if abs(error) > tolerance:
                outside.append(f"| {row['name']} | {column} | {error:+.2f} | {plain[column]:+.2f} |")
                still += abs(plain[column]) > tolerance
    sizes = [abs(error) for row in traced for error in row["errors"].values()]
    target = "reference peaks: figures within 1 % (exact), 3 % (approx)"
    return {
        "peak_table": "\n".join(lines),
        "peak_rows": len(rows),
        "peak_traced": len(traced),
        "peak_figures": len(sizes),
        "peak_median": f"{median(sizes):.3f} %",
        "peak_largest": f"{max(sizes):.2f} %",
        "targets": [
            (target, 1 - len(outside) / len(sizes), 1, True),
            ("the same, traced as the reference ran", 1 - still / len(sizes), 1, True),
        ],
        "peak_outside": "\n".join(outside) or "| none | | | |",
        "untraced": "\n".join(
            f"- {row['name']} ({row['network']}): {row['reason']}" for row in rows if row["reason"]
        )
        or "none",
    }


def systems(rows: Iterable[tuple[str, str, float, float, float | None]]) -> Parts:
    """Return the page's parts on the systems."""
    lines: list[str] = []
    outside: Counter[str] = Counter()
    still = 0
    for name, figure, reference, traced, plain in rows:
        errors = ["" if gb is None else f"{100 * (gb / reference - 1):+.1f} %" for gb in (traced, plain)]
        lines.append(f"| {name} | {figure} | {reference:g} | {traced:.4g} | {errors[0]} | {errors[1]} |")
        if plain is not None:
            outside[name.split()[0]] += 1
            still += abs(plain / reference - 1) > guides.TOLERANCE
    count = len(lines)
    return {
        "system_table": "\n".join(lines),
        "system_close": count - outside.total(),
        "targets": [
            ("systems: figures within 2 %", 1 - outside.total() / count, 1, True),
            ("the same, traced as the reference ran ", 1 - still / count, 1, True),
        ],
        "system_figures": count,
        "system_outside": ", ".join(f"{count} of {name}" for name, count in outside.items()) or "none",
    }


def target_table(targets: Iterable[Target]) -> str:
    """Return the table of (target, reached, wanted, whether more is better); missed ones are bold."""
    lines = ["| target | reached | wanted |", "|---|--:|--:|"]
    for name, reached, wanted, more in targets:
        missed = reached < wanted if more else reached > wanted
        mark, sign = "**" if missed else "", ">=" if more else "<="
        lines.append(f"| {name} | {mark}{reached:.2%}{mark} | {sign} {wanted:.1%} |")
    return "\n".join(lines)


def draw(found: Found, verdicts: Iterable[tuple[Found, str]], context: int) -> None:
    """Draw every plot into docs/accuracy/."""
    folder = DOCS / "accuracy"
    folder.mkdir(exist_ok=True)
    _, runs = fit.held_out(found["gpumemnet"]["runs"])
    points = [
        (int(row["references"][column]), int(row["references"][column]) * (1 + error / 100))
        for row in found["peaks"]
        for column, error in row["errors"].items()
        if "peak" in column
    ]
    room = RTX3090.capacity - context * MIB
    judged = [
        {"says": says, "segments": [end["segments"] for end in row["ends"]]}
        for row, says in verdicts
        if says != "no tape"
    ]
    plots.gpumemnet(runs, folder / "gpumemnet.svg")
    plots.families(runs, folder / "families.svg")
    plots.brackets(judged, room, folder / "brackets.svg")
    plots.peaks(points, folder / "peaks.svg")


def main() -> None:
    """Write the page and its plots."""
    parser = parser_of(__doc__)
    parser.add_argument("keep", type=Path)
    parser.add_argument(
        "folders", nargs="+", type=Path, help="folders of tapes, then the measurements' folder"
    )
    parser.add_argument("--part", default="dev", help="the measurements' prefix")
    options = parser.parse_args()
    *folders, measured = options.folders
    found = collect(options.keep, folders, measured, options.part)
    sections = (
        gpumemnet(found["gpumemnet"]),
        brackets(found["brackets"]),
        reference_peaks(found["peaks"]),
        systems(found["systems"]),
    )
    targets = [target for section in sections for target in section.pop("targets")]
    parts: Parts = {"targets": target_table(targets), "missing": names(found["gpumemnet"]["missing"])}
    for section in sections:
        parts |= section
    verdicts = parts.pop("verdicts")
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(parts)
    (DOCS / "accuracy.md").write_text(text, encoding="utf-8")
    draw(found, verdicts, parts["rtx_context"])
