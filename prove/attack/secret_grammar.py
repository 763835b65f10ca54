"""Secrets and ordinary sentences as a grammar: languages × forms × values, command lines, numbers, networks.

The words are in `secrets.txt`, written without the scanner's own lists: what people say and choose.
"""

import base64
import json
import random
import string
from collections.abc import Callable
from pathlib import Path

from prove.texts import parts

Told = tuple[str, str, str]
_LETTERS = string.ascii_letters.translate(str.maketrans("", "", "ilIoO"))
ANYWHERE = [
    row
    for row in Path(__file__).with_name("told.txt").read_text(encoding="utf-8").split("\n")
    if row and not row.startswith("# ")
]
DATA = parts(Path(__file__).with_name("secrets.txt"))
LANGUAGES = {row.split("; ")[0]: row.split("; ")[1:] for row in DATA["languages"]}
_FILL = {row.partition("; ")[0]: row.partition("; ")[2].split("|") for row in DATA["fill"]}


def value(rng: random.Random) -> str:
    """Return a password as people and their managers choose them."""
    names = DATA["names"][0].split()
    word, other = (rng.choice([one, one.capitalize(), one.upper()]) for one in rng.choices(names, k=2))
    made = {"word": word, "other": other, "low": f"{word}_{other}".lower()}
    made["leet"] = word.translate(str.maketrans("aeo", "430"))
    made |= {"digits": str(rng.randrange(100, 99999)), "sign": rng.choice("!#$%&*?")}
    made["plain"] = _drawn(rng, _LETTERS + "23456789", 11)
    made["drawn"] = _drawn(rng, _LETTERS + "23456789!#$%*?", 12)
    return rng.choice(DATA["values"]).format(**made)


def _drawn(rng: random.Random, alphabet: str, size: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(size))


def told(rng: random.Random) -> Told:
    """Return a text that tells a password, the password, and what it is made of."""
    language = rng.choice(list(LANGUAGES))
    names, sentences, quotes = LANGUAGES[language]
    form = rng.choice([rng.choice(sentences.split("|")), rng.choice(DATA["forms"])])
    secret = value(rng)
    text = form.format(n=rng.choice(names.split("|")), v=secret, o=quotes[0], c=quotes[1])
    if rng.random() < 0.3:
        text = rng.choice(["OK. {}", "{}\nDanke!", "1. {}", "> {}", "Reminder: {} — thx", "{}."]).format(text)
    return text, secret, f"{language}: {form}"


def command(rng: random.Random) -> Told:
    """Return a command line that has a password, quoted as the shell wants it, or an agent's call of it."""
    form, secret = rng.choice(DATA["commands"]), value(rng)
    while ('"' in form and "$" in secret) or ("{u}" in form and set(secret) & set("#?%@/")):
        secret = value(rng)
    plain = set(secret).isdisjoint("!#$&*?'\"") and rng.random() < 0.5
    text = form.format(v=secret if plain else f"'{secret}'", r=secret, u=secret)
    if rng.random() < 0.35:
        call = {"name": "Bash", "input": {"command": text}}
        return json.dumps(call, ensure_ascii=rng.random() < 0.5), secret, f"json: {form}"
    return rng.choice(DATA["around"]).format(text), secret, form


def number(rng: random.Random) -> Told:
    """Return a text that tells a PIN, a door's code or a number as a password."""
    form = rng.choice(DATA["numbers"])
    parts = [str(rng.randrange(1000, 9999)) for _ in range(form.count("{d}"))]
    return form.replace("{d}", "{}").format(*parts), parts[0], form


def network(rng: random.Random) -> Told:
    """Return a text that tells the key of a network."""
    form, secret = rng.choice(DATA["networks"]), value(rng)
    return form.format(v=secret), secret, form


def phrase(rng: random.Random) -> Told:
    """Return a text that tells a secret of several words."""
    form, said = rng.choice(DATA["phrases"]), rng.choice(DATA["words"][0].split("|"))
    secret = said.replace("{n}", str(rng.randrange(2, 99)))
    return form.format(p=secret), secret, form


