"""Steps and events are plain values, and errors say who."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import Any, get_args

import pytest

from engine import steps
from engine.steps import Event, IllegalAction, NotationError, Over, RulesError, SettingError, Step, Tossed, Unexpected

STEPS = get_args(Step)
EVENTS = [getattr(one, "__origin__", one) for one in get_args(Event)]


def test_there_are_ten_steps_and_eleven_events() -> None:
    assert (len(STEPS), len(EVENTS)) == (10, 11)


@pytest.mark.parametrize("kind", [*STEPS, *EVENTS])
def test_each_is_a_frozen_slotted_record(kind: type) -> None:
    assert is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    assert "__slots__" in vars(kind)


def test_every_step_but_over_has_its_answer() -> None:
    """The same verb in the past."""
    past = {"Toss": "Tossed", "Shuffle": "Shuffled", "DealUp": "DealtUp", "DealDown": "DealtDown", "Remix": "Remixed",
            "Act": "Acted", "Seal": "Sealed", "Open": "Opened", "Show": "Shown"}  # fmt: skip
    assert {*past} == {kind.__name__ for kind in STEPS} - {"Over"}
    assert {*past.values()} == {kind.__name__ for kind in EVENTS} - {"TimedOut", "Stopped"}


@pytest.mark.parametrize("kind", EVENTS)
def test_an_event_holds_only_tuples_numbers_and_text(kind: type) -> None:
    for field in fields(kind):
        assert field.type.split("[")[0] in ("int", "str", "tuple", "Seat", "A"), field


def test_a_value_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Over((0,)).why = "time"  # type: ignore[misc]


@pytest.mark.parametrize(
    "error", [Unexpected(Tossed(1)), IllegalAction({0: "fold"}), NotationError("x"), SettingError("x")]
)
def test_every_error_of_the_engine_is_a_rules_error(error: RulesError) -> None:
    assert isinstance(error, RulesError)
    assert str(error)


def test_errors_keep_what_was_wrong() -> None:
    assert Unexpected(Tossed(1)).event == Tossed(1)
    assert IllegalAction({1: "fold", 0: "call"}).actions == {0: "call", 1: "fold"}
    assert str(IllegalAction({1: "fold", 0: "call"})) == "p1: call, p2: fold"


def test_over_is_by_the_rules_unless_said() -> None:
    assert Over((0,)) == Over((0,), (), "rules")


def test_steps_pickle() -> None:
    every: list[Any] = [steps.Toss(2), steps.Shuffle("deck", ("1R",)), steps.Act(1), steps.Open(2), Over((0,), (1, 2))]
    assert pickle.loads(pickle.dumps(every)) == every
