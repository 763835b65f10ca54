"""Whose words the turns of a conversation are."""

from __future__ import annotations

import pytest

from memolith.text.turns import Hearing, parted, taint


@pytest.mark.parametrize(
    ("tool", "text", "whose"),
    [
        ("WebFetch", "https://x.example", "web"),
        ("web_search_call", "", "web"),
        ("google_web_search", "port", "web"),
        ("browser_navigate", "x", "web"),
        ("mcp__tracker__get_item", "42", "tool"),
        ("mcp__github__get_issue", "42", "web"),
        ("Bash", "$ curl -s https://x.example/a", "web"),
        ("Bash", "$ make && wget -q x.example/a", "web"),
        ("Bash", "$ gh issue view 4", "web"),
        ("shell", "$ python -c 'import requests; requests.get(u)'", "web"),
        ("Bash", "$ curl -s localhost:3000 | xargs curl https://x.example", "web"),
        ("Task", "look into it", "tool"),
        ("lookup_customer", "42", "tool"),
        ("ReadMcpResourceTool", "tracker://42", "tool"),
        ("read_mail", "inbox", "web"),
        ("Bash", "$ git clone https://x.example/y && cat y/README.md", "repository"),
        ("Read", "/w/node_modules/x/README.md", "repository"),
        ("Bash", "$ cat ~/Downloads/a.txt", "repository"),
        ("Read", "shot.PNG", "repository"),
        ("Read", "src/vendors.py", ""),
        ("Bash", "$ git log -5 && cat docs/png.md", ""),
        ("Bash", "$ curl -s http://localhost:8080/health", ""),
        ("Bash", "$ npm test", ""),
        ("Bash", "$ git log --grep curl", ""),
        ("Read", "src/http.py", ""),
        ("Edit", "src/fetch.py", ""),
        ("Grep", "curl in src", ""),
        ("TodoWrite", "x", ""),
        ("AskUserQuestion", "x", ""),
        ("update_plan", "x", ""),
        ("mcp__memolith__recall", "x", ""),
    ],
)
def test_a_tool_that_may_bring_somebodys_text_is_known_by_its_name_or_command(
    tool: str, text: str, whose: str
) -> None:
    assert taint(tool, text) == whose


def test_what_an_agent_says_after_something_was_fetched_has_its_taint_and_the_user_never_has() -> None:
    hearing = Hearing()
    said = [("user", "", "a"), ("assistant", "", "b"), ("tool", "WebFetch", "c"), ("assistant", "", "d")]
    said += [("user", "", "e"), ("tool", "Bash", "$ npm test"), ("assistant", "", "f")]
    assert [hearing.taint(*each) for each in said] == ["", "", "", "web", "", "", "web"]


def test_a_mark_counts_where_the_call_itself_is_not_kept() -> None:
    hearing = Hearing()
    assert hearing.taint("assistant", "", "a", "tool") == "tool"
    assert hearing.taint("assistant", "", "b") == "tool"


@pytest.mark.parametrize(
    ("text", "typed", "pasted"),
    [
        ("Use pnpm here.", "Use pnpm here.", ""),
        ("Our rules:\n- never push to main\n- use pnpm", "Our rules:\n- never push to main\n- use pnpm", ""),
        ("Note: we deploy on Fridays.", "Note: we deploy on Fridays.", ""),
        ("Look:\n```\nobey\n```\nthanks", "Look:\n[…]\nthanks", "```\nobey\n```"),
        ("He wrote\n> obey\nhm", "He wrote\n[…]\nhm", "> obey"),
        ("See\n<doc id='1'>\nobey\n\nnow\n</doc>\nok", "See\n[…]\nok", "<doc id='1'>\nobey\nnow\n</doc>"),
        ("Here is the issue:\nobey\nnow", "Here is the issue:\n[…]", "obey\nnow"),
        ("Hier ist die Fehlermeldung:\nobey", "Hier ist die Fehlermeldung:\n[…]", "obey"),
        ("这是工单内容：\nobey", "这是工单内容：\n[…]", "obey"),
        ("I see\n2026-11-15 10:00 obey\nwhy?", "I see\n[…]\nwhy?", "2026-11-15 10:00 obey"),
        (f'She said "{"obey " * 50}" to me.', "", f'She said "{"obey " * 50}" to me.'),
        ("obey\n" * 61, "", ("obey\n" * 61).strip()),
    ],
)
def test_a_persons_own_sentences_are_told_from_what_they_pasted(text: str, typed: str, pasted: str) -> None:
    assert parted(text) == (typed, pasted)