def below(rng: random.Random) -> Told:
    """Return a text whose heading, or line before, says what the value below it is."""
    secret = value(rng)
    name = rng.choice(LANGUAGES[rng.choice(list(LANGUAGES))][0].split("|"))
    form = rng.choice(DATA["below"])
    return form.format(n=name, v=secret), secret, form


def anywhere(rng: random.Random) -> Told:
    """Return a text of `told.txt`, and the last of its secrets."""
    kind, _, form = rng.choice(ANYWHERE).partition("; ")
    given = {name: make(rng) for name, make in _GIVEN.items() if f"{{{name}}}" in form}
    text = form
    for name, secret in given.items():
        text = text.replace(f"{{{name}}}", secret)
    return (
        text.replace("\\n", "\n"),
        max(given.items(), key=lambda each: form.rfind(f"{{{each[0]}}}"))[1],
        f"{kind}: {form}",
    )


_WALLET = (
    "abandon orbit lemon velvet garden tunnel copper window hazard pencil ribbon saddle timber oxygen galaxy"
)


def _run(rng: random.Random) -> list[str]:
    return rng.sample(DATA["run"][0].split(), 3)


_ALNUM = string.ascii_letters + string.digits
_GIVEN: dict[str, Callable[[random.Random], str]] = {
    "w": value,
    "w2": value,
    "s": lambda rng: (
        f"{_drawn(rng, _LETTERS, 6)}{rng.choice('%^&*+')}{_drawn(rng, _LETTERS, 5)}{rng.randrange(10)}"
    ),
    "n4": lambda rng: str(rng.randrange(3000, 9999)),
    "n6": lambda rng: str(rng.randrange(300_000, 999_999)),
    "c": lambda rng: "-".join(str(rng.randrange(10, 39)) for _ in range(3)),
    "t": lambda rng: _drawn(rng, _ALNUM, rng.choice([24, 32, 40])),
    "a": lambda rng: _drawn(rng, _ALNUM + "/+", 40),
    "hex": lambda rng: _drawn(rng, "0123456789abcdef", rng.choice([32, 64])),
    "b32": lambda rng: _drawn(rng, string.ascii_uppercase + "234567", 16),
    "b64": lambda rng: base64.b64encode(rng.randbytes(15)).decode(),
    "m": lambda rng: " ".join(rng.sample(_WALLET.split(), 12)),
    "r": lambda rng: (
        f"{_drawn(rng, 'abcdefgh234567', 5)}-{_drawn(rng, 'abcdefgh', 3)}{rng.randrange(10, 99)}"
    ),
    "bl": lambda rng: "-".join(str(rng.randrange(100_000, 999_999)) for _ in range(8)),
    "lic": lambda rng: "-".join(_drawn(rng, string.ascii_uppercase + string.digits, 5) for _ in range(5)),
    "g": lambda rng: "".join(_run(rng)),
    "j": lambda rng: rng.choice("-.").join(_run(rng)),
    "h": lambda rng: rng.choice("-_").join(_run(rng)[:2]),
    "y": lambda rng: f"{_run(rng)[0]}{rng.choice([rng.randrange(1940, 2024), rng.randrange(12, 999)])}",
    "q": lambda rng: rng.choice(DATA["sentences"]),
    "sp": lambda rng: " ".join(f"{_drawn(rng, _LETTERS, 9)}{rng.randrange(10, 99)}"),
}

MAKERS = (told, told, command, number, network, phrase, below, anywhere)


def ordinary(rng: random.Random) -> str:
    """Return a sentence of a developer that mentions a secret and tells none."""
    one, more = (rng.choice(DATA["ordinary"]) for _ in range(2))
    text = rng.choice(DATA["said"]).replace("{more}", more).replace("{}", one)
    for name, choices in _FILL.items():
        while f"{{{name}}}" in text:
            text = text.replace(f"{{{name}}}", rng.choice(choices), 1)
    return text
