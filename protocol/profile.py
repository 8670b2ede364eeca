"""Everything this person keeps: identity, known peers, and a folder for each match. DEALERLESS_HOME overrides the place."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from protocol.credentials import Credentials, TlsKey
from protocol.errors import LocalError, Malformed
from protocol.files import write_atomically
from protocol.identity import Identity, KnownPeers
from protocol.journal import Journal, JournalError, facts_in
from protocol.seed import MatchSeed, erase
from protocol.terms import Terms
from protocol.wire import decode, encode

FORGOTTEN = 2 * 24 * 3600  # s; an invite lasts for one day, and without a guest there is no match
ATTEMPTS, RETRY = 10, 0.05  # s; the history reads a journal in a few ms
JOURNAL, SEED, PEER_CERTIFICATE = "journal.sqlite", "seed", "peer.der"


class Profile:
    """One person's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.matches.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise LocalError("profile-unwritable") from error
        self.identity = Identity.load_or_create(folder)
        self.known = KnownPeers(folder)
        for path in self.matches.iterdir():
            with contextlib.suppress(OSError, LocalError):  # a locked seed is tried again at the next start
                MatchFolder(path).sweep(time.time())

    @classmethod
    def open(cls, folder: Path | None = None) -> Profile:
        """The profile in `folder`, else in $DEALERLESS_HOME, else where this system keeps such things."""
        home = os.environ.get("DEALERLESS_HOME")
        return cls(folder or (Path(home) if home else Path(platformdirs.user_data_dir("dealerless", appauthor=False))))

    @property
    def matches(self) -> Path:
        return self.folder / "matches"

    @property
    def name(self) -> str:
        """What this person is called; "" until one is chosen. To set it raises LocalError where that can't be written."""
        try:
            return (self.folder / "name").read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return ""

    @name.setter
    def name(self, name: str) -> None:
        write_atomically(self.folder / "name", name.encode())

    def new_match(self) -> MatchFolder:
        folder = MatchFolder(self.matches / secrets.token_hex(6))
        folder.path.mkdir(mode=0o700)
        return folder

    def match(self, key: str) -> MatchFolder:
        """The match whose folder or id begins with `key`. Raises LocalError."""
        found = [one for one in self.history() if one.key.startswith(key) or one.match.startswith(key)]
        whole = [one for one in found if key in (one.key, one.match)]  # a rematch's key begins with its match's
        found = whole or found
        if len(found) != 1:
            raise LocalError("no-such-match" if not found else "several-such-matches")
        return MatchFolder(self.matches / found[0].key)

    def history(self) -> list[MatchSummary]:
        """Every match begun, the newest first."""
        folders = [MatchFolder(path) for path in self.matches.iterdir() if (path / JOURNAL).exists()]
        found = [summary for folder in folders if (summary := folder.summary()) is not None]
        return sorted(found, key=lambda one: one.started, reverse=True)

    def unfinished(self) -> list[MatchSummary]:
        return [one for one in self.history() if one.state == "playing"]

    def to_resume(self) -> MatchSummary:
        """The newest unfinished match that is not open already. Raises LocalError."""
        found = self.history()
        for one in found:
            if one.state == "playing":
                return one
        raise LocalError("journal-in-use" if any(one.state == "in-use" for one in found) else "nothing-unfinished")


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """One line of the history. `name` is foreign text."""

    key: str  # of the folder
    match: str  # hex; "" before the set-up is over
    game: str
    name: str  # of the other side
    started: int  # s since the epoch
    last: int
    state: str  # "playing", "over", "damaged", "in-use"
    result: str
    file: Path | None  # the match file, once written
    seat: int | None = None  # one's own, of a match that is over


