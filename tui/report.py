"""What the verifier found, in lines. No Textual."""

from __future__ import annotations

from protocol.verdict import Report
from tui.messages.terms import result_words
from tui.messages.words import word

NAMES = {
    "file": "the file has one spelling and holds nothing else",
    "terms": "the terms are ones that this program plays by",
    "signatures": "every message is signed by its author",
    "chain": "every message names the chain before it",
    "keys": "both keys for sealed cards are proved",
    "commitments": "every commitment was made before its opening and fits it",
    "coins": "every coin was tossed by both",
    "mixes": "every shuffle is proved to hold the same cards",
    "shares": "every share of a card is proved",
    "rules": "every move and card is judged by the rules",
    "clocks": "the clocks add up",
    "result": "the result follows",
}
VERDICTS = {
    "agreed": "over by the rules, and both signed the result",
    "rule": "over by the rules; one signature of the result is missing",
    "own-signature": "lost by what its own signature shows",
    "contested": "over, with time that the two sides do not agree on",
    "void": "ended without a winner, by agreement or by both",
    "unfinished": "unfinished at slot {slots}; the other side may hold more",
    "abandoned": "unfinished; the other side says that this seat did not go on: a claim, not a proof",
    "refuted-claim": "unfinished; a claim that the other had left is refuted by a later message",
    "damaged": "the file is damaged or false",
}
NOT_PROVED = (
    "Not proved: that the holders of these keys are two people, when they played, or chance if both worked together."
)


def report_lines(report: Report) -> list[str]:
    """The checklist, the verdict and what it does not prove."""
    rows = [f"{'game':12} {report.game or '?'}", f"{'match':12} {report.match or '?'}"]
    rows += [f"{'key p' + str(seat + 1):12} {key}" for seat, key in enumerate(report.keys)]
    rows.append("")
    for check in report.checks:
        rows.append(f"[{'ok' if check.ok else 'NO'}] {check.name:12} {check.count:>6}  {NAMES[check.name]}")
    rows.append("")
    if report.failed:
        where, _, why = report.failed.partition(": ")
        rows.append(f"FAILED at {where}: {word(why)}")
    seat = f" (p{report.seat + 1})" if report.seat is not None else ""
    rows.append(f"verdict: {VERDICTS[report.verdict].format(slots=report.slots)}{seat}")
    if report.result:
        rows.append(f"result: {result_words(report.result)}")
    rows += [f"p{seat + 1}: {ms / 1000:.1f} s contested, not charged" for seat, ms in enumerate(report.contested) if ms]
    for who, why, slot, refuted in report.claims:
        rows.append(f"claim by p{who + 1} at slot {slot}: {why}{', refuted' if refuted else ''}")
    rows += ["", NOT_PROVED]
    return rows
