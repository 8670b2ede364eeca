"""The command line. Textual is imported only where a screen opens.

Exit codes: 0 done; 1 refused, or ended by a proven fault; 2 usage or local error; 3 link lost, can be resumed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from tui.start import LEVELS

if TYPE_CHECKING:
    from protocol.lobby import Ask
    from protocol.profile import Profile
    from protocol.view import Match
    from tui.lines import LineSource
    from tui.start import Start, Wish

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

GAMES = ("poker-bingo", "texas-bingo", "counterbluff", "equilibrium-poker", "poker-challenge")  # as in engine.games
REFUSED, LOCAL, LOST = 1, 2, 3


class Failure(click.ClickException):
    """One sentence on standard error, and the exit code that fits."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]  # click reads it from the instance

    def show(self, file: Any = None) -> None:  # noqa: ARG002
        click.echo(f"dealerless: {self.message}", err=True)


@dataclass(frozen=True, slots=True)
class Lines:
    """How a match in lines is played, and who plays it."""

    bot: str | None
    delay: int  # ms
    export: Path | None
    again: bool  # the bot offers another match after each
    leash: bool  # it ends with its standard input
    name: str


@dataclass(frozen=True, slots=True)
class Looks:
    glyphs: str | None
    mouse: bool


def options(*more: Callable[[F], F]) -> Callable[[F], F]:
    """Several options in the order in which help shows them."""

    def decorate(function: F) -> F:
        for option in reversed(more):
            function = option(function)
        return function

    return decorate


_game = click.argument("game", type=click.Choice(GAMES), metavar="GAME")
_games = f"GAME is one of {', '.join(GAMES)}."
_file = click.Path(dir_okay=False, path_type=Path)
_there = click.Path(exists=True, dir_okay=False, path_type=Path)
_look = options(
    click.option(
        "--glyphs", type=click.Choice(["auto", "unicode", "letters", "cp437", "ascii"]), help="How cards are drawn."
    ),
    click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal."),
)
_plain = options(
    click.option("--plain", is_flag=True, help="Lines instead of a screen."),
    click.option("--bot", type=click.Choice(LEVELS), help="A bot decides; only with --plain."),
    click.option("--delay", type=click.IntRange(0), default=0, metavar="MS", help="Wait before each choice of --bot."),
    click.option("--export", type=_file, metavar="FILE", help="Write the match file at the end; only with --plain."),
    click.option("--again", is_flag=True, hidden=True),
    click.option("--leash", is_flag=True, hidden=True),
    click.option("--name", default="", help="Your name in this match."),
)
_terms = options(
    click.option(
        "--clock",
        metavar="CONTROL",
        help='Time control, such as "turn=60,reserve=300,block=10", or "none"; a match with a person has the usual one of the game.',
    ),
    click.option(
        "--option",
        "pairs",
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of the game, as its rules page names it; may be repeated.",
    ),
    click.option(
        "--seats", type=click.Choice(["toss", "host", "guest"]), default="toss", help="Who is the first seat (toss)."
    ),
)
_addresses = click.option(
    "--address", "more", multiple=True, metavar="HOST:PORT", help="Try this address first; may be repeated."
)
_public = click.option(
    "--public", multiple=True, metavar="HOST[:PORT]", help="An address of yours to add to the invite; may be repeated."
)
_private = click.option(
    "--no-private", is_flag=True, help="Leave the addresses of your local network out of the invite (or the reply)."
)


def _lines(options: dict[str, Any]) -> Lines:
    """What --plain and its companions say. Without --plain the companions make no sense."""
    lines = Lines(
        options["bot"], options["delay"], options["export"], options["again"], options["leash"], options["name"]
    )
    for name, value in (("--bot", lines.bot), ("--export", lines.export), ("--delay", lines.delay)):
        if value and not options["plain"]:
            raise click.UsageError(f"{name} needs --plain")
    return lines


def _looks(options: dict[str, Any]) -> Looks:
    return Looks(options["glyphs"], mouse=not options["no_mouse"])


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dealerless", prog_name="dealerless")
@_look
@click.pass_context
def main(context: click.Context, /, **chosen: Any) -> None:
    """Five card games between two terminals, without a server and without a dealer.

    Without a command it opens Home. Exit codes: 0 done; 1 refused, or ended by a proven fault; 2 usage or local error; 3 link lost,
    can be resumed.
    """
    if context.invoked_subcommand is None:
        from tui.start import Home

        _screen(Home(), _looks(chosen))


