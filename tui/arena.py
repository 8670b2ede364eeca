"""Bots against each other without a link, on all cores: match i is the same whatever the number of cores. No Textual."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from engine import options
from engine.bots import bot
from engine.games import game_named
from engine.steps import Over
from engine.table import play


@dataclass(frozen=True, slots=True)
class Bout:
    """One match: the bots by seat are `bots` turned round in every second match."""

    game: str
    options: tuple[str, ...]
    bots: tuple[str, ...]
    number: int
    seed: int


def fought(bout: Bout) -> tuple[tuple[int, ...], tuple[int, ...], float]:
    """(bots that won, by their place in `bots`; scores by that place; seconds)."""
    kind = game_named(bout.game)
    seats = len(bout.bots)
    order = [(seat + bout.number) % seats for seat in range(seats)]  # order[seat] is the bot's place
    began = time.perf_counter()
    game = kind.start(seats, options.read(kind.options_type, bout.options))
    players = [bot(bout.game, bout.bots[place]) for place in order]
    table = play(game, players, random.Random(f"{bout.seed}/{bout.number}"))  # noqa: S311 - not for a match between people
    step = table.game.step
    assert isinstance(step, Over)
    scores = [0] * seats
    for seat, score in enumerate(step.scores):
        scores[order[seat]] = score
    return tuple(sorted(order[seat] for seat in step.winners)), tuple(scores), time.perf_counter() - began


def arena(
    game: str, chosen: Sequence[str], bots: Sequence[str], matches: int, seed: int, cores: int | None = None
) -> dict[str, Any]:
    """Counts by bot over `matches` matches. Raises SettingError."""
    kind = game_named(game)
    kind.start(len(bots), options.read(kind.options_type, chosen))
    for level in bots:
        bot(game, level)
    bouts = [Bout(game, tuple(chosen), tuple(bots), number, seed) for number in range(matches)]
    began = time.perf_counter()
    results = _all(bouts, cores or os.cpu_count() or 1)
    wins = [sum(winners == (place,) for winners, _, _ in results) for place in range(len(bots))]
    return {
        "game": game,
        "bots": list(bots),
        "matches": matches,
        "wins": wins,
        "draws": matches - sum(wins),
        "scores": [round(sum(scores[place] for _, scores, _ in results) / matches, 2) for place in range(len(bots))],
        "seed": seed,
        "seconds": round(time.perf_counter() - began, 1),
    }


def _all(bouts: Sequence[Bout], cores: int) -> list[tuple[tuple[int, ...], tuple[int, ...], float]]:
    cores = min(cores, len(bouts))
    if cores < 2:
        return [fought(bout) for bout in bouts]
    with ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("spawn")) as pool:
        return [*pool.map(fought, bouts)]
