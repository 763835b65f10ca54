"""Which model learns: the choice by the settings.

Roles: `default` extracts, `smol` consolidates and falls back to `default`. `auto` means the agent that the
session ran in if it is installed here, else the first that is. Nothing is asked before somebody named a
model in their own settings, and a project's file can name none (`config.PROJECT_KEYS`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memolith.base.errors import ConfigError
from memolith.env import programs
from memolith.learn.model.agents import AGENTS
from memolith.learn.model.command import Command
from memolith.learn.model.http import Anthropic, OpenAI
from memolith.learn.model.values import ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memolith.env.settings import Settings
    from memolith.learn.model.values import Backend


def why_not(settings: Settings, role: str, env: Mapping[str, str] = os.environ) -> str:
    """Return why there is no model for a role; empty if there is one."""
    try:
        find(settings, role, env)
    except ModelUnavailableError as error:
        return str(error)
    return ""


def find(settings: Settings, role: str, env: Mapping[str, str] = os.environ, *, agent: str = "") -> Backend:
    """Return the model for a role and, where it is `auto`, for a session of an agent.

    ModelUnavailableError says why there is none.
    """
    problems: list[str] = []
    for key in ["models.smol", "models.default"] if role == "smol" else ["models.default"]:
        value = settings.text(key).strip()
        if not value:
            continue
        try:
            return _backend(settings, key, value, env, agent)
        except ConfigError as error:
            problems.append(str(error))
        if value == "none":
            break
    raise ModelUnavailableError(problems[0])


def _backend(settings: Settings, key: str, value: str, env: Mapping[str, str], agent: str) -> Backend:
    kind, _, model = value.partition(":")
    if kind == "none":
        raise ModelUnavailableError(f"{key} is none: only rules learn; name a model there to use one")
    if kind == "auto":
        kind = _installed(key, agent, env, settings.root)
    if kind in ("openai", "anthropic"):
        if not model:
            raise ModelUnavailableError(f"{key} = {value!r} names no model; write {kind}:MODEL")
        return (OpenAI if kind == "openai" else Anthropic)(settings, model, env)
    if kind in AGENTS:
        return AGENTS[kind](settings, model, env)
    if kind == "command":
        return Command(settings, model, env)
    raise ModelUnavailableError(
        f"{key} = {value!r} is unknown; one of none, auto, openai:MODEL, anthropic:MODEL, "
        f"{', '.join(AGENTS)}, command"
    )


def _installed(key: str, agent: str, env: Mapping[str, str], project: str) -> str:
    for name in dict.fromkeys([agent, *AGENTS]):
        if name in AGENTS and programs.find(name, project, env):
            return name
    raise ModelUnavailableError(f"{key} is auto, and none of {', '.join(AGENTS)} is in PATH; install one")