@main.command(epilog=_games)
@_game
@click.option("--level", type=click.Choice(LEVELS), help="How strong the bot is; as in the settings, in lines easy.")
@click.option("--daily", is_flag=True, help="Texas Bingo alone: the board of the day, the same for everybody.")
@_terms
@_plain
@_look
def practice(game: str, level: str | None, daily: bool, **chosen: Any) -> None:
    """Play against a bot that runs as a second peer; no clock unless chosen."""
    from tui.solo import alone
    from tui.start import Practice

    lines = _lines(chosen)
    wish = _wish(game, {**chosen, "clock": chosen["clock"] or "none"})
    _guarded(lambda: alone(wish, daily=daily))
    start = Practice(wish, level or "", daily)
    if chosen["plain"]:
        sys.exit(_run(_plain_practice(start, lines)))
    _screen(start, _looks(chosen))


@main.command(epilog=_games)
@_game
@_terms
@click.option("--bind", default="", metavar="ADDR", help="Listen on this address only.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Listen on this port; 0: any.")
@click.option("--invite-file", type=_file, metavar="FILE", help="Write the invite to a file, whole or not at all.")
@_public
@_private
@click.option("--lan", is_flag=True, help="Show this table in the list of the local network.")
@click.option("--portmap", is_flag=True, help="Ask the router to forward the port.")
@click.option("--print", "bare", is_flag=True, help="Lines only; the first is the bare invite.")
@click.option(
    "--silence",
    type=click.IntRange(1, 86400),
    default=120,
    metavar="S",
    help="Seconds of silence before a claim is possible (120).",
)
@click.option("--void-contested", is_flag=True, help="A contested clock ends the match void instead of untimed.")
@click.option("--no-chat", is_flag=True, help="The terms forbid chat.")
@click.option("--no-hints", is_flag=True, help="The terms forbid hints.")
@_plain
@_look
def host(game: str, bare: bool, **chosen: Any) -> None:
    """Open a table and show its invite."""
    from tui.start import Host

    lines = _lines({**chosen, "plain": chosen["plain"] or bare})
    contested = "void" if chosen["void_contested"] else "untimed"
    agreed = {
        "silence": chosen["silence"], "contested": contested, "chat": not chosen["no_chat"], "assist": not chosen["no_hints"],
    }  # fmt: skip
    wish = _wish(game, chosen)
    start = Host(
        wish, chosen["bind"], chosen["port"], chosen["portmap"], chosen["lan"], chosen["invite_file"],
        tuple(agreed.items()), lines.name, chosen["public"], not chosen["no_private"],
    )  # fmt: skip
    if chosen["plain"] or bare:
        sys.exit(_run(_plain_host(start, lines, bare=bare)))
    _screen(start, _looks(chosen))


