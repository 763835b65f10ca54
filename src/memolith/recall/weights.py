"""All constants that were chosen by measurement, in one table.

To change one, run `bench/quality CORPUS QUERIES --set NAME=VALUE` and compare with docs/benchmarks.md
first. "Units" are the pieces of text that recall finds.
"""

from __future__ import annotations

# ---------------------------------------- how much is examined (recall.py)

CANDIDATES = 200  # units by words, and as many by meaning
DOCUMENTS = 30  # ... of which at most this many (and the limit) are not turns of a session
CHAIN = 5  # the longest chain of superseding records that is followed
CALLS = 21  # calls of tools, which are found apart
TURNS = 20  # matched turns whose neighbours are examined
SETTLED = 12  # best hits among which a later statement goes before an earlier one
FOLLOWED = 1  # best statements for which later ones are searched
FOLLOWERS = 8  # ... and the maximum number of later ones
STATEMENT = 500  # characters; a longer text is about more than one thing
SUBJECT = 120  # characters of a statement that say what it is about
FEW = 3  # units in all scopes: with so few, a statement that reads like a change refers to any of them
SPARE = 3  # extra hits that replace repetitions

# ---------------------------------------- a task instead of a question (recall.py; measured by bench.replay)

LONG_TEXT = 150  # characters; of a longer text nothing can be said by how much of it one text covers
# Names are paths and identifiers. Known here: 89 % of a project's own prompts over 600 characters have this
# share of theirs, and 3 % of another project's (65 and 5 % of those of 150 to 600, 30 and 1 % below).
NAME = 6  # letters
FEW_NAMES = 1  # added to their number: one name that is known is chance
AT_HOME = 0.28
HEARD = 0.3  # share of what a short text says first that a long prompt has, for it to be about that text
SHARED = 2  # ... at least so many words, one of which is in no more than this share of the units
OFTEN = 0.1
FOREIGN = 3  # names (Zorbex) of a long text none of which is known here: it is about something else
NAMED = 8  # units that name an identifier; one that more of them name says little about each
HEARD_IN, SESSIONS = 200, 30  # sessions in which most was said about the task; of these, the best for it
AT_WORK = 0.5  # share of them that name files; otherwise these are conversations about other things
# The evidence of a session: what all of it has, its best turn, when it was, by the logarithm of the hours
# before the newest one, how much of the task is in the names of its files, and how many of the best sessions
# name the same files. Files edited later, found @10: 0.41 without the last two, 0.43 with both; 0.425 on each
# repository with weights chosen on the other four.
BEST_TURN, LATELY, LATELY_HOURS = 0.4, 1.1, 2.0
IN_FILES, SAME_FILES = 0.4, 0.7

# ---------------------------------------- what is injected unasked (recall.py)

UNASKED = 5  # items
# The score that a hit needs: what somebody wrote down; a turn of a session, for a question and for a task.
# Of turns that were told for tasks of over 600 characters, 3 of 100 named something that came up later.
WORTH_TELLING = 0.1
WORTH_TELLING_A_TURN, WORTH_TELLING_FOR_TASK = 0.15, 0.5
# How work is done here (working.py). Of 94 replayed sessions in which a check passed after another form of it
# had failed, the form is among these in 0.94; with two of a kind in 0.74.
WORKED = 60  # newest sessions
CHECKS, FORMS = 8, 3  # forms in all, and of a kind
LESS = 0.97  # what a form counts less with each session since
FORM = 80  # characters; a longer one is about one file
FILES = 6

# ---------------------------------------- the evidence for a unit (rank.py)

