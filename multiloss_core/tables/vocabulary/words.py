"""Takes names and cells apart into plain words, however they are spelled and joined."""

import re
import unicodedata
from collections.abc import Collection, Iterable

LONGEST_READ = 120
SHORTEST_PART = 2

_CAMEL = re.compile(r"(?<=[a-zà-ÿ0-9])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-zà-ÿ])")
_NUMBERED = re.compile(r"(?<=[^\W\d_]{2})(?=\d)")
_WORD = re.compile(r"[^\W_]+|\?")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


def words_of(text: str) -> tuple[str, ...]:
    """Split a text into words: lower case, no accents; "isFraud", "is_fraud" and "IS-FRAUD" are alike.

    A question mark is a word of its own: "fraud?" is not "fraud". Only the first 120 characters are read.
    """
    text = _NUMBERED.sub(" ", _CAMEL.sub(" ", text[:LONGEST_READ].strip()))
    return tuple(_WORD.findall(_plain(text)))


def spellings(listing: str) -> frozenset[str]:
    """Normalise the words of a list, each also with ae, oe and ue in place of the umlauts."""
    return frozenset(_plain(word) for spelled in (listing, listing.translate(_UMLAUTS)) for word in spelled.split())


def phrases(listing: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """Normalise the phrases of a list as tuples of words, each also with ae, oe and ue in place of the umlauts."""
    return frozenset(words_of(spelled) for text in listing for spelled in (text, text.translate(_UMLAUTS)))


def taken_apart(words: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """Split words that are not known into known ones where that leaves nothing over.

    "fraudscore" becomes fraud and score, "Betrugsverdacht" (with its linking s) betrug and verdacht.
    """
    return tuple(part for word in words for part in (_parts(word, known) or (word,)))


def _parts(word: str, known: Collection[str]) -> tuple[str, ...] | None:
    if word in known:
        return (word,)
    for end in range(len(word) - SHORTEST_PART, SHORTEST_PART - 1, -1):
        if word[:end] not in known:
            continue
        rest = word[end:]
        for tail in (rest, rest.removeprefix("es"), rest.removeprefix("s")):
            if len(tail) >= SHORTEST_PART and (found := _parts(tail, known)):
                return (word[:end], *found)
    return None


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
