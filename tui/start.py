"""What the program is asked to open: said by the command line, done by the app."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

LEVELS = {"easy": "Easy bot", "strong": "Strong bot", "random": "Random bot"}  # of bots, and what they are called


@dataclass(frozen=True, slots=True)
class Home:
    pass


@dataclass(frozen=True, slots=True)
class Wish:
    """The match that somebody wants."""

    game: str
    options: tuple[str, ...] = ()  # NAME=VALUE, only those named
    clock: str = ""  # notation of engine/clock.py; "": the game's usual one
    seats: str = "toss"


@dataclass(frozen=True, slots=True)
class Practice:
    wish: Wish
    level: str  # "": as in the settings
    daily: bool = False  # solo with the board of the day


@dataclass(frozen=True, slots=True)
class Host:
    wish: Wish
    bind: str = ""
    port: int = 0
    portmap: bool = False
    advertise: bool = False
    invite_file: Path | None = None
    terms: tuple[tuple[str, Any], ...] = ()  # further keywords of wishes.terms_of()
    name: str = ""
    public: tuple[str, ...] = ()  # addresses to add to the invite
    private: bool = True  # list those of the local network too


@dataclass(frozen=True, slots=True)
class Join:
    invite: str
    more: tuple[str, ...] = ()  # further addresses to try
    name: str = ""
    reply: bool = False  # both sides dial
    port: int = 0  # the one to dial from then; 0: any
    public: tuple[str, ...] = ()  # addresses to add to the reply
    private: bool = True  # list those of the local network too


@dataclass(frozen=True, slots=True)
class Lan:
    pass


@dataclass(frozen=True, slots=True)
class Resume:
    key: str  # "": the newest
    more: tuple[str, ...] = ()
    bind: str = ""  # of a host; "": as before
    port: int | None = None  # of a host; None: as before
    portmap: bool = False  # of a host; False: as before


@dataclass(frozen=True, slots=True)
class History:
    pass


@dataclass(frozen=True, slots=True)
class Replay:
    path: Path
    other: str | None = None  # the name of the other side, of a match of this profile; None: any file


@dataclass(frozen=True, slots=True)
class Rules:
    game: str


Start: TypeAlias = Home | Practice | Host | Join | Lan | Resume | History | Replay | Rules
