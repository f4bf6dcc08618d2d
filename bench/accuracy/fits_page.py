# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write docs/fits.md and its plots: batches that ran and failed, and the trace against other people's.

    python -m bench fits_page KEEP TAPES [...] MEASURED [--part dev]

KEEP is a folder outside the repository for the collected figures (collected.py): a part that is there is not
run again. TAPES is what `timm_tapes` made, MEASURED the folder of measurements. Needs torch and matplotlib;
about ten minutes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from string import Template

from bench.accuracy import fit, plots
from bench.accuracy.collected import collect
from bench.accuracy.page import DOCS, MIB, Parts, names, spread, target_table
from bench.accuracy.runs import CONVERTED, RTX3090, Found
from bench.commands import parser_of
from bench.measured_tables import REPLAYED, write_table
from bench.references import peaks
from bench.references import systems as guides

TEMPLATE = Path(__file__).with_suffix(".md")
NAME = "timm3090"
OUTSIDE = ("model", "verdict", "ran_mib", "failed_mib")
"""Columns of the table of brackets that `least` lies outside of, held out, without the context."""
COPIES = CONVERTED[-1]
DANGEROUS = 0.03
"""Share of the brackets' verdicts that may be dangerous, as the target has it."""
MOST_NAMED = 5
"""Networks that are named at each end."""


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


def outside(rows: Sequence[Found]) -> Iterator[dict[str, object]]:
    """Yield the brackets with a wrong verdict, for docs/accuracy.md."""
    held = fit.brackets_held_out(rows, COPIES)[1]
    for row, said in sorted(held, key=lambda pair: -len(pair[1])):
        if said in {"dangerous", "annoying"}:
            ran, failed = (round(end["segments"] / MIB) for end in row["ends"])
            yield dict(zip(OUTSIDE, (row["model"], said, ran, failed), strict=True))


def any_margin(rows: Sequence[Found]) -> Parts:
    """Return what the best margin and context would make of the brackets, and what speaks against any."""
    _, annoying = fit.least_annoying(rows, DANGEROUS)
    least, most = ends_of_failed(rows, MOST_NAMED), ends_of_ran(rows, MOST_NAMED)
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


def draw(found: Found, verdicts: Iterable[tuple[Found, str]], context: int) -> None:
    """Draw the plots into docs/accuracy/."""
    folder = DOCS / "accuracy"
    folder.mkdir(exist_ok=True)
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
        brackets(found["brackets"]),
        reference_peaks(found["peaks"]),
        systems(found["systems"]),
    )
    targets = [target for section in sections for target in section.pop("targets")]
    parts: Parts = {"targets": target_table(targets)}
    for section in sections:
        parts |= section
    verdicts = parts.pop("verdicts")
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(parts)
    (DOCS / "fits.md").write_text(text, encoding="utf-8")
    write_table(REPLAYED, NAME, OUTSIDE, outside(found["brackets"]))
    draw(found, verdicts, parts["rtx_context"])
