"""Two real processes over loopback TLS, killed with SIGKILL at random moments and resumed, until each match is over and verified.

    python -m tests.soak --kills 200 [--game poker-bingo] [--seed 1]

Prints one line a match and, last, the sum. Exit code 0 if every match was finished and both files agree.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

GAMES = ("poker-bingo", "counterbluff", "equilibrium-poker", "poker-challenge", "texas-bingo")
LONGEST = 180.0  # s for one match, kills and all


@dataclass
class Side:
    """One person's program, as often as it is started."""

    home: Path
    command: list[str]
    delay: int
    given: str = ""
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    done: bool = False

    def start(self) -> None:
        journals = [*self.home.glob("matches/*/journal.sqlite")]
        command = (
            ["resume", "--export", str(self.home / "match.dealerless")] if self.starts and journals else self.command
        )
        self.starts += 1
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tui.cli", *command, "--plain", "--bot", "random", "--delay", str(self.delay)],
            env={**os.environ, "DEALERLESS_HOME": str(self.home)}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=(self.home.parent / f"{self.home.name}.err").open("ab"),
        )  # fmt: skip
        assert self.process.stdin is not None
        self.process.stdin.write(self.given.encode())
        self.process.stdin.close()

    def poll(self) -> int | None:
        assert self.process is not None
        code = self.process.poll()
        self.done = self.done or code == 0
        return code

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@dataclass
class Match:
    """One match of two sides in a folder of its own."""

    folder: Path
    game: str
    chance: random.Random
    kills: int
    delay: int = 20
    log: list[str] = field(default_factory=list)

    def run(self) -> dict[str, object]:
        host = Side(self.folder / "host", [
            "host", self.game, "--bind", "127.0.0.1", "--invite-file", str(self.folder / "invite"),
            "--export", str(self.folder / "host" / "match.dealerless"),
        ], self.delay)  # fmt: skip
        guest = Side(
            self.folder / "guest",
            ["join", "-", "--export", str(self.folder / "guest" / "match.dealerless")],
            self.delay,
        )
        try:
            killed = self._play(host, guest)
        finally:
            for side in (host, guest):
                if side.process is not None:
                    side.kill()  # also where something went wrong: nothing of it is left
        reports = [self._verified(side.home / "match.dealerless") for side in (host, guest)]
        return {
            "game": self.game,
            "kills": killed,
            "ok": all(one["ok"] for one in reports) and reports[0] == reports[1],
            **reports[0],
        }

    def _play(self, host: Side, guest: Side) -> int:
        """To the end, killed and started again on the way; how often."""
        for side in (host, guest):
            side.home.mkdir()
        host.start()
        self._await((self.folder / "invite").exists)
        guest.given = (self.folder / "invite").read_text()
        guest.start()
        self._await(lambda: all([*side.home.glob("matches/*/journal.sqlite")] for side in (host, guest)))
        killed = self._harass([host, guest])
        self._await(lambda: self._finished([host, guest]))
        return killed

    def _harass(self, sides: list[Side]) -> int:
        killed = 0
        while killed < self.kills and not any(side.poll() is not None for side in sides):
            time.sleep(self.chance.random() * 0.6)  # the random moment itself
            doomed = sides if self.chance.random() < 0.2 else [self.chance.choice(sides)]
            if any(side.poll() is not None for side in sides):
                break
            for side in doomed:
                side.kill()
            killed += len(doomed)
            for side in doomed:
                side.start()
        return killed

    def _finished(self, sides: list[Side]) -> bool:
        for side in sides:
            code = side.poll()
            if code not in (None, 0):
                raise AssertionError(
                    f"{side.home.name} ended with {code}: {(self.folder / (side.home.name + '.err')).read_text()[-2000:]}"
                )
        return all(side.done for side in sides)

    def _await(self, true: object) -> None:
        until = time.monotonic() + LONGEST
        while not true():  # type: ignore[operator]
            if time.monotonic() > until:
                raise AssertionError(f"not within {LONGEST} s; {self.folder}")
            time.sleep(0.05)

    def _verified(self, path: Path) -> dict[str, object]:
        done = subprocess.run(
            [sys.executable, "-m", "tui.cli", "verify", str(path), "--json"], capture_output=True, check=False
        )
        found: dict[str, object] = json.loads(done.stdout)
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--each", type=int, default=12, help="kills in one match at most")
    parser.add_argument("--game", action="append", choices=GAMES)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    chance = random.Random(wanted.seed)
    killed = matches = 0
    games = wanted.game or [*GAMES]
    while killed < wanted.kills:
        with tempfile.TemporaryDirectory() as folder:
            game = games[matches % len(games)]
            found = Match(Path(folder), game, chance, min(wanted.each, wanted.kills - killed)).run()
            killed += int(str(found["kills"]))
            matches += 1
            print(
                f"{matches}: {game}, {found['kills']} kills, {found['slots']} slots, {found['verdict']}, {found['result']}, ok {found['ok']}",
                flush=True,
            )
            if not found["ok"]:
                return 1
    print(f"{killed} kills in {matches} matches: every match finished and verified")
    return 0


if __name__ == "__main__":
    sys.exit(main())
