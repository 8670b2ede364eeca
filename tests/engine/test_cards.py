"""Cards in their one spelling, and the packs."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.cards import (
    BINGO,
    EQUILIBRIUM,
    PACK_52,
    PACK_104,
    PACK_BINGO,
    PACK_EQUILIBRIUM,
    STANDARD,
    Card,
    read_face,
)
from engine.steps import NotationError


def test_the_standard_pack_has_52_different_cards() -> None:
    assert len(PACK_52) == len({*PACK_52}) == 52


def test_poker_challenge_has_two_standard_packs() -> None:
    assert Counter(PACK_104) == Counter(dict.fromkeys(PACK_52, 2))


def test_poker_bingo_has_ten_ranks_in_five_suits_twice() -> None:
    assert Counter(PACK_BINGO) == Counter({f"{rank}{suit}": 2 for rank in range(1, 11) for suit in "RGBYW"})


def test_equilibrium_has_4_to_13_in_two_colours_once() -> None:
    assert Counter(PACK_EQUILIBRIUM) == Counter(f"{colour}{rank}" for colour in "rb" for rank in range(4, 14))


@pytest.mark.parametrize(
    ("pack", "face", "card"),
    [
        (STANDARD, "2c", Card(2, "c")),
        (STANDARD, "Th", Card(10, "h")),
        (STANDARD, "As", Card(14, "s")),
        (BINGO, "1W", Card(1, "W")),
        (BINGO, "10R", Card(10, "R")),
        (EQUILIBRIUM, "r13", Card(13, "r")),
        (EQUILIBRIUM, "b4", Card(4, "b")),
    ],
)
def test_a_face_taken_apart(pack: dict[str, Card], face: str, card: Card) -> None:
    assert pack[face] == card


@pytest.mark.parametrize("text", ["Ts", "10s", "ts", "TS", "10S", "tS"])
def test_e18_a_ten_may_be_written_t_or_10(text: str) -> None:
    assert read_face(text, STANDARD) == "Ts"


@pytest.mark.parametrize("text", ["10R", "TR", "tr", "10r"])
def test_e18_poker_bingo_shows_10(text: str) -> None:
    assert read_face(text, BINGO) == "10R"


@pytest.mark.parametrize("text", ["r10", "rT", "R10"])
def test_e18_equilibrium_shows_10(text: str) -> None:
    assert read_face(text, EQUILIBRIUM) == "r10"


@pytest.mark.parametrize(
    "text", ["1s", "0s", "11s", "Tx", "", "As ", " As", "\N{CYRILLIC CAPITAL LETTER A}s", "A", "s", "sA", "AsAs", "A\N{LATIN SMALL LETTER LONG S}"]
)  # fmt: skip
def test_e18_what_is_no_card_is_never_read_as_another(text: str) -> None:
    with pytest.raises(NotationError):
        read_face(text, STANDARD)


@pytest.mark.parametrize("text", ["0R", "11R", "1X", "R1", "", "1", "1RR", "As"])
def test_e18_what_is_no_card_of_poker_bingo(text: str) -> None:
    with pytest.raises(NotationError):
        read_face(text, BINGO)


@pytest.mark.parametrize("pack", [STANDARD, BINGO, EQUILIBRIUM])
def test_every_face_reads_as_itself(pack: dict[str, Card]) -> None:
    for face in pack:
        for text in (face, face.lower(), face.upper()):
            assert read_face(text, pack) == face
