"""Two real processes over loopback TLS, and what the commands say, write and answer at the command line."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games import GAMES
from protocol import invite as invites
from protocol.addresses import Address
from protocol.identity import Identity
from protocol.invite import Invite, new_seed
from protocol.profile import Profile, facts_of
from tests import soak
from tests.support.pair import make_terms
from tests.support.programs import DEADLINE, PROGRAM, TELLING, Program, Two, run
from tui import cli
from tui.practice import bot_home

IN_DAYS = 4_000_000_000 // 60 * 60
CHECKS = [
    "file",
    "terms",
    "signatures",
    "chain",
    "keys",
    "commitments",
    "coins",
    "mixes",
    "shares",
    "rules",
    "clocks",
    "result",
]


def play(folder, game, *more):
    """A whole match; both files, and how both programs ended."""
    two = Two(folder)
    with two.host(game, *more, by=TELLING) as host, two.guest(by=TELLING) as guest:
        ends = host.wait(), guest.wait()
    return two, ends


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    return play(tmp_path_factory.mktemp("played"), "poker-bingo")


def agreed(two):
    """Both files, alone and together, give one report."""
    reports = [run(two.folder, "verify", path, "--json") for path in two.files]
    assert [one.code for one in reports] == [0, 0]
    assert reports[0].json == reports[1].json
    together = run(two.folder, "verify", *two.files, "--json")
    assert together.code == 0
    assert together.json["head"] == reports[0].json["head"]
    return reports[0].json


# --- whole matches ---------------------------------------------------------------------------------------------------


def test_two_bots_play_and_both_files_agree(played):
    """Exit code 0 on both sides, equal reports, over by the rules."""
    two, ends = played
    assert [end.code for end in ends] == [0, 0], ends
    report = agreed(two)
    assert (report["ok"], report["verdict"], report["seat"], report["game"]) == (True, "agreed", None, "poker-bingo")
    assert [check["name"] for check in report["checks"]] == CHECKS


def test_a_game_with_private_cards_too(tmp_path):
    """Mixes and shares are proved in the files."""
    two, ends = play(tmp_path, "counterbluff")
    assert [end.code for end in ends] == [0, 0], ends
    report = agreed(two)
    counts = {check["name"]: check["count"] for check in report["checks"]}
    assert counts["mixes"] > 0
    assert counts["shares"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("game", [g.variant for g in GAMES if g.variant not in ("poker-bingo", "counterbluff")])
def test_every_other_game_between_two_processes(tmp_path, game):
    """The same for all."""
    two, ends = play(tmp_path, game)
    assert [end.code for end in ends] == [0, 0], ends
    assert agreed(two)["verdict"] == "agreed"


def test_a_match_in_lines_loads_no_textual(played):
    """Neither hosting nor joining."""
    _, ends = played
    assert all("textual loaded: False" in end.err for end in ends)


@pytest.mark.parametrize("kills", [2])
def test_killed_and_resumed_again_and_again(tmp_path, kills):
    """kill -9 of one side or both at random moments; the match is finished and both files are sound."""
    found = soak.Match(tmp_path, "poker-bingo", random.Random(5), kills, delay=25).run()
    assert found["ok"], found
    assert found["kills"] >= kills


@pytest.mark.slow
@pytest.mark.parametrize("game", [g.variant for g in GAMES])
def test_killed_and_resumed_in_every_game(tmp_path, game):
    """A longer form: python -m tests.soak."""
    assert soak.Match(tmp_path, game, random.Random(6), 10).run()["ok"]


def test_a_side_that_is_gone_for_good_is_exit_code_3(tmp_path):
    """One sentence, a match that can be resumed, and a file that is sound as far as it goes (cases: P38)."""
    two = Two(tmp_path)
    with two.host("poker-bingo", "--silence", "1", "--delay", "100") as host, two.guest("--delay", "100") as guest:
        two.begun()
        guest.kill()
        end = host.wait()
    assert end.code == 3
    assert "can be resumed" in end.err.splitlines()[-1]
    assert len(Profile(tmp_path / "host").unfinished()) == 1
    report = run(tmp_path, "verify", two.files[0], "--json")
    assert (report.code, report.json["verdict"]) == (0, "unfinished")


def test_ctrl_c_at_the_door_leaves_nothing(tmp_path):
    """One sentence, and no folder of a match that never began."""
    two = Two(tmp_path)
    with two.host("poker-bingo") as host:
        assert two.invite
        host.process.send_signal(signal.SIGINT)
        end = host.wait()
    assert end.code == 3
    assert end.err.splitlines()[-1].startswith("dealerless: stopped")
    assert "Traceback" not in end.err
    assert [*(tmp_path / "host" / "matches").iterdir()] == []


# --- files -----------------------------------------------------------------------------------------------------------


def test_one_flipped_bit_is_exit_code_1_and_blames_nobody(played, tmp_path):
    """In any place of the file."""
    two, _ = played
    raw = two.files[0].read_bytes()
    chance = random.Random(1)
    for place in [0, 40, len(raw) - 1, *(chance.randrange(len(raw)) for _ in range(12))]:
        bad = bytearray(raw)
        bad[place] ^= 1 << chance.randrange(8)
        (tmp_path / "bad.dealerless").write_bytes(bad)
        end = CliRunner().invoke(cli.main, ["verify", str(tmp_path / "bad.dealerless"), "--json"])
        found = json.loads(end.output)
        assert (end.exit_code, found["ok"], found["seat"]) == (1, False, None), place


def test_verify_in_lines_says_each_check_and_what_is_not_proved(played):
    """For people."""
    two, _ = played
    end = run(two.folder, "verify", two.files[0])
    assert end.code == 0
    assert [line.split()[1] for line in end.out.splitlines() if line.startswith("[ok]")] == CHECKS
    assert "Not proved" in end.out


def test_a_record_is_written_and_told_step_by_step(played):
    """The match file and its record tell the same."""
    two, _ = played
    record = two.folder / "match.toml"
    assert run(two.folder, "record", two.files[0], "--out", record).code == 0
    assert 'variant = "poker-bingo"' in record.read_text()
    assert run(two.folder, "record", two.files[0]).out.strip() == record.read_text().strip()
    told = [run(two.folder, "replay", path, "--plain") for path in (record, two.files[0])]
    assert [end.code for end in told] == [0, 0]
    assert told[0].out == told[1].out
    assert len(told[0].out.splitlines()) > 50


@pytest.mark.parametrize("command", [("record",), ("replay", "--plain")])
def test_what_is_no_match_is_refused_with_exit_code_1(tmp_path, command):
    """One sentence."""
    (tmp_path / "no.dealerless").write_bytes(b"nothing")
    end = run(tmp_path, *command, tmp_path / "no.dealerless")
    assert end.code == 1
    assert end.sentence


def test_the_history_names_the_match_and_its_result(played):
    """In lines."""
    two, _ = played
    end = run(two.folder / "host", "history", "--plain")
    assert end.code == 0
    (line,) = end.out.splitlines()
    assert line.split()[1:3] == ["poker-bingo", "over"]


# --- what goes wrong on this machine ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["hello", "dealerless1aaaa", "dealerless9aaaa"])
def test_what_is_no_invite_is_exit_code_2(tmp_path, text):
    """One sentence, nothing left behind."""
    end = run(tmp_path / "me", "join", text, "--plain", "--bot", "random")
    assert end.code == 2
    assert end.sentence
    assert [*(tmp_path / "me" / "matches").iterdir()] == []


def test_an_invite_of_another_match_is_exit_code_1(tmp_path):
    """Right address, wrong secret."""
    two = Two(tmp_path)
    with two.host("poker-bingo"):
        known = invites.decode(two.invite)
        wrong = Invite(new_seed(), known.host_key_hash, known.addresses, known.game, known.expires).encode()
        end = run(tmp_path / "eve", "join", "-", "--plain", "--bot", "random", given=wrong)
    assert end.code == 1
    assert "another key" in end.err.splitlines()[-1]


def test_nobody_at_the_address_is_exit_code_2(tmp_path):
    """Nothing has begun, so nothing can be resumed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = Invite(new_seed(), b"h" * 16, (_address(free),), "poker-bingo", IN_DAYS).encode()
        end = run(tmp_path / "me", "join", nobody, "--plain", "--bot", "random")
    assert end.code == 2
    assert end.err.splitlines()[-1].startswith("dealerless: No address of the invite answers")