@dataclass(frozen=True, slots=True)
class MatchFolder:
    """Where one match is kept: journal, seed, the channel's key and the peer's certificate."""

    path: Path

    @property
    def key(self) -> str:
        return self.path.name

    @property
    def file(self) -> Path:
        return self.path / "match.dealerless"

    def tls_key(self, invite_seed: bytes) -> TlsKey:
        return TlsKey.load_or_issue(self.path, invite_seed)

    def credentials(self, invite_seed: bytes) -> Credentials:
        """Whoever holds the invite, until the peer's certificate is pinned; then that one alone."""
        own, pinned = self.tls_key(invite_seed), self.peer_certificate()
        return Credentials.by_certificate(own, pinned) if pinned else Credentials.by_invite(own, invite_seed)

    def create(self, facts: dict[str, bytes]) -> tuple[Journal, MatchSeed]:
        """Seed first, then the journal with its facts: from now on the match can resume."""
        seed = MatchSeed.new()
        seed.save(self.path / SEED)
        journal = Journal(self.path / JOURNAL, create=True)
        for name, value in facts.items():
            journal.put(name, value)
        journal.commit()
        return journal, seed

    def open(self) -> tuple[Journal, MatchSeed]:
        """Raises JournalError. Where the seed is erased the match is over, and a new one serves to sign the result."""
        journal = Journal(self.path / JOURNAL)
        try:
            return journal, MatchSeed.load(self.path / SEED)
        except FileNotFoundError:
            return journal, MatchSeed.new()
        except (OSError, ValueError) as error:
            journal.close()
            raise JournalError("seed-unreadable") from error

    async def opened(self) -> tuple[Journal, MatchSeed]:
        """open(), while another program may just be reading the history. Raises JournalError."""
        for _ in range(ATTEMPTS):
            try:
                return self.open()
            except JournalError as error:
                if str(error) != "journal-in-use":
                    raise
            await asyncio.sleep(RETRY)
        return self.open()

    def erase_seed(self) -> None:
        erase(self.path / SEED)

    def sweep(self, now: float) -> None:
        """What nobody needs any more goes, also where the program was killed: secrets of an ended match, an old invite."""
        if not (self.path / JOURNAL).exists() and now - self.path.stat().st_mtime > FORGOTTEN:
            self.remove()
        if (self.path / SEED).exists() and (self.path / JOURNAL).exists():
            with contextlib.suppress(JournalError):
                if facts_in(self.path / JOURNAL).get("state") == b"over":
                    self.erase_seed()

    def peer_certificate(self) -> bytes | None:
        try:
            return (self.path / PEER_CERTIFICATE).read_bytes()
        except FileNotFoundError:
            return None

    def pin(self, certificate: bytes) -> None:
        write_atomically(self.path / PEER_CERTIFICATE, certificate)

    def remove(self) -> None:
        """A match that never began leaves nothing behind."""
        shutil.rmtree(self.path, ignore_errors=True)

    def summary(self) -> MatchSummary | None:
        """For the history; None where there is nothing to tell."""
        try:
            return self._told(facts_in(self.path / JOURNAL))
        except JournalError as error:
            return self._troubled(str(error))
        except (Malformed, ValueError):
            return self._troubled("journal-damaged")

    def _told(self, facts: dict[str, bytes]) -> MatchSummary | None:
        if "terms" not in facts:
            return None
        terms = decode(facts["terms"], Terms)
        text = {name: facts.get(name, b"").decode() for name in ("name", "state", "result", "started")}
        match = facts.get("match", b"").hex()
        last = int((self.path / JOURNAL).stat().st_mtime)
        return MatchSummary(
            self.key, match, terms.game, text["name"], int(text["started"] or 0), last, text["state"] or "playing",
            text["result"], self.file if self.file.exists() else None, (facts.get("seat") or (None,))[0],
        )  # fmt: skip

    def _troubled(self, why: str) -> MatchSummary:
        state = "in-use" if why == "journal-in-use" else "damaged"
        last = int(self.path.stat().st_mtime)
        return MatchSummary(self.key, "", "", "", last, last, state, "", self.file if self.file.exists() else None)


def facts_of(me: int, terms: Terms, peer: bytes, name: str, **more: bytes) -> dict[str, bytes]:
    """What a journal knows of a match before its first message."""
    return {"me": bytes([me]), "terms": encode(terms), "identity": peer, "name": name.encode(), **more}
