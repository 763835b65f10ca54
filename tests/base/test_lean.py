"""Our few lines of contextlib and functools do what the originals do."""

import contextlib
import functools
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memolith.base import lean
from memolith.store.derived import sqlite3 as bare

Manager = Callable[[Callable[..., Iterator[Any]]], Callable[..., contextlib.AbstractContextManager[Any]]]


@pytest.fixture(params=[lean.contextmanager, contextlib.contextmanager], ids=["ours", "theirs"])
def manager(request: pytest.FixtureRequest) -> Manager:
    made: Manager = request.param
    return made


@pytest.mark.parametrize("error", [KeyError("k"), KeyboardInterrupt(), GeneratorExit()])
def test_what_ends_a_block_reaches_the_function_and_goes_on(manager: Manager, error: BaseException) -> None:
    seen: list[object] = []

    @manager
    def noting(word: str, *, again: str) -> Iterator[str]:
        try:
            yield word + again
        except BaseException as raised:
            seen.append(raised)
            raise
        finally:
            seen.append("end")

    with pytest.raises(type(error)) as told, noting("a", again="b"):
        raise error
    assert told.value is error
    assert seen == [error, "end"]
    with noting("a", again="c") as word:
        seen.append(word)
    assert seen[2:] == ["ac", "end"]


def test_a_function_may_end_an_error_or_turn_it_into_another(manager: Manager) -> None:
    @manager
    def calming() -> Iterator[None]:
        with contextlib.suppress(KeyError):
            yield

    @manager
    def turning() -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ValueError("turned") from error

    with calming():
        raise KeyError
    with pytest.raises(ValueError, match="turned") as told, turning():
        raise OSError
    assert isinstance(told.value.__cause__, OSError)


def test_a_function_that_yields_twice_is_an_error(manager: Manager) -> None:
    @manager
    def twice() -> Iterator[None]:
        yield
        yield

    with pytest.raises(RuntimeError), twice():
        pass


@pytest.mark.parametrize("suppress", [lean.suppress, contextlib.suppress], ids=["ours", "theirs"])
def test_only_the_named_errors_are_suppressed(suppress: Callable[..., Any]) -> None:
    with suppress(OSError, KeyError):
        raise FileNotFoundError
    with pytest.raises(ValueError), suppress(OSError, KeyError):  # noqa: PT011 - any
        raise ValueError
    with suppress(OSError):
        pass


@pytest.mark.parametrize("cached", [lean.lru_cache, functools.lru_cache], ids=["ours", "theirs"])
def test_a_result_is_kept_and_there_are_never_more_than_so_many(cached: Any) -> None:
    asked: list[int | None] = []

    def twice(number: int | None = None) -> int | None:
        asked.append(number)
        return number and number * 2

    double = cached(maxsize=2)(twice)
    assert [double(1), double(1), double(), double()] == [2, 2, None, None]
    assert asked == [1, None]
    double(5)
    assert double.__wrapped__ is twice
    assert [double(number) for number in (1, 5, 1)] == [2, 10, 2]


def test_the_database_is_the_same_one() -> None:
    assert bare.Error is sqlite3.Error
    assert bare.connect is sqlite3.connect
    code = "from memolith.store.derived import sqlite3; import sys; print('datetime' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
