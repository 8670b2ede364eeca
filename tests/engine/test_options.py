"""Options as NAME=VALUE: one value for each name, one spelling for each value."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal

import pytest

from engine import options
from engine.options import NoOptions
from engine.steps import SettingError


@dataclass(frozen=True, slots=True)
class Some:
    mode: Literal["competitive", "score"] = "competitive"
    no_call_first_turn: bool = False
    chips: int = field(default=30, metadata={"range": range(1, 1000)})


def test_what_is_not_named_keeps_its_default() -> None:
    assert options.read(Some, []) == Some()
    assert options.read(Some, ["chips=5"]) == Some(chips=5)


def test_each_kind_of_value_is_read() -> None:
    assert options.read(Some, ["mode=score", "no_call_first_turn=on", "chips=999"]) == Some("score", True, 999)
    assert options.read(Some, ["no_call_first_turn=off"]) == Some()


def test_names_may_be_typed_with_hyphens() -> None:
    assert options.read(Some, ["no-call-first-turn=on"]) == Some(no_call_first_turn=True)


def test_equal_options_have_equal_text() -> None:
    assert options.write(Some()) == ("mode=competitive", "no_call_first_turn=off", "chips=30")
    assert options.write(options.read(Some, ["chips=30"])) == options.write(Some())


@pytest.mark.parametrize("some", [Some(), Some("score", True, 1), Some(chips=999)])
def test_what_is_written_is_read_again(some: Some) -> None:
    assert options.read(Some, options.write(some)) == some


@pytest.mark.parametrize(
    "pair",
    [
        "", "mode", "mode=", "=score", "mode=Score", "mode =score", "mode=score ", "other=on", "no_call_first_turn=yes",
        "no_call_first_turn=True", "chips=0", "chips=1000", "chips=-1", "chips=07", "chips=+7", "chips=7.0", "chips=٧",
        "chips=1_0", "chips=", "chips=" + "9" * 5000,
    ],
)  # fmt: skip
def test_anything_else_is_refused(pair: str) -> None:
    with pytest.raises(SettingError):
        options.read(Some, [pair])


def test_a_name_twice_is_refused_however_it_is_spelled() -> None:
    with pytest.raises(SettingError):
        options.read(Some, ["no-call-first-turn=on", "no_call_first_turn=on"])


def test_a_refusal_says_what_there_is() -> None:
    with pytest.raises(SettingError, match="competitive, score"):
        options.read(Some, ["mode=fun"])
    with pytest.raises(SettingError, match="mode, no_call_first_turn, chips"):
        options.read(Some, ["fun=on"])
    with pytest.raises(SettingError, match="none"):
        options.read(NoOptions, ["fun=on"])


def test_choices_and_defaults_are_listed() -> None:
    by_name = {one.name: one for one in fields(Some)}
    assert options.choices(Some, by_name["mode"]) == ("competitive", "score")
    assert options.choices(Some, by_name["no_call_first_turn"]) == ("off", "on")
    assert options.choices(Some, by_name["chips"]) == ()
    assert [options.default(one) for one in fields(Some)] == ["competitive", "off", "30"]


def test_no_options_have_no_text() -> None:
    assert options.write(options.read(NoOptions, [])) == ()


def test_a_field_without_a_default_shows_none() -> None:
    @dataclass(frozen=True)
    class Needed:
        size: int

    assert options.default(fields(Needed)[0]) == ""
