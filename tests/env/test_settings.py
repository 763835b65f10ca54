"""Settings: one table, three origins, and messages that say what to do."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import Mem
from memolith.base.errors import ConfigError
from memolith.env.settings import SETTINGS, Settings, check, default_home, env_name
from memolith.store.registry import set_setting
from tests.ledger import proves
from tests.shared import rows

KEYS = list(SETTINGS)
OTHER = {
    key: each.kind[-1]
    if isinstance(each.kind, tuple)
    else "true"
    if each.kind is bool
    else str(min(each.limit or 7, 7))
    for key, each in SETTINGS.items()
}


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
    assert len(KEYS) > 50
    for key, each in SETTINGS.items():
        kind, default = each.kind, each.default
        assert re.fullmatch(r"[a-z_]+(\.[a-z_0-9]+)?", key)
        assert each.meaning.endswith(".")
        assert default in kind if isinstance(kind, tuple) else type(default) is kind
        assert check(key, str(default)) == default


@pytest.mark.parametrize("key", KEYS)
def test_the_environment_beats_the_file_and_the_file_the_default(key: str, tmp_path: Path) -> None:
    default = SETTINGS[key].default
    assert settings(tmp_path).lookup(key) == (default, "default")
    assert settings(tmp_path, as_yaml(key, OTHER[key])).lookup(key) == (check(key, OTHER[key]), "file")
    env = {env_name(key): str(default)}
    if default != "":  # an empty variable is none
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
        ("a: 1\nidentity: &x git\n", "identity", ["config.yml:2:", "repair the line in the file"]),
        (b"identity: \xff\n", "identity", ["config.yml", "cannot be read", "repair or remove"]),
    ],
)
def test_a_bad_file_is_an_error_that_names_it_and_the_next_step(
    text: str | bytes, key: str, words: list[str], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        settings(tmp_path, text).get(key)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (Path.mkdir, ""),
        (os.mkfifo, "it is not a regular file"),
        (lambda path: path.symlink_to("elsewhere.yml"), "it is a symbolic link"),
    ],
)
def test_a_config_that_is_no_file_is_an_error_and_no_wait(
    make: Callable[[Path], None], why: str, tmp_path: Path
) -> None:
    make(tmp_path / "config.yml")
    with pytest.raises(ConfigError, match=rf"config\.yml: cannot be read \({why}"):
        settings(tmp_path).get("identity")


NUMBERS = [key for key, each in SETTINGS.items() if each.kind in (int, float)]


@pytest.mark.parametrize("key", NUMBERS)
def test_a_number_has_a_limit_which_the_error_names(key: str, tmp_path: Path) -> None:
    limit = SETTINGS[key].limit
    assert limit
    assert check(key, str(limit)) == limit
    for value in (str(limit + 1), "999999999999999999"):
        given = settings(tmp_path, as_yaml(key, value)), settings(tmp_path, env={env_name(key): value})
        for mine in given:
            with pytest.raises(ConfigError, match=f"{key} = '{value}'; must be at most {limit}"):
                mine.get(key)


@proves("X.19")
def test_a_switch_is_true_or_false_in_the_words_people_use(tmp_path: Path) -> None:
    assert settings(tmp_path).flag("memories.enabled") is False
    for word, value in (("true", True), ("Yes", True), ("on", True), ("no", False), ("0", False)):
        assert settings(tmp_path, as_yaml("memories.enabled", word)).flag("memories.enabled") is value
    with pytest.raises(ConfigError, match=r"memories\.enabled = 'maybe'; must be true or false"):
        settings(tmp_path, as_yaml("memories.enabled", "maybe")).get("memories.enabled")


@proves("S2.59")
def test_the_settings_of_learning_have_their_documented_defaults_and_both_spellings(tmp_path: Path) -> None:
    documented = dict(rows("env/learning_settings"))
    mine = settings(tmp_path)
    assert {key: mine.get(f"memories.{key}") for key in documented} == documented
    mine = settings(
        tmp_path, "memories:\n  maxRolloutAgeDays: 7\n  phase1InputTokenLimit: 900\n  oddKey: 1\n"
    )
    assert mine.get("memories.max_rollout_age_days") == 7
    assert mine.get("memories.phase1_input_token_limit") == 900
    assert mine.unknown_keys() == ["memories.oddKey"]


def test_a_text_is_one_line_of_bounded_length(tmp_path: Path) -> None:
    assert check("semantic.model", "a model: größer") == "a model: größer"
    for value in ("two\nlines", "bell\x07", "x" * 1001):
        with pytest.raises(
            ConfigError, match=r"semantic\.model: must be one line of at most 1000 characters"
        ):
            settings(tmp_path, env={"MEMOLITH_SEMANTIC_MODEL": value}).get("semantic.model")


def test_a_bad_variable_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match="environment variable MEMOLITH_IDENTITY: identity = 'x'; must be one of"
    ):
        settings(tmp_path, env={"MEMOLITH_IDENTITY": "x"}).get("identity")


def test_an_unknown_setting_is_an_error_that_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'inject\.dayly'; did you mean 'inject\.daily'"):
        check("inject.dayly", "recent")
    with pytest.raises(ConfigError, match=r"unknown setting 'zzz'; `memolith config list` shows all"):
        settings(tmp_path).get("zzz")


def test_unknown_keys_of_the_file_are_told_but_do_no_harm(tmp_path: Path) -> None:
    mine = settings(tmp_path, "identity: cwd\nfuture:\n  thing: 1\ncolour: red\n")
    assert mine.unknown_keys() == ["future.thing", "colour"]
    assert mine.get("identity") == "cwd"


@given(st.sampled_from(KEYS), st.text())
def test_any_value_is_converted_or_refused(key: str, value: str) -> None:
    kind = SETTINGS[key].kind
    try:
        result = check(key, value)
    except ConfigError:
        return
    assert result in kind if isinstance(kind, tuple) else type(result) is kind


@proves("S1.1")
@pytest.mark.parametrize(("platform", "env", "home"), rows("env/homes"))
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


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_an_empty_home_is_no_home(platform: str) -> None:
    empty = {"HOME": "", "USERPROFILE": ""}
    with pytest.raises(ConfigError, match="there is no home directory"):
        default_home(empty, platform)
    for home in ("~", "~/mine"):
        with pytest.raises(ConfigError, match=f"MEMOLITH_HOME is '{home}', but there is no home directory"):
            default_home({**empty, "MEMOLITH_HOME": home}, platform)
    with pytest.raises(ConfigError, match="MEMOLITH_HOME is blank; set it to a directory"):
        default_home({"HOME": "/home/ada", "USERPROFILE": "/u", "MEMOLITH_HOME": "  "}, platform)


def test_setting_a_key_never_changes_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "config.yml"
    path.write_bytes(b"# caf\xe9\nidentity: cwd\n")
    with pytest.raises(ConfigError, match=r"config\.yml: not UTF-8 \(byte 5\); repair it first"):
        set_setting(str(tmp_path), str(path), "identity", "git")
    assert path.read_bytes() == b"# caf\xe9\nidentity: cwd\n"


def test_setting_a_key_is_not_stopped_by_what_a_killed_process_left(tmp_path: Path) -> None:
    left = tmp_path / f"config.yml.{os.getpid()}.tmp"
    left.write_text("half")
    set_setting(str(tmp_path), str(tmp_path / "config.yml"), "identity", "cwd")
    assert settings(tmp_path).get("identity") == "cwd"
    assert not left.exists()


HOSTILE_PROJECT_FILES = [
    b"identity: cwd\nhome: /tmp/elsewhere\nhistory:\n  versions: 0\n",
    b"inject:\n  daily: [",
    b"inject: {daily: never}\n",
    b"\xff\xfe\x00",
    b"&a [*a]\n",
    b"x" * 100_000,
]


@pytest.mark.parametrize("data", HOSTILE_PROJECT_FILES, ids=range(len(HOSTILE_PROJECT_FILES)))
def test_a_projects_own_file_can_neither_set_more_than_is_allowed_nor_stop_a_command(
    mem: Mem, work: Path, data: bytes
) -> None:
    from memolith.care.doctor import examine

    (work / ".memolith.yml").write_bytes(data)
    mem.write("daily", "hello", "overwrite")
    mem.write("daily", "hello again", "overwrite")
    assert "hello again" in (mem.context_block() or "")
    assert mem.settings.lookup("identity") == ("git", "default")
    assert mem.settings.lookup("history.versions") == (50, "default")
    assert mem.settings.lookup("inject.daily") == ("calendar", "default")
    assert [finding for finding in examine(mem) if finding.path.endswith(".memolith.yml")]


def test_a_project_may_say_how_its_memory_is_shown(mem: Mem, work: Path) -> None:
    (work / ".memolith.yml").write_text("inject:\n  daily: recent\n")
    assert mem.project
    assert mem.settings.lookup("inject.daily") == ("recent", "project")


def test_a_projects_own_file_that_is_a_link_or_a_pipe_is_ignored(mem: Mem, work: Path) -> None:
    (work / ".memolith.yml").symlink_to("/dev/zero")
    mem.write("long_term", "fact")
    assert mem.context_block()
    (work / ".memolith.yml").unlink()
    os.mkfifo(work / ".memolith.yml")
    other = Mem.open(work)
    assert other.context_block()
    assert other.settings.ignored