# A turn is matched together with its context: the share of its neighbours' words, by distance.
NEIGHBOURS = (0.375, 0.19)
CONVERSATION = 0.2  # ... and the share of words anywhere in its conversation
ALIKE = 0.5  # typical cosine of two consecutive turns: how neighbours' meanings add up
TOGETHER = 0.2  # without meaning: each turn gets this share of its conversation's next best turns
# The share of its maximum that BM25 reaches for a unit of average length with each word once or twice.
SATURATION = 1.2
# A person's statement about themselves or their project is better evidence than an assistant's essay.
ROLES = {"assistant": 0.85}
KINDS = {"record": 1.04, "memory": 1.04, "note": 1.02, "session": 0.98, "daily": 0.99, "command": 0.9}
RECENT = 0.03  # bonus for units of today
HALF_LIFE = 90.0  # days after which the bonus is halved
FILLER = 0.3  # weight of words for asking, as opposed to the subject of the question
WHEN = 0.15  # weight of a time in the question; grows the fewer units match it
LEADS = 0.08  # by words only: bonus for a document that begins with the question's words
LED = 12  # best documents whose beginning is examined

# ---------------------------------------- whether there is an answer (rank.py, abstain.py)

ANSWER = 0.6  # evidence by words that the best unit needs in a memory of typical size
NEAR = 0.43  # similarity in meaning that it needs
USUAL = 500  # units in a memory of typical size: in a larger one, the best is better by chance
# Shares of NEAR: a fixed one, and one proportional to the logarithm of the size.
NEAR_FIXED, NEAR_BY_SIZE = 0.66, 0.34
SUPPORT, ENOUGH = 0.3, 0.44  # by meaning: the weight of words as support, and the cap of their evidence
CERTAIN = 0.95  # a unit with this share of the question's words is an answer, whatever the vectors say
TAIL = 0.25  # units with less than this share of the best evidence are dropped
# Evidence at which a hit is an answer one time in two, and how fast the probability grows below and above it
# (`python -m bench.calibrate`).
CENTRE, CENTRE_WITH_MEANING, SLOPE, SLOPE_ABOVE = 1.08, 1.56, 3.4, 1.6

# A small memory cannot tell which words are rare, so it counts as if it had this many more units.
PRIOR = 100
BEST = 3  # texts that are judged
STRANGE = 3.0  # weight of a name that a text lacks, among the words that are missing
EVERYDAY = 0.7  # weight of a word that anyone may use for anything
COMMON_HERE = 1.1  # weight of how common the question's other words are in this memory (0 to 1)
CLOSE = 0.35  # weight of the found words standing side by side (0 to 1)
GROWTH = 0.125  # additional evidence needed for each e-fold of units
# ... of one that is no weak hit. Of 356 questions about other things, 12 get a hit, 6 one that is not weak.
SURE, SURE_GROWTH, SURE_COMMON_HERE = 0.52, 0.15, 0.9
STRANGE_TEXT = 0.2  # by words; a long text with less, of which no name is known here, is about something else
SMALL, LARGE = 20, 20_000  # units: the range of sizes in which that was measured
HANDFUL = 4  # units; in a larger memory, a single everyday word in common means nothing
REACH = 15  # words; at a greater distance, words do not stand together
TOPIC = 5  # ... and at the beginning of a short one
FIRST = 35  # words at the beginning of a text and its title: they say what it is about

# ---------------------------------------- which statement replaces which (supersede.py)

SAME_SUBJECT = 0.22  # share of a statement that a later one must contain if it reads like a change of it
OTHER_WORDS = 0.3  # ... if it has no word of the question
SAME_ANSWER = 0.12  # ... if both match the question in the same words
RARE = 0.4  # ... and the share of that which is needed if weighted by rarity
SAME_SENTENCE = 0.6  # ... and without any word of change
# ... if it has all words of the question that the earlier one has, those are several; in short ones (terms).
SAME_WORDS, SHORT = 0.5, 16
TOGETHER_SECONDS = 0.02  # a program writes several files in this time; two commands take longer
SLOT = 3  # words in which two sentences about different things differ before they go on alike
BEGINS = 3  # words that two sentences begin with, one of which is no stop word
LONG = 60  # terms; a longer text is a document, not a statement
DOCUMENT = 2000  # characters; a longer text is a document too
