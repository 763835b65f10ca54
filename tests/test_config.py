"""Settings: one table, three origins, and messages that say what to do."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.config import TABLE, Settings, check, default_home, env_name
from memolith.errors import ConfigError
from tests.ledger import proves

KEYS = [row[0] for row in TABLE]
OTHER = {key: kind[-1] if isinstance(kind, tuple) else "7" for key, kind, _, _ in TABLE}


def settings(tmp_path: Path, text: str | bytes | None = None, env: dict[str, str] | None = None) -> Settings:
    if text is not None:
        (tmp_path / "config.yml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return Settings(str(tmp_path), env or {})


def as_yaml(key: str, value: str) -> str:
    *groups, last = key.split(".")
    return (
        "".join(f"{'  ' * at}{name}:\n" for at, name in enumerate(groups))
        + f"{'  ' * len(groups)}{last}: {value}\n"
    )


def test_every_setting_has_a_default_a_type_and_a_meaning() -> None:
    assert len(set(KEYS)) == len(TABLE)
    for key, kind, default, meaning in TABLE:
        assert re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", key)
        assert meaning.endswith(".")
        assert default in kind if isinstance(kind, tuple) else type(default) is kind
        assert check(key, str(default)) == default


@pytest.mark.parametrize("key", KEYS)
def test_the_environment_beats_the_file_and_the_file_the_default(key: str, tmp_path: Path) -> None:
    default = next(row[2] for row in TABLE if row[0] == key)
    assert settings(tmp_path).lookup(key) == (default, "default")
    assert settings(tmp_path, as_yaml(key, OTHER[key])).lookup(key) == (check(key, OTHER[key]), "file")
    env = {env_name(key): str(default)}
    assert settings(tmp_path, env=env).lookup(key) == (default, "environment")
    assert settings(tmp_path, env={env_name(key): ""}).lookup(key)[1] == "file"


def test_the_variable_of_a_setting_is_its_key_in_capitals() -> None:
    assert env_name("long_term.soft_limit") == "MEMOLITH_LONG_TERM_SOFT_LIMIT"


def test_values_have_the_type_of_the_table(tmp_path: Path) -> None:
    mine = settings(tmp_path, "\ufefflock:\r\n  seconds: 2.5 # short\r\nhistory:\r\n  days: 3\r\n")
    assert mine.number("lock.seconds") == 2.5
    assert mine.get("history.days") == 3
    assert mine.text("identity") == "git"


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("identity: svn\n", "identity", ["config.yml", "identity", "'svn'", "one of git, cwd"]),
        ("history:\n  days: many\n", "history.days", ["config.yml", "history.days", "'many'", "0 or more"]),
        ("history:\n  days: -1\n", "history.days", ["'-1'", "0 or more"]),
        ("lock:\n  seconds: nan\n", "lock.seconds", ["'nan'", "a number"]),
        ("lock:\n  seconds: inf\n", "lock.seconds", ["'inf'", "a number"]),
        ("identity: [git]\n", "identity", ["config.yml", "identity", "one value", "`identity: git`"]),
        ("a: 1\nidentity: &x git\n", "identity", ["config.yml:2:", "repair the line"]),
        (b"identity: \xff\n", "identity", ["config.yml", "cannot be read", "repair or remove"]),
    ],
)
def test_a_bad_file_is_an_error_that_names_it_and_the_next_step(
    text: str | bytes, key: str, words: list[str], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        settings(tmp_path, text).get(key)
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_config_that_is_a_directory_is_an_error_too(tmp_path: Path) -> None:
    (tmp_path / "config.yml").mkdir()
    with pytest.raises(ConfigError, match=r"config\.yml: cannot be read"):
        settings(tmp_path).get("identity")


def test_a_bad_variable_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match="environment variable MEMOLITH_IDENTITY: identity = 'x'; must be one of"
    ):
        settings(tmp_path, env={"MEMOLITH_IDENTITY": "x"}).get("identity")


def test_an_unknown_setting_is_an_error_that_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'inject\.dayly'; did you mean 'inject\.daily'"):
        check("inject.dayly", "recent")
    with pytest.raises(ConfigError, match=r"unknown setting 'zzz'; one of identity, "):
        settings(tmp_path).get("zzz")


def test_unknown_keys_of_the_file_are_told_but_do_no_harm(tmp_path: Path) -> None:
    mine = settings(tmp_path, "identity: cwd\nfuture:\n  thing: 1\ncolour: red\n")
    assert mine.unknown_keys() == ["future.thing", "colour"]
    assert mine.get("identity") == "cwd"


@given(st.sampled_from(KEYS), st.text())
def test_any_value_is_converted_or_refused(key: str, value: str) -> None:
    kind = next(row[1] for row in TABLE if row[0] == key)
    try:
        result = check(key, value)
    except ConfigError:
        return
    assert result in kind if isinstance(kind, tuple) else type(result) is kind


@proves("S1.1")
@pytest.mark.parametrize(
    ("platform", "env", "home"),
    [
        ("linux", {}, "/home/ada/.local/share/memolith"),
        ("darwin", {}, "/home/ada/Library/Application Support/memolith"),
        ("win32", {"USERPROFILE": "/Users/ada"}, "/Users/ada/AppData/Local/memolith"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/memolith"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/memolith"),
        ("darwin", {"XDG_DATA_HOME": "/data/"}, "/data/memolith"),
        ("linux", {"XDG_DATA_HOME": ""}, "/home/ada/.local/share/memolith"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "/home/ada/.local/share/memolith"),
        ("linux", {"MEMOLITH_HOME": "/mine", "XDG_DATA_HOME": "/data"}, "/mine"),
        ("win32", {"MEMOLITH_HOME": "/mine", "LOCALAPPDATA": "/local"}, "/mine"),
        ("linux", {"MEMOLITH_HOME": "~/mine"}, "/home/ada/mine"),
        ("linux", {"MEMOLITH_HOME": "", "XDG_DATA_HOME": "/data"}, "/data/memolith"),
    ],
)
def test_the_home_follows_the_override_then_xdg_then_the_platform(
    platform: str, env: dict[str, str], home: str
) -> None:
    assert default_home({"HOME": "/home/ada", **env}, platform) == home


def test_a_relative_override_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_home({"MEMOLITH_HOME": "here"}, "linux") == str(tmp_path / "here")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_without_any_home_the_error_says_what_to_set(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(ConfigError, match="set MEMOLITH_HOME or give --home"):
        default_home({}, platform)
    assert default_home({"MEMOLITH_HOME": "/mine"}, platform) == "/mine"
    assert default_home({"XDG_DATA_HOME": "/data"}, platform) == "/data/memolith"
