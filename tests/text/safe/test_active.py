"""In the block nothing is left that a renderer fetches, runs or hides; ordinary links and code stay."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.safe.hygiene import for_block
from tests.shared import LONG, rows

ORDINARY = [
    "[Deploy](deploy.md) and [the plan](../plans/q3.md#goals)",
    "- [Style guide](<style guide.md>) — how we write",
    "[docs](https://docs.example.org/a/b#section)",
    '[docs](https://docs.example.org/a_(b) "title")',
    "[mail](mailto:me@example.org) [note](memory://root/notes/a.md) [up](#top)",
    "see https://docs.example.org/a/b#section and https://x.example/search?q=word",
    "<https://docs.example.org/a> <me@example.org>",
    "[grafana](http://10.0.0.7:3000/d/abc)",
    "ssh <user>@host, cp a <dest>, List<T>, Map<K, V>, Promise<Object>, Vec<Option<T>>, Class<?>",
    "cat <<EOF > file; a < b > c; x <- y; 1<2; vector<std::string>",
    "line<br>break, <kbd>Ctrl</kbd>, H<sub>2</sub>O",
    "#![allow(dead_code)] and [x] and [[wiki link]] and a[0][1]: int",
    'run `curl "https://host/x?y=1"` or `<img src=x>` or `![a](https://host/b.png?c)`',
    '```sh\ncurl "https://host/x?long=' + "y" * 80 + '"\n<script>alert(1)</script>\n![a](https://h/b)\n```',
    "1. step\n   ```html\n   <img src=x>\n   ```\n",
    "- [ ] todo [link](x.md)",
    "[label]: some text that is no address",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_links_types_and_code_stay_as_they_are(text: str) -> None:
    assert for_block(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![cat](https://e.example/p.png?d=1)", "[image: cat] (e.example/p.png?…)"),
        ("![](docs/a.png)", "[image] (docs/a.png)"),
        (
            "[![b](https://i.example/b.svg)](https://ci.example/x)",
            "[[image: b] (i.example/b.svg)](https://ci.example/x)",
        ),
        ("[x](https://e.example/?q=DATA)", "[x] (e.example/?…)"),
        ("[x](https://e.example/a#d=DATA)", "[x] (e.example/a#…)"),
        ("[x](https://user:pw@e.example/a)", "[x] (e.example/a)"),
        ("[x](JaVaScRiPt:alert(1))", "[x] (javascript link)"),
        ("[x](&#106;avascript:alert(1))", "[x] (javascript link)"),
        ("[x](<java\tscript:alert(1)>)", "[x] (javascript link)"),
        ("[x](data:text/html;base64,AAAA)", "[x] (data link)"),
        ("[x](file:///etc/passwd)", "[x] (file link: etc/passwd)"),
        ("[x](//e.example/a)", "[x] (e.example/a)"),
        ("[x](\\\\e.example\\a)", "[x] (e.example/a)"),
        ("[x](http://2130706433/) [y](http://0x7f.1/)", "[x] (2130706433/) [y] (0x7f.1/)"),
        ("[x](\nhttps://e.example/?q=1)", "[x]\\(\nhttps://e.example/?q=1)"),
        ("![a\nb](https://e.example/c)", "!\\[a\nb](https://e.example/c)"),
        ("![a][r]\n\n[r]: https://e.example/p.png", "![a][r]\n\n[r]\\: https://e.example/p.png"),
        ("[r]:\n  https://e.example/p.png", "[r]\\:\n  https://e.example/p.png"),
        ("<https://e.example/?q=1>", "&lt;https://e.example/?…>"),
        ("<javascript:alert(1)>", "&lt;javascript:alert(1)>"),
        ("<IMG SRC=x>", "&lt;IMG SRC=x>"),
        ("<img/src=x/onerror=y>", "&lt;img/src=x/onerror=y>"),
        ("<x onclick=y>", "&lt;x onclick=y>"),
        ("<x\nonclick=y>", "&lt;x\nonclick=y>"),
        ("<!-- approve all -->", "&lt;!-- approve all -->"),
        ("<details open>hi</details>", "&lt;details open>hi&lt;/details>"),
        ("<?php x ?>", "&lt;?php x ?>"),
        ('```js" onclick="x\n```', "```js …\n```"),
        (f"https://h.example/p?{'d' * 60}). So", "https://h.example/p?…). So"),
    ],
)
def test_what_is_active_is_named_instead(text: str, shown: str) -> None:
    assert for_block(text) == shown
    assert for_block(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "a ` b\n`<img src=x>`",
        "- ```\n  code\n  ```\n<img src=x>",
        "- a\n  ```\n<img src=x>\n",
        "> ```\n<img src=x>\n",
        "https://h.example/a`<img src=x>`",
        "\\`<img src=x>`",
        "`` a `<img src=x>`",
    ],
)
def test_what_only_some_renderers_take_for_code_is_defused(text: str) -> None:
    assert "<img" not in for_block(text)


def test_a_tag_in_which_code_would_not_be_code_loses_its_bracket() -> None:
    assert for_block('<x title="`"> <img src=x> `') == '&lt;x title="`"> <img src=x> `'
    assert for_block("<div>\n`<img src=x>`\n</div>") == "&lt;div>\n`<img src=x>`\n&lt;/div>"
    assert for_block("<x>\n`<img src=x>`") == "&lt;x>\n`<img src=x>`"


ACTIVE = re.compile(
    r"!\[[^\]]*\]\(|\]\(\s*(?:javascript|data|vbscript|vscode|file):|\]\([^)\s`]*\?q|<!--|<(?:img|script|svg|a)\b",
    re.IGNORECASE,
)
PIECES = st.lists(
    st.sampled_from(rows("text/safe/active_pieces")),
    max_size=20,
).map("".join)


@given(PIECES)
def test_nothing_active_is_left_of_any_text_without_code(text: str) -> None:
    shown = for_block(text)
    assert not ACTIVE.search(shown)
    assert for_block(shown) == shown


@given(PIECES)
def test_a_fenced_block_stays_as_it_is(text: str) -> None:
    fenced = f"```\n{text}\n```"
    assert for_block(fenced).replace("&lt;", "<") == fenced


@given(st.text(alphabet="abc XYZ.,;!?'\"()*_#+-/|\n\t0123456789é日"))
def test_prose_without_brackets_stays_as_it_is(text: str) -> None:
    assert for_block(text) == text


UNITS = [
    "![](",
    "[[[[",
    "<<<<",
    "](",
    "![",
    "<a ",
    "<a:",
    "`",
    "``` `",
    "[a](b",
    "]:",
    "<a=",
    "![a](",
    "<!--",
]
UNITS += [
    "[a]:",
    "<a\n",
    "://?",
    "![a]",
    "](<",
    "<x `",
    "`<",
    "<a:>",
    "<? ",
    "[](<a.md>)",
    "</user>",
    "<user>\n",
]
UNITS += ["\u200b", "\u05d0\u200e", "[x](javascript:y) ", "- ```\n", "https://e.example/?" + "q" * 50 + " "]


def test_time_is_linear_in_the_length_of_hostile_text() -> None:
    def cost(unit: str, size: int) -> float:
        text = unit * (size // len(unit))
        began = time.process_time()
        for_block.__wrapped__(text)
        return time.process_time() - began

    for unit in UNITS:
        for size in (65_536, 262_144) if LONG else (65_536,):
            assert any(cost(unit, size) < 0.4 * size / 65_536 for _ in range(3)), unit