@main.command()
@click.argument("invite")
@_addresses
@click.option("--reply", is_flag=True, help="Both sides dial: shows a reply for the host to paste.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="With --reply: dial from this port.")
@_public
@_private
@_plain
@_look
def join(invite: str, more: tuple[str, ...], **chosen: Any) -> None:
    """Follow an invite; "-" reads it from standard input."""
    from tui.start import Join

    lines = _lines(chosen)
    text = sys.stdin.readline().strip() if invite == "-" else invite
    start = Join(text, more, lines.name, chosen["reply"], chosen["port"], chosen["public"], not chosen["no_private"])
    if chosen["plain"]:
        sys.exit(_run(_plain_join(start, lines), leash=lines.leash))
    _screen(start, _looks(chosen))


@main.command()
@_look
def lan(**chosen: Any) -> None:
    """Open tables on the local network."""
    from tui.start import Lan

    _screen(Lan(), _looks(chosen))


@main.command()
@click.argument("match", default="")
@_addresses
@click.option("--bind", default="", metavar="ADDR", help="A host: listen on this address instead of the one before.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="A host: listen on this port instead of the one before; 0: any."
)
@click.option(
    "--portmap", is_flag=True, help="A host: ask the router to forward the port; asked again where it was before."
)
@_plain
@_look
def resume(match: str, more: tuple[str, ...], **chosen: Any) -> None:
    """Go on with a match: the newest unfinished one, or the one whose id begins with MATCH."""
    from tui.start import Resume

    lines = _lines(chosen)
    start = Resume(_unfinished(match), more, chosen["bind"], chosen["port"], chosen["portmap"])
    if chosen["plain"]:
        sys.exit(_run(_plain_resume(start, lines), leash=lines.leash))
    _screen(start, _looks(chosen))


@main.command()
@click.option("--plain", is_flag=True, help="Lines instead of a screen.")
@_look
def history(plain: bool, **chosen: Any) -> None:
    """Matches played here."""
    from tui.peertext import safe
    from tui.start import History

    if plain:
        for one in _guarded(lambda: _profile().history()):
            _say(f"{one.key}  {one.game or '?':<18} {one.state:<9} {one.result or '-':<16} {safe(one.name, 20)}")
        return
    _screen(History(), _looks(chosen))


@main.command()
@click.argument("file", type=_there)
@click.option("--plain", is_flag=True, help="All steps as lines.")
@_look
def replay(file: Path, plain: bool, **chosen: Any) -> None:
    """Step through a record (TOML) or a match file."""
    from tui.start import Replay
    from tui.told import told_file

    if not plain:
        _screen(Replay(file), _looks(chosen))
    for line in _guarded(lambda: told_file(file), damaged=REFUSED):
        _say(line)


@main.command()
@click.argument("file", type=_there)
@click.option("--out", type=_file, help="Write it to this file instead.")
def record(file: Path, out: Path | None) -> None:
    """A match file as a record that people can read (TOML)."""
    from tui.told import record_text

    text = _guarded(lambda: record_text(file), damaged=REFUSED)
    if out is None:
        click.echo(text, nl=False)
    else:
        _guarded(lambda: out.write_text(text, encoding="utf-8"))


@main.command()
@click.argument("files", nargs=-1, required=True, type=_there, metavar="FILE [OTHER]")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def verify(files: tuple[Path, ...], as_json: bool) -> None:
    """Check a match from its file alone; with OTHER, the other side's file, both together."""
    from engine.games import game_named
    from protocol.verify import verify as check
    from tui.report import report_lines

    report = check(files, game_named)
    click.echo(json.dumps(report.as_json()) if as_json else "\n".join(report_lines(report)))
    sys.exit(0 if report.ok else REFUSED)


@main.command(epilog=_games)
@_game
def rules(game: str) -> None:
    """The rules of a game."""
    from tui.rulebook import text

    click.echo(text(game))


@main.command(epilog=_games)
@_game
@click.option("--bots", required=True, metavar="A,B", help="Levels: random, easy, strong.")
@click.option("--matches", type=click.IntRange(1), default=40, help="How many (40).")
@click.option("--seed", type=int, default=1, help="The same seed gives the same matches (1).")
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game; may be repeated.")
@click.option("--cores", type=click.IntRange(1), help="Processes at once; all cores unless said otherwise.")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def arena(
    game: str, bots: str, matches: int, seed: int, pairs: tuple[str, ...], cores: int | None, as_json: bool
) -> None:
    """Bots against bots, on all cores; the seats alternate."""
    from tui.arena import arena as fight

    found = _guarded(lambda: fight(game, pairs, tuple(bots.split(",")), matches, seed, cores))
    counts = ", ".join(f"{level} {wins}" for level, wins in zip(found["bots"], found["wins"], strict=True))
    text = f"{counts}, draws {found['draws']}, of {matches} in {found['seconds']} s"
    click.echo(json.dumps(found) if as_json else text)


@main.command()
@click.option("--only", multiple=True, metavar="NAME", help="One figure; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def bench(only: tuple[str, ...], as_json: bool) -> None:
    """Measure the figures of this machine, as ratios within one run."""
    from tui import bench as benches

    def told(name: str, figure: dict[str, Any]) -> None:
        if not as_json:
            _say(benches.line(name, figure))

    found = _guarded(lambda: benches.measured(only, told))
    if as_json:
        click.echo(json.dumps(found))


@main.command()
def doctor() -> None:
    """What a bug report needs."""
    from tui.doctor import findings

    for what, how in findings():
        click.echo(f"{what:18} {how}")


# --- matches in lines ------------------------------------------------------------------------------------------------


async def _plain_host(start: Any, lines: Lines, *, bare: bool) -> int:
    from engine.games import game_named
    from protocol import lobby
    from tui.asking import BareAsk
    from tui.wishes import terms_of

    ask, typed = _answering(lines)
    match = await lobby.host(
        _profile(), terms_of(start.wish, **dict(start.terms)), BareAsk(_say, ask) if bare else ask, game_named,
        bind=start.bind, port=start.port, name=lines.name, invite_file=start.invite_file, advertise=start.advertise,
        portmap=start.portmap, public=start.public, private=start.private,
    )  # fmt: skip
    return await _plain_match(match, lines, typed)


async def _plain_join(start: Any, lines: Lines) -> int:
    from engine.games import game_named
    from protocol import lobby

    ask, typed = _answering(lines)
    match = await lobby.join(
        _profile(), start.invite, ask, game_named, name=lines.name, more=start.more, reply=start.reply, port=start.port,
        public=start.public, private=start.private,
    )  # fmt: skip
    return await _plain_match(match, lines, typed)


async def _plain_resume(start: Any, lines: Lines) -> int:
    from tui import practice as practices
    from tui.messages.terms import door_lines

    ask, typed = _answering(lines)
    match, process = await practices.resume(
        _profile(), start.key, ask, name=lines.name, more=start.more, bind=start.bind, port=start.port,
        portmap=start.portmap,
    )  # fmt: skip
    if process is None and not lines.bot:
        for line in door_lines(match.connector):
            _say(line)
    try:
        return await _plain_match(match, lines, typed)
    finally:
        if process:
            process.stop()


async def _plain_practice(start: Any, lines: Lines) -> int:
    from tui import practice as practices
    from tui.solo import alone
    from tui.wishes import terms_of

    _, typed = _answering(lines)
    if single := alone(start.wish, daily=start.daily, folder=_profile().folder):
        return await _plain_match(single, lines, typed)
    match, process = await practices.practice(_profile(), terms_of(start.wish), start.level or "easy", lines.name)
    try:
        return await _plain_match(match, lines, typed)
    finally:
        process.stop()


async def _plain_match(match: Match, lines: Lines, typed: LineSource | None) -> int:
    from tui.botplay import BotPlayer
    from tui.plain import PlainTable

    if typed is None:
        player = BotPlayer(match, lines.bot or "easy", delay=lines.delay / 1000, export=lines.export, again=lines.again)
        return await player.run()
    return await PlainTable(match, typed, _say, export=lines.export).run()


def _answering(lines: Lines) -> tuple[Ask, LineSource | None]:
    """Who answers questions on the way to the match, and where typed lines come from."""
    from tui.asking import BotAsk, PlainAsk
    from tui.lines import LineSource

    if lines.bot:
        return BotAsk(quiet=lines.again), None
    typed = LineSource()
    return PlainAsk(_say, typed), typed


def _say(line: str) -> None:
    click.echo(line)
    sys.stdout.flush()


# --- what commands share ---------------------------------------------------------------------------------------------


def _wish(game: str, chosen: dict[str, Any]) -> Wish:
    """What somebody wants to play, checked."""
    from tui.solo import alone
    from tui.start import Wish
    from tui.wishes import terms_of

    wish = Wish(game, chosen["pairs"], chosen["clock"] or "", chosen["seats"])
    _guarded(lambda: alone(wish) or terms_of(wish))
    return wish


def _profile() -> Profile:
    from protocol.profile import Profile

    return Profile.open()


def _unfinished(match: str) -> str:
    if match:
        return _guarded(lambda: _profile().match(match)).key
    return _guarded(lambda: _profile().to_resume()).key


def _run(work: Coroutine[Any, Any, int], *, leash: bool = False) -> int:
    """Run a match in lines; errors become one sentence and an exit code."""
    from tui.lines import leashed

    return _guarded(lambda: asyncio.run(leashed(work, LOST) if leash else work))


def _guarded(work: Callable[[], T], *, damaged: int = LOCAL) -> T:
    """What `work` returns. `damaged`: the exit code where a file is not what it should be."""
    from engine.steps import RulesError
    from protocol.errors import LinkLost, LocalError, RemoteError
    from tui.messages.words import failed

    try:
        return work()
    except RemoteError as error:
        raise Failure(failed(error), REFUSED) from None
    except LinkLost as error:
        raise Failure(failed(error), LOST) from None
    except (LocalError, RulesError, UnicodeDecodeError) as error:
        raise Failure(failed(error), damaged) from None
    except OSError as error:
        raise Failure(failed(error), LOCAL) from None
    except KeyboardInterrupt:
        raise Failure("stopped; a match that is not over can be resumed", LOST) from None


def _screen(start: Start, looks: Looks) -> NoReturn:
    """Open a screen, or say in one line why not."""
    from tui.term import unusable

    if why := unusable():
        click.echo(why, err=True)
        sys.exit(LOCAL)
    from tui import app

    sys.exit(_guarded(lambda: app.run(_profile(), start, glyphs=looks.glyphs or "", mouse=looks.mouse)))


if __name__ == "__main__":
    main(prog_name="dealerless")
