"""Every number that was chosen by measuring, in one table: what it weighs, and what it is for.

Change one with `bench/quality CORPUS QUERIES --set NAME=VALUE` and look at the figures in docs/benchmarks.md
before you keep it. "Units" are the pieces of text that recall finds.
"""

from __future__ import annotations

# ---------------------------------------- how much is looked at (recall.py)

CANDIDATES = 200  # units by words, and as many by meaning
DOCUMENTS = 30  # ... of which at most this many (and the limit) are not turns of a session
CHAIN = 5  # how often a record may have been superseded
TURNS = 20  # found turns whose neighbours are looked at
SETTLED = 12  # best hits among which a later statement goes before an earlier one
FOLLOWED = 1  # best statements for which later ones are searched
FOLLOWERS = 8  # how many later ones
STATEMENT = 500  # characters; a longer text is about more than one thing
SUBJECT = 120  # characters of a statement that say what it is about
FEW = 4  # units in all scopes: then a statement that reads like a change changes whatever else is there
SPARE = 3  # hits that take the place of those that say the same as another
WORTH_SHOWING = 0.1  # score; what is put into a prompt unasked should be an answer one time in ten

# ---------------------------------------- how much a unit's evidence is (rank.py)

# A turn answers with what was said around it: which part of its neighbours' words count for it, by distance.
NEIGHBOURS = (0.3, 0.15)
CONVERSATION = 0.2  # ... and the part of the words that stand anywhere in its conversation
ALIKE = 0.5  # typical cosine of two consecutive turns: how neighbours' meanings add up
TOGETHER = 0.2  # without meaning: the part of the next best turns' evidence that a conversation adds to each
# Part of its bound that BM25 reaches for a unit of average length that has each word once or twice.
SATURATION = 1.2
# What a person said of themselves or their project is better evidence than an assistant's essay.
ROLES = {"assistant": 0.85}
KINDS = {"record": 1.04, "memory": 1.04, "note": 1.02, "session": 0.98, "daily": 0.99}
RECENT = 0.03  # what is of today gets this much more
HALF_LIFE = 90.0  # days after which it is half of that
FILLER = 0.3  # weight of the words with which one asks, rather than what one asks about
WHEN = 0.15  # weight of a time that the question names, the more the fewer units are of that time
LEADS = 0.08  # by words only: what a document gets that begins with the question's words
LED = 12  # best documents whose beginning is looked at

# ---------------------------------------- whether there is an answer (rank.py, abstain.py)

ANSWER = 0.6  # evidence by words that the best unit of a memory of usual size needs
NEAR = 0.445  # nearness in meaning that it needs
USUAL = 500  # units of a memory of usual size: the best of more is better by chance
# Parts of NEAR that are needed whatever the size, and in proportion to its logarithm.
NEAR_FIXED, NEAR_BY_SIZE = 0.66, 0.34
SUPPORT, ENOUGH = 0.3, 0.44  # by meaning: words support it with this weight, counted up to this evidence
CERTAIN = 0.95  # this part of a question's words in one place is an answer, whatever the vectors say
TAIL = 0.25  # what has less than this part of the best evidence is left out
# Evidence at which a hit is an answer one time in two, as benchmarks have it; and how fast the chance grows.
CENTRE, CENTRE_WITH_MEANING, SLOPE = 1.08, 1.56, 3.4

# A small memory cannot know which words are rare, so it counts as part of one that has this many units more.
PRIOR = 100
BEST = 3  # texts that are judged
STRANGE = 3.0  # weight of a name that a text lacks, among the words that are missing
EVERYDAY = 0.7  # weight of a word that anyone may use for anything
COMMON_HERE = 1.1  # weight of how common the question's other words are in this memory (0 to 1)
CLOSE = 0.35  # weight of the found words standing side by side (0 to 1)
GROWTH = 0.125  # more evidence that is needed for each e-fold of units
SMALL, LARGE = 20, 20_000  # units: the sizes between which that was measured
HANDFUL = 4  # units; among more, a single everyday word in common says nothing
REACH = 15  # words; what is further apart does not stand together
FIRST = 35  # words with which a text and its title begin: they say what it is about

# ---------------------------------------- which statement replaces which (supersede.py)

SAME_SUBJECT = 0.22  # part of a statement that must be in a later one which reads like a change of it
SAME_ANSWER = 0.12  # ... if both answer the question in the same words
RARE = 0.4  # ... and the part of that which is needed when rare words count more
SAME_SENTENCE = 0.6  # ... and without any word of change
LONG = 60  # terms; a longer text is a document, not a statement
DOCUMENT = 2000  # characters; and so is one with more
