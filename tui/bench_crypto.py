"""What the proofs cost against the multiplications they are made of. No Textual here.

A ratio compares a construction with its bare multiplications: counted on paper, and timed kind by kind in the same run, in turn
with it, as the library's call on prepared arguments with nothing around it. A slow or busy machine changes both sides.
"""

from __future__ import annotations

import gc
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import get_clock_info, perf_counter, thread_time
from typing import Final, TypeAlias

from btclib_secp256k1 import ffi, lib
from btclib_secp256k1.context import ctx as library

from protocol import group, shuffle_proof
from protocol.group import G, Point
from protocol.hashing import ORDER, H
from protocol.seed import MatchSeed
from protocol.share_proof import Statement, check_share, make_share

Figure: TypeAlias = dict[str, object]

RUNS: Final = 15  # medians of so many
ROUNDS: Final = 9  # of RUNS each, where the kinds are not mixed run by run
_SAMPLE: Final = 40  # multiplications of one kind timed together
_cpu = thread_time if get_clock_info("thread_time").resolution < 1e-6 else perf_counter  # without other programs' share


@dataclass(frozen=True, slots=True)
class Kinds:
    """One number for each kind of multiplication: how many there are, or how long one takes in seconds."""

    base: float  # k G, constant time
    secret: float  # k P, constant time
    public: float  # k P, variable time

    def times(self, other: Kinds) -> float:
        return self.base * other.base + self.secret * other.secret + self.public * other.public


def shuffle_count(n: int) -> Kinds:
    """Mix 2 n, prove 8 n + 5, verify 9 n + 11: together 19 n + 16."""
    return Kinds(base=5 * n + 8, secret=6 * n + 1, public=8 * n + 7)


SHARE_COUNT: Final = Kinds(base=2, secret=2, public=3)
_ONES: Final = Kinds(1, 1, 1)


def shuffle(n: int) -> Figure:
    """One shuffle by one thread: mixed, proven and checked."""
    seed, key, deck = _deck(n)
    size = n * shuffle_proof.CARD_SIZE + shuffle_proof.proof_size(n)
    return _figure(lambda: _shuffle(seed, key, deck), 1, shuffle_count(n)) | {"bytes": size}


def share() -> Figure:
    """One decryption share with its proof: made and checked."""
    seed, key, _ = _deck(1)
    statement = Statement(H("ctx", b"bench"), H("deck", b"bench"), 0, 0, key, (group.point("gen", 0), key))
    x = seed.derive_scalar("key")
    size = group.POINT_SIZE + 2 * group.SCALAR_SIZE
    return _figure(lambda: check_share(statement, make_share(seed, statement, x)), _SAMPLE, SHARE_COUNT) | {
        "bytes": size
    }


def speedup(n: int) -> Figure:
    """How many times faster a shuffle is with two threads than with one.

    In rounds of runs of the same kind, each with threads of its own: where every second run leaves a core idle, waking
    it is what one measures, and on a virtual machine two threads may fall into step behind one lock for a whole round.
    """
    seed, key, deck = _deck(n)
    one, two = [], []
    with _steady():
        for _ in range(ROUNDS):
            one.append(median(_seconds(lambda: _shuffle(seed, key, deck)) for _ in range(RUNS)))
            with ThreadPoolExecutor(2) as pool:
                two.append(median(_seconds(lambda: _shuffle(seed, key, deck, pool)) for _ in range(RUNS)))
    gain = round(median(one) / median(two), 3)
    return {"value": gain, "unit": "times", "ratio": gain, "ms": round(median(two) * 1e3, 2)}


FIGURES: Final[dict[str, Callable[[], Figure]]] = {
    "shuffle-20": partial(shuffle, 20),
    "shuffle-52": partial(shuffle, 52),
    "shuffle-64": partial(shuffle, 64),
    "shuffle-104": partial(shuffle, 104),
    "speedup-52": partial(speedup, 52),
    "share": share,
}


def _deck(n: int) -> tuple[MatchSeed, Point, shuffle_proof.Deck]:
    seed = MatchSeed.new()
    key = group.base_secret(seed.derive_scalar("key"))
    return seed, key, tuple((G, group.add(group.point("card", "bench", c), key)) for c in range(n))


def _shuffle(seed: MatchSeed, key: Point, deck: shuffle_proof.Deck, pool: ThreadPoolExecutor | None = None) -> None:
    ctx = H("ctx", b"bench")
    mixed = shuffle_proof.mix(seed, key, ctx, deck, pool=pool)
    shuffle_proof.check(key, ctx, deck, shuffle_proof.encode_deck(mixed.deck), mixed.proof, pool=pool)


def _figure(job: Callable[[], object], repeat: int, count: Kinds) -> Figure:
    """Milliseconds of one job by the wall, and the ratio of its processor time to the counted multiplications' own."""
    job()  # fills the caches of generators, as the first mix of a match does
    times, ratios = [], []
    multiply = _Multiplications()
    with _steady():
        for _ in range(RUNS):
            before = multiply.costs()
            start = perf_counter()
            spent = _seconds(job, repeat, clock=_cpu)
            times.append((perf_counter() - start) / repeat)
            ratios.append(2 * spent / (count.times(before) + count.times(multiply.costs())))
    ratio, operations = round(median(ratios), 3), round(count.times(_ONES))
    return {"value": round(median(times) * 1e3, 3), "unit": "ms", "ratio": ratio, "operations": operations}


class _Multiplications:
    """The three kinds as bare calls, over points and scalars prepared beforehand."""

    def __init__(self) -> None:
        self._scalars = [(1 + secrets.randbelow(ORDER - 1)).to_bytes(32, "big") for _ in range(_SAMPLE)]
        self._points = [group.point("gen", j).parsed for j in range(_SAMPLE)]
        self._out = [ffi.new("secp256k1_pubkey *") for _ in range(_SAMPLE)]
        self._xy = ffi.new("unsigned char[64]")

    def costs(self) -> Kinds:
        """Seconds of one multiplication of each kind."""
        return Kinds(*(_seconds(kind, clock=_cpu) / _SAMPLE for kind in (self._base, self._secret, self._public)))

    def _base(self) -> None:
        for out, scalar in zip(self._out, self._scalars, strict=True):
            lib.secp256k1_ec_pubkey_create(library, out, scalar)

    def _secret(self) -> None:
        xy = lib.btclib_secp256k1_ecdh_hash_function_xy
        for point, scalar in zip(self._points, self._scalars, strict=True):
            lib.secp256k1_ecdh(library, self._xy, point, scalar, xy, ffi.NULL)

    def _public(self) -> None:
        for out, scalar in zip(self._out, self._scalars, strict=True):  # what _base left there
            lib.secp256k1_ec_pubkey_tweak_mul(library, out, scalar)


def _seconds(job: Callable[[], object], repeat: int = 1, clock: Callable[[], float] = perf_counter) -> float:
    """Seconds of one of `repeat` jobs."""
    start = clock()
    for _ in range(repeat):
        job()
    return (clock() - start) / repeat


@contextmanager
def _steady() -> Iterator[None]:
    """No garbage collection in between."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
