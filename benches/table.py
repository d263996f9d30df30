"""The table that ./bench prints: one line a comparison."""

from stats import Spread, ratios

UNITS = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")]


def three_digits(value):
    """1.23, 12.3, 123, 1 230."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:#.3g}".rstrip(".")


def amount(value, unit):
    """A measured value for people. Seconds get the prefix that suits them; `rate` shows how many a second."""
    if unit == "rate":
        return three_digits(1 / value) + "/s"
    if unit == "s":
        size, name = max((u for u in UNITS if u[0] <= abs(value)), default=UNITS[0])
        return f"{three_digits(value / size)} {name}"
    return f"{three_digits(value)} {unit}".strip()


def cells(line):
    """The texts of one line."""
    ours = Spread.of(line["ours"]) if line["ours"] else None
    peer = Spread.of(line["theirs"]) if line["theirs"] else None
    ratio = spread = ""
    if ours and peer:
        by_round = Spread.of(ratios(line["ours"], line["theirs"]))
        ratio = three_digits(by_round.median)
        spread = f"{three_digits(by_round.low)} – {three_digits(by_round.high)}"
    elif ours and len(line["ours"]) > 1:
        spread = f"{amount(ours.low, line['unit'])} – {amount(ours.high, line['unit'])}"
    verdict = {True: "yes", False: "NO", None: ""}[line["reached"]]
    return [
        line["what"],
        amount(ours.median, line["unit"]) if ours else "–",
        line["peer"] or "",
        amount(peer.median, line["unit"]) if peer else ("–" if line["peer"] else ""),
        ratio,
        spread,
        line["target"] or "",
        verdict,
    ]


HEADER = ["what", "ours", "peer", "theirs", "ratio", "quartiles", "target", "reached"]


def table(lines):
    """All lines as a Markdown table with aligned columns, and below it what there is to say about them."""
    rows = [HEADER] + [cells(line) for line in lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
    right = {1, 3, 4}

    def written(row):
        padded = [c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if i in right else "-") for i, w in enumerate(widths)) + "|"
    notes = [f"* {line['what']}{', ' + line['peer'] if line['peer'] else ''}: {line['note']}"
             for line in lines if line["note"]]
    return "\n".join([written(rows[0]), rule] + [written(row) for row in rows[1:]] + ([""] + notes if notes else []))