def _address(sock):
    return Address("127.0.0.1", sock.getsockname()[1])


def test_a_busy_port_is_exit_code_2(tmp_path):
    """One sentence that says what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        end = run(
            tmp_path / "me", "host", "poker-bingo", "--plain", "--bot", "random", "--bind", "127.0.0.1", "--port", port
        )
    assert end.code == 2
    assert "--port" in end.sentence


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (("host", "whist"), "whist"), (("host", "poker-bingo", "--option", "items=all"), "items"),
        (("host", "poker-bingo", "--plain", "--clock", "never"), "never"), (("host", "poker-bingo", "--bot", "easy"), "--plain"),
        (("join", "-", "--export", "file"), "--plain"), (("practice", "poker-bingo", "--delay", "5"), "--plain"),
        (("resume", "--plain"), "unfinished"), (("resume", "nothing", "--plain"), "no such match"),
        (("verify", "no-such-file"), "no-such-file"), (("arena", "poker-bingo", "--bots", "random,clever"), "clever"),
        (("bench", "--only", "speed"), "speed"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)  # fmt: skip
def test_what_cannot_be_done_is_exit_code_2_and_says_why(tmp_path, command, word):
    """Usage or local error; never a traceback."""
    end = run(tmp_path / "me", *command)
    assert end.code == 2
    assert word in end.err
    assert "Traceback" not in end.err


def test_a_damaged_identity_key_is_one_sentence(tmp_path):
    """And the file is left alone."""
    Profile(tmp_path / "me")
    (tmp_path / "me" / "identity.pem").write_bytes(b"damaged")
    end = run(tmp_path / "me", "host", "poker-bingo", "--plain", "--bot", "random")
    assert end.code == 2
    assert "identity key is damaged" in end.sentence
    assert (tmp_path / "me" / "identity.pem").read_bytes() == b"damaged"


def test_a_profile_that_cannot_be_written_is_one_sentence(tmp_path):
    """DEALERLESS_HOME is a file."""
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        [*PROGRAM, "history", "--plain"], env={**os.environ, "DEALERLESS_HOME": str(tmp_path / "file")},
        capture_output=True, text=True, timeout=DEADLINE, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("dealerless: ")
    assert len(done.stderr.splitlines()) == 1


# --- terminals and pipes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [(), ("practice", "poker-bingo"), ("host", "poker-bingo"), ("join", "-"), ("lan",), ("history",)],
    ids=" ".join,
)
def test_without_a_terminal_it_says_so_in_one_line_and_ends(tmp_path, command):
    """`</dev/null` and `| cat` at once; nothing is begun (cases: T07)."""
    end = run(tmp_path / "me", *command)
    assert end.code == 2
    assert "--plain" in end.sentence
    assert end.out == ""


def test_without_a_terminal_textual_is_not_loaded(tmp_path):
    """So that it ends at once."""
    end = run(tmp_path / "me", by=TELLING)
    assert "textual loaded: False" in end.err


@pytest.mark.parametrize(
    "command",
    [
        ("--help",), ("--version",), ("host", "--help"), ("rules", "poker-bingo"), ("doctor",),
        ("arena", "counterbluff", "--bots", "random,random", "--matches", "1"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_commands_in_a_pipe_need_neither_terminal_nor_textual(tmp_path, command):
    """They print and end with 0."""
    end = run(tmp_path / "me", *command, by=TELLING)
    assert end.code == 0
    assert end.out.strip()
    assert end.err.strip() == "textual loaded: False"


def test_verify_needs_no_textual(played):
    """A server may check files."""
    two, _ = played
    assert "textual loaded: False" in run(two.folder, "verify", two.files[0], by=TELLING).err


def test_the_first_line_of_print_is_the_bare_invite(tmp_path):
    """For scripts."""
    with Program(tmp_path / "me", "host", "poker-bingo", "--print", "--bind", "127.0.0.1") as host:
        assert host.expect("").startswith("dealerless1")


def test_a_closed_output_ends_the_program(tmp_path):
    """`| head -1` while its input stays open: it does not hang."""
    process = subprocess.Popen(
        [*PROGRAM, "practice", "poker-bingo", "--plain"], env={**os.environ, "DEALERLESS_HOME": str(tmp_path / "me")},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        process.stdout.readline()
        process.stdout.close()
        for _ in range(3):
            process.stdin.write("state\n")
        process.stdin.flush()
        assert process.wait(DEADLINE) == 2
    finally:
        process.kill()
        process.wait()


# --- practice in lines -----------------------------------------------------------------------------------------------


def test_a_practice_match_is_left_and_resumed_with_its_bot_and_given_up(tmp_path):
    """The bot is a second peer in its own process, which is started again; then one resigns."""
    home = tmp_path / "me"
    with Program(home, "practice", "poker-bingo", "--plain", "--level", "random") as first:
        first.expect("Poker Bingo")
        first.expect("Four words")
        first.expect("Place a card")
        first.type("1 L A1")
        first.expect("Turn 1:")
        first.expect("Place a card")
        first.type("gibberish")  # said so, and nothing else happens
        first.expect("That is no move")
        first.type("state")
        first.type("quit")
        end = first.wait()
    assert end.code == 0, end
    assert "can be resumed" in end.out
    (unfinished,) = Profile(home).unfinished()
    with Program(home, "resume", unfinished.match[:8], "--plain") as second:
        second.expect("Poker Bingo")
        second.type("resign")
        second.expect("Type yes")
        second.type("yes")
        second.expect("Type rematch")
        second.type("quit")
        end = second.wait()
    assert end.code == 0, end
    assert Profile(home).unfinished() == []


def test_a_practice_match_that_is_killed_goes_on_at_once(tmp_path):
    """The bot ends with the program that started it, however that ends, and is started again."""
    home = tmp_path / "me"
    with Program(home, "practice", "poker-bingo", "--plain", "--level", "random") as first:
        first.expect("Place a card")
        first.kill()
    with Program(home, "resume", "--plain") as second:
        second.expect("Place a card")
        second.type("1 L A1")
        second.expect("Turn 1:")
        second.type("quit")
        assert second.wait().code == 0


def test_a_practice_match_whose_bot_never_had_it_is_put_away(tmp_path):
    """Killed after this side's journal was made and before the bot's: one sentence, and nothing is left of it."""
    profile = Profile(tmp_path / "me")
    home = bot_home(profile, "random")
    home.mkdir(parents=True)
    bot = Identity.load_or_create(home)
    journal, _ = profile.new_match().create(facts_of(0, make_terms(), bot.public, "Random bot"))
    journal.close()
    end = run(profile.folder, "resume", "--plain")
    assert end.code == 2
    assert "cut off before a card was dealt" in end.sentence
    assert profile.history() == []


def test_practice_by_a_bot_for_me_is_a_whole_match(tmp_path):
    """With --bot nobody is asked; the file is written and sound."""
    end = run(tmp_path / "me", "practice", "poker-bingo", "--plain", "--bot", "easy", "--level", "random",
              "--export", tmp_path / "match.dealerless")  # fmt: skip
    assert end.code == 0, end
    assert run(tmp_path, "verify", tmp_path / "match.dealerless").code == 0


def test_practice_from_a_folder_with_a_foreign_engine(tmp_path):
    """Neither the program nor the bot that it starts imports from where it is called (cases: K02)."""
    for name in ("engine", "protocol", "tui"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('a foreign package was imported')")
    script = Path(sys.executable).with_name("dealerless")
    if not script.exists():
        pytest.skip("the program is not installed here")
    end = run(tmp_path / "me", "practice", "poker-bingo", "--plain", "--bot", "random", "--level", "random",
              by=(str(script),), cwd=tmp_path)  # fmt: skip
    assert end.code == 0, end


# --- figures ---------------------------------------------------------------------------------------------------------


def test_bench_prints_the_figures_wanted_as_json(tmp_path):
    """Keyed by name, with value, unit and ratio."""
    end = run(tmp_path / "me", "bench", "--only", "slot-work", "--json", cwd=tmp_path)
    assert end.code == 0, end
    assert list(end.json) == ["figures"]
    figure = end.json["figures"]["slot-work"]
    assert list(end.json["figures"]) == ["slot-work"]
    assert figure["unit"] == "ms"
    assert figure["value"] > 0
    assert figure["ratio"] > 0
    assert [*tmp_path.glob("tmp*")] == []


def test_the_arena_counts_by_bot_and_repeats_itself(tmp_path):
    """The same seed gives the same matches on one core or two; all are counted."""
    command = ("arena", "counterbluff", "--bots", "easy,random", "--matches", "4", "--seed", "7", "--json")
    first, second = (run(tmp_path, *command, "--cores", cores).json for cores in ("1", "2"))
    for one in (first, second):
        assert one.pop("seconds") >= 0
    assert first == second
    assert (first["matches"], sum(first["wins"]) + first["draws"], len(first["wins"])) == (4, 4, 2)


def test_another_seed_gives_other_matches(tmp_path):
    """Else the seed would mean nothing."""
    command = ("arena", "counterbluff", "--bots", "random,random", "--matches", "4", "--cores", "1", "--json")
    scores = [run(tmp_path, *command, "--seed", seed).json["scores"] for seed in ("1", "2")]
    assert scores[0] != scores[1]


# --- what the help says ----------------------------------------------------------------------------------------------


def test_the_command_line_knows_every_game():
    """Its list stands apart so that help starts fast; there is only one true list."""
    assert {game.variant for game in GAMES} == set(cli.GAMES)


@pytest.mark.parametrize("command", sorted(cli.main.commands))
def test_every_option_in_the_help_says_what_it_does(command):
    """Also the short ones."""
    for option in cli.main.commands[command].params:
        assert option.param_type_name == "argument" or option.hidden or option.help, option.name


def test_every_command_and_option_that_the_readme_names_exists():
    """What is copied from there works."""
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    commands = set(cli.main.commands)
    known = {name for command in (cli.main, *cli.main.commands.values()) for one in command.params for name in one.opts}
    named = {line.split()[1] for line in re.findall(r"^    (dealerless \w.*)$", text, re.MULTILINE)}
    assert {one for one in named if not one.startswith("-")} <= commands
    table = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    assert {word for row in table for word in re.findall(r"`([a-z]+)[ `\[]", row)} - {"dealerless"} <= commands
    options = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", text)) - {"--help"}
    assert options <= known
