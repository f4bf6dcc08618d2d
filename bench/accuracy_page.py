# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write docs/accuracy.md and its plots from runs of accuracy.py, peaks.py and systems.py.

    python bench/accuracy_page.py KEEP TAPES [...] MEASURED [--part dev]

KEEP is a folder outside the repository for the collected figures (accuracy_data.py): a part that is there is
not run again. TAPES is what bench/timm_tapes.py made, MEASURED the folder of measurements. Needs torch and
matplotlib; about ten minutes. Only aggregates and plots are written; the measurements stay where they are.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from string import Template

import accuracy
import accuracy_fit
import accuracy_plots
import peaks
import systems as guides
from accuracy_data import collect

from trainlint.estimate.replay import workspace

MIB = 2**20
DOCS = Path(__file__).resolve().parents[1] / "docs"
TEMPLATE = Path(__file__).with_suffix(".md")
ERRORS = (
    "| rows | n | median | p90 | p95 | within 5 % | bias (median) | bias (mean) | too low | too high |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def by(runs, field):
    """Return the runs in groups of one field's values, in their order."""
    groups = defaultdict(list)
    for run in runs:
        groups[getattr(run, field)].append(run)
    return sorted(groups.items())


def error_lines(groups):
    return "\n".join([ERRORS, *(accuracy.error_line(name, group) for name, group in groups)])


def gpumemnet(found, fakes):
    """Return the page's parts on GPUMemNet."""
    runs = [accuracy_fit.as_run(run) for run in found["runs"]]
    clean = [run for run in runs if not run.flags]
    capacity = accuracy.A100.capacity
    fails = [run for run in found["runs"] if run["least"] > capacity]
    ceiling = found["ceiling"]
    fits = {name: [m for m, need in ceiling.items() if need[name] <= capacity] for name in ("least", "worst")}
    held = accuracy_fit.left_out(found["runs"])
    errors = [run.error for run in runs]
    close = sum(abs(error) <= accuracy.CLOSE for error in errors)
    worst = sorted(
        by(runs, "family"), key=lambda item: -sum(abs(run.error) > accuracy.CLOSE for run in item[1])
    )
    constants = "; ".join(f"{context / MIB:.0f} and {split} MiB" for (context, split), _ in held)
    return {
        "runs": len(runs),
        "models": len({run.model for run in runs}),
        "families": len({run.family for run in runs}),
        "errors": error_lines([("all", runs), ("batch series complete", clean), *by(runs, "kind")]),
        "worst_families": error_lines(worst[:5]),
        "largest": "\n".join(
            f"- {run.model}, batch {run.batch}: measured {run.measured / MIB:,.0f} MiB,"
            f" `expect` {run.expect / MIB:,.0f} ({run.error:+.1%}) {run.flags}".rstrip()
            for run in sorted(runs, key=lambda run: -abs(run.error))[:8]
        ),
        "fake": error_lines(
            [("FakeTensor", [accuracy_fit.as_run(run) for run in fakes]), ("trainlint", runs)]
        ),
        "wrong_fails": len(fails),
        "wrong_fails_names": ", ".join(f"{run['model']} at batch {run['batch']}" for run in fails) or "none",
        "ceiling": len(ceiling),
        "wrong_fits": len(fits["least"]),
        "wrong_fits_names": ", ".join(f"{m} {ceiling[m]['least'] / MIB:,.0f} MiB" for m in fits["least"]),
        "wrong_fits_worst": len(fits["worst"]),
        "held": error_lines(
            [
                ("in sample", runs),
                *((f"half {number}, held out", half) for number, (_, half) in enumerate(held, start=1)),
                ("both halves, held out", [run for _, half in held for run in half]),
                ("each family, held out", accuracy_fit.families_left_out(found["runs"])),
            ]
        ),
        "held_constants": constants,
        "targets": [
            ("GPUMemNet, `expect`: median error", median(map(abs, errors)), 0.013, False),
            ("GPUMemNet, `expect`: p95", accuracy.quantile(map(abs, errors), 0.95), 0.055, False),
            ("GPUMemNet, `expect`: within 5 %", close / len(runs), 0.93, True),
            ("GPUMemNet, `expect`: bias (median)", abs(median(errors)), 0.005, False),
        ],
    }


def bracket_cells(name, count):
    judged = sum(count.values()) - count["no tape"]
    shares = [f"{count[says]} ({count[says] / judged:.1%})" for says in ("in", "dangerous", "annoying")]
    weighed = (accuracy_fit.DANGEROUS_WEIGHT * count["dangerous"] + count["annoying"]) / judged
    return "| " + " | ".join([name, str(judged), *shares, f"{100 * weighed:.1f}"]) + " |"


def brackets(rows):
    """Return the page's parts on the RTX 3090 brackets."""
    counts = defaultdict(Counter)
    for row in rows:
        for name in ("all", row["kind"]):
            counts[name][row["says"]] += 1
    held = accuracy_fit.brackets_left_out(rows)
    both = sum((count for _, count in held), Counter())
    total = counts["all"]
    judged = sum(total.values()) - total["no tape"]
    dangerous_cnn = sum(row["says"] == "dangerous" and row["kind"] == "cnn" for row in rows)
    return {
        "dangerous_cnn": f"{dangerous_cnn} of {total['dangerous']}",
        "bracket_all": bracket_cells(f"in sample (context {accuracy.RTX3090.context // MIB} MiB)", total),
        "bracket_table": "\n".join(bracket_cells(*item) for item in counts.items()),
        "no_tape": ", ".join(row["model"] for row in rows if row["says"] == "no tape") or "none",
        "dangerous": ", ".join(row["model"] for row in rows if row["says"] == "dangerous"),
        "annoying": ", ".join(row["model"] for row in rows if row["says"] == "annoying"),
        "bracket_held": "\n".join(
            [
                *(
                    bracket_cells(f"half {number}, held out (context {context / MIB:.0f} MiB)", count)
                    for number, (context, count) in enumerate(held, start=1)
                ),
                bracket_cells("both halves, held out", both),
            ]
        ),
        "targets": [
            ("RTX 3090, `least`: in the bracket", total["in"] / judged, 0.92, True),
            ("RTX 3090, `least`: dangerous", total["dangerous"] / judged, 0.04, False),
            ("RTX 3090, `least`: annoying", total["annoying"] / judged, 0.03, False),
        ],
    }


def reference_peaks(rows):
    """Return the page's parts on the reference peaks."""
    traced, lines, outside, still = [row for row in rows if row["errors"]], [], [], 0
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


def systems(rows):
    """Return the page's parts on the systems."""
    lines, outside, still = [], Counter(), 0
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


def target_table(targets):
    """Return the table of (target, reached, wanted, whether more is better); missed ones are bold."""
    lines = ["| target | reached | wanted |", "|---|--:|--:|"]
    for name, reached, wanted, more in targets:
        missed = reached < wanted if more else reached > wanted
        mark, sign = "**" if missed else "", ">=" if more else "<="
        lines.append(f"| {name} | {mark}{reached:.2%}{mark} | {sign} {wanted:.1%} |")
    return "\n".join(lines)


def constants():
    """Return what is fitted or stated, as the code has it."""
    return {
        "a100_context": accuracy.A100.context // MIB,
        "a100_capacity": f"{accuracy.A100.capacity // MIB:,}",
        "rtx_context": accuracy.RTX3090.context // MIB,
        "split_from": workspace.SPLIT_FROM // MIB,
    }


def plots(found):
    """Draw every plot into docs/accuracy/."""
    folder = DOCS / "accuracy"
    folder.mkdir(exist_ok=True)
    runs = [accuracy_fit.as_run(run) for run in found["gpumemnet"]["runs"]]
    points = [
        (int(row["references"][column]), int(row["references"][column]) * (1 + error / 100))
        for row in found["peaks"]
        for column, error in row["errors"].items()
        if "peak" in column
    ]
    room = accuracy.RTX3090.capacity - accuracy.RTX3090.context
    accuracy_plots.gpumemnet(runs, folder / "gpumemnet.svg")
    accuracy_plots.families(runs, folder / "families.svg")
    accuracy_plots.brackets(found["brackets"], room, folder / "brackets.svg")
    accuracy_plots.peaks(points, folder / "peaks.svg")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("keep", type=Path)
    parser.add_argument(
        "folders", nargs="+", type=Path, help="folders of tapes, then the measurements' folder"
    )
    parser.add_argument("--part", default="dev", help="the measurements' prefix")
    options = parser.parse_args()
    *folders, measured = options.folders
    found = collect(options.keep, folders, measured, options.part)
    sections = (
        gpumemnet(found["gpumemnet"], found["faketensor"]),
        brackets(found["brackets"]),
        reference_peaks(found["peaks"]),
        systems(found["systems"]),
    )
    targets = [target for section in sections for target in section.pop("targets")]
    parts = constants() | {"targets": target_table(targets)}
    for section in sections:
        parts |= section
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(parts)
    (DOCS / "accuracy.md").write_text(text, encoding="utf-8")
    plots(found)


if __name__ == "__main__":
    main()
