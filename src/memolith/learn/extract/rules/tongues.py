"""The plainest forms of "remember", "from now on", "always" and "never" in five other languages.

Only forms that order something: the verb comes first, or the sentence begins with the word for "henceforth".
The statement stays in its language.
"""

from __future__ import annotations

from memolith.learn.extract import place
from memolith.learn.extract.rules import doubt
from memolith.learn.extract.rules.signals import Lesson, sentence
from memolith.text.patterns import lazy

_PATTERNS = tuple(
    map(
        lazy,
        (
            # German
            r"(?i)^(?:bitte )?(?:merke? dir(?: bitte)?|denk(?:e)? (?:bitte )?daran"
            r"|vergiss nicht)[,:]?\s+(?:dass )?(?P<said>.+)",
            r"(?i)^(?:bitte )?(?:ab (?:jetzt|sofort)|von (?:jetzt|nun) an|künftig"
            r"|in zukunft)[,:]?\s+(?P<said>.+)",
            r"(?i)^(?:bitte )?(?P<said>(?:verwende|benutze?|nutze?|nimm|schreibe?|antworte|mach(?:e)?"
            r"|committe|pushe?|lass|führe|starte"
            r"|teste|frage?|halte|lege?|speichere?|erkläre?|rufe?|ändere?|lösche?"
            r"|installiere?)\s.*\b(?:immer|nie|niemals)(?=\s|$|[.!,]).*)",
            r"(?i)^(?:bitte )(?P<said>(?:immer|nie|niemals)\s.+)",
            r"(?i)^(?:nein, )?ich (?P<said>bevorzuge\s.+)",
            # French
            r"(?i)^(?:souviens-toi|rappelle-toi|retiens|n'oublie pas|garde en tête)(?: bien)?[,:]?\s+(?:que "
            r"|qu')(?P<said>.+)",
            r"(?i)^(?:désormais|dorénavant|à partir de maintenant|à l'avenir)[,:]?\s+(?P<said>.+)",
            r"(?i)^(?P<said>(?:utilise|écris|fais|mets|lance|réponds|garde|teste|commence|demande|vérifie"
            r"|exécute)s?\s.*toujours(?=\s|$|[.!,]).*)",
            r"(?i)^(?P<said>(?:n'|ne )\w+\s+(?:\w+ )?jamais\s.+)",
            r"(?i)^je (?P<said>préfère\s.+)",
            # Spanish
            r"(?i)^(?:recuerda|ten en cuenta|no olvides|acuérdate de)[,:]?\s+que\s+(?P<said>.+)",
            r"(?i)^(?:de ahora en adelante|a partir de ahora|en adelante)[,:]?\s+(?P<said>.+)",
            r"(?i)^(?:por favor,? )?(?P<said>(?:usa|utiliza|escribe|pon|haz|ejecuta|responde|abre|corre"
            r"|pregunta)\s.*siempre(?=\s|$|[.!,]).*)",
            r"(?i)^(?:por favor,? )?(?P<said>(?:usa|utiliza|escribe|responde|ejecuta|haz)\s+siempre\s.+)",
            r"(?i)^(?:por favor,? )?(?P<said>siempre (?:usa|utiliza|escribe|ejecuta|haz|responde)\s.+)",
            r"(?i)^(?:por favor,? )?(?P<said>nunca \w+[ae]s\s.+)",
            # Chinese
            r"^(?:请|请你)?(?:记住|牢记)[，,:：\s]*(?P<said>.+)",
            r"^(?:请)?(?:以后|从现在开始|从今以后|今后)[，,:：]?(?P<said>(?:请|都|不要|别|要|用|使用|每次|写|先|所有|在|提交|回答).+)",
            r"^(?:请)?(?P<said>(?:永远不要|千万不要|绝对不要|总是使用|始终使用|一律使用|务必).+)",
            # Japanese
            r"^(?P<said>.+?)(?:という?こと|こと)?[をは]?、?(?:覚えて(?:おいて)?|記憶して(?:おいて)?)(?:ください|下さい|ね)?[。！]?$",
            r"^(?:覚えて(?:おいて)?(?:ください)?)[、：:。\s]+(?P<said>.+)",
            r"^(?:今後は?|これからは?|次回からは?)、?(?P<said>.+(?:ください|下さい|こと|ないで|して|する|使う)[。！]?)$",
            r"^(?P<said>.*(?:必ず|絶対に|常に).+(?:ください|下さい|こと|ないで)[。！]?)$",
        ),
    )
)
_PREFERS = ("bevorzuge", "préfère")
_NAMES = {"bevorzuge": "Ich bevorzuge", "préfère": "Je préfère"}


def lesson(masked: str, text: str) -> Lesson | None:
    """Return what a sentence in another language teaches, or None."""
    if doubt.doubtful(masked):
        return None
    for pattern in _PATTERNS:
        found = pattern.search(masked)
        if found is None:
            continue
        said = text[found.start("said") : found.end("said")].strip()
        if doubt.vague(said):
            return None
        first = said.split(maxsplit=1)[0].casefold()
        if first in _PREFERS:
            return Lesson(
                category="preferences",
                scope="user",
                statement=sentence(f"{_NAMES[first]}{said[len(first) :]}"),
            )
        category, scope = place.of_rule(said)
        return Lesson(category=category, scope=scope, statement=sentence(said))
    return None
