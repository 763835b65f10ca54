"""Words that a statement may bring along: they report, connect and hedge, and name nothing.

Whatever is not here must have been said. So no product, no unit, no place is here, and no word that changes
what is claimed (`before`, `only`, `first`).
"""

from __future__ import annotations

from memolith.text.words.stems import stem as porter
from memolith.text.words.terms import STOP


def stem(word: str) -> str:
    """Return the stem of an English word, the same for `deploy` and `deployment`."""
    found = porter(word)
    return f"{found[:-1]}y" if found.endswith("i") else found


_ENGLISH = """
able according across again agreed agreement along already although always another anyone anything apply
applied applies around as aside ask asked asks aware away
based basis because become becomes been being belong belongs both bring brings but
called came care case cases cause caused causes certain chose choose chosen clear clearly come comes common
concern concerns conclude consider consistent contain contains context convention correct corrected correction
course current currently
decide decided decides decision declare declared declares declaring default describe described detail details
directly does doing done due during each either else ensure especially established etc even ever every
everything everywhere exactly example exist exists expect expected expects explain explained explicitly
fact far find fine finds follow followed following follows former found further future
gave general generally get gets give given gives go goes going good got guideline
habit had handle handled happen happened happens hence here how however
important include included includes including indeed indicate indicated information insist insisted instead
instruct instructed instruction involve itself
keep keeps kept kind knew know known knows
later learn learned learnt least let lets like likes live lives look looked
made main mainly make makes making manner matter may mean means meant mention mentioned method might mind must
namely necessary need needed needs nevertheless normally note noted notes now
observed obtain occur occurs often once one ones order otherwise ought out overall own
part particular per perhaps person place point pointed possible practice prefer preference preferences
preferred prefers present previous previously problem proper properly provide provided provides purpose put
rather reason reasons recall recommend refer regard regarding related relevant remain remember remembered
remembers remind reminded report reported require required requirement requires
result resulting results rule rules
said same say saying says see seem seems seen several shall should show showed shown shows similar simply
since situation so some someone something sort specific specifically specified state stated states
statement still such sure
take taken takes tell tells than that then there therefore these they thing things think this those though
through thus time times to together told took toward towards treat true try trying turn turns turned type
under understand unless until upon us usage use used useful user users uses using usual usually
valid various very via
want wanted wants was way ways well went were what whatever when whenever where whether which while who whole
why will wish wished wishes with within work worked works would
yet you your
too just really quite please ok okay yes yeah hm oh ah btw also actually anyway well lot bit guy guys thanks
project repo repository codebase session conversation team people assistant agent
aliases category records summary decisions procedures principles incidents rollout
"""
_OTHERS = """
der die das den dem des ein eine einen einem einer und oder ist sind war wird werden wurde soll sollen muss
müssen kann für mit auf von zu zum zur im in am an bei aus nach über als auch dass damit weil nutzer benutzer
projekt möchte will immer bitte es er sie wir man
le la les un une des du de et ou est sont était sera doit doivent peut pour avec sur dans par que qui ce cette
utilisateur projet toujours il elle on nous veut
el los las una unos unas del y o es son era será debe deben puede para con en por que se lo usuario proyecto
siempre quiere
"""
_PLAIN = frozenset(
    each
    for word in [*_ENGLISH.split(), *_OTHERS.split(), *STOP]
    for each in (word, stem(word) if word.isascii() else word)
)
# Words that explain rather than claim; a statement may bring a few along ("pnpm as package manager").
_EXPLAINING = """
access address application approach architecture behaviour behavior branch build change changes check code
command commands commit component config configuration connection data database dependencies dependency deploy
deployment develop developer development directory documentation environment error execute failure
feature file files fix folder format formatting function host implementation install installation
issue language level library list local location log machine manage management manager manual manually message
module name names output package path permission policy port process production program quality release
remote resource response run running script server service services set setting settings setup
software solution source standard step steps storage store stored strategy structure style support system
task technical test testing tests tool tooling tools table option options fail fails failing update value
variable version workflow workspace write writing """
_SOFT = frozenset(stem(word) for word in _EXPLAINING.split())
# What people write short and long.
_SAME = (
    ("db", "database"),
    ("repo", "repository"),
    ("env", "environment"),
    ("dep", "dependency"),
    ("prod", "production"),
    ("dev", "development"),
    ("doc", "documentation"),
    ("dir", "directory"),
    ("folder", "directory"),
    ("postgre", "postgresql"),
    ("postgres", "postgresql"),
    ("mongo", "mongodb"),
    ("js", "javascript"),
    ("ts", "typescript"),
    ("py", "python"),
    ("msg", "message"),
    ("arg", "argument"),
    ("param", "parameter"),
    ("auth", "authentication"),
    ("impl", "implementation"),
    ("info", "information"),
    ("app", "application"),
    ("id", "identifier"),
    ("lib", "library"),
    ("pkg", "package"),
    ("spec", "specification"),
    ("vm", "machine"),
    ("ms", "millisecond"),
    ("sec", "second"),
    ("min", "minute"),
    ("hr", "hour"),
    # What the stemmer cannot know.
    ("written", "write"),
    ("wrote", "write"),
    ("ran", "run"),
    ("built", "build"),
    ("sent", "send"),
    ("broke", "break"),
    ("broken", "break"),
    ("held", "hold"),
    ("single", "one"),
    ("began", "begin"),
    ("left", "leave"),
    ("lost", "lose"),
    ("spoke", "speak"),
    ("drew", "draw"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
)
ONE_NAME = {stem(short): stem(long) for short, long in _SAME}


def term(word: str) -> str:
    """Return what a word is compared by: its stem, and one name for what people write short and long."""
    folded = word.casefold()
    found = stem(folded) if folded.isascii() and folded.isalpha() else folded
    return ONE_NAME.get(found, found)


def is_plain(word: str) -> bool:
    """Tell whether a word names nothing."""
    folded = word.casefold()
    return len(folded) < 2 or folded in _PLAIN or term(folded) in _PLAIN


def explains(word: str) -> bool:
    """Tell whether a word, given by its term, explains rather than claims."""
    return word in _SOFT
