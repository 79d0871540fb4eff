"""Recognise words of column names and ratings in five languages.

The words themselves are in `vocabulary.toml`. A rating is read as a sentence: each known word has a kind, and only
sentences whose kinds form a known pattern have a certain meaning ("no fraud found", "Betrug bestätigt", "faux
positif"). One unknown word leaves the meaning of the whole rating open.
"""

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

Meaning = Literal["positive", "negative", "undecided"]

# Zero-width spaces and joiners, which users do not see in a name.
INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060"))
MAX_READ_CHARACTERS = 120
SHORTEST_PART = 2
# One letter for each kind of word, so that patterns of kinds are regular expressions; fillers are left out.
_LETTERS = {
    "positive": "F", "legitimate": "L", "good": "G", "dismissed": "D", "suspected": "Q", "uncertain": "S", "open": "U",
    "not": "N", "confirmed": "C", "found": "K", "reviewed": "R", "stopped": "B", "passed": "V", "disputed": "E",
    "false": "X", "true": "T", "alarm": "A", "positive_sign": "P", "negative_sign": "M", "filler": "",
}  # fmt: skip
# Lists that hold others.
_UNIONS = {
    "no_score": ("counts", "times", "places", "identifiers", "bands", "versions", "measures", "money"),
    "ambiguous": ("ambiguous", "status"),
}
MAX_PHRASE_WORDS = 4
POSITIVE, UNKNOWN = _LETTERS["positive"], "-"
_CAMEL = re.compile(r"(?<=[a-zà-ÿ0-9])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-zà-ÿ])")
_NUMBERED = re.compile(r"(?<=[^\W\d_]{2})(?=\d)")
_WORD = re.compile(r"[^\W_]+|\?")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_PATTERNS: dict[Meaning, re.Pattern[str]] = {
    "positive": re.compile(r"[CKTRB]*F+[CKRFB]*|C?T[PA]+C?|C?XM|NL|C?PC?"),
    "negative": re.compile(
        r"A?[CKRV]*[LG]+[LGCKRV]*|V*NK*F+|[LGCKR]*D+[DLGCKR]*|C?X[PA]+C?|C?TM|C?MC?"
        r"|A?[LGDKR]*NK*F+[KC]*[LGD]*|F+NK+|A?NQ+K*|NF+Q+|A?XPN?F*"
    ),
    "undecided": re.compile(r"[QS]+[FLG]*|[FLG]+[QS]+|[US]*U[UQSR]*|[QS]+U+|U*NRU*"),
}
# Likelier meanings where nothing is certain, by kinds.
_LIKELY: tuple[tuple[Meaning, str, str], ...] = (
    ("undecided", "QSU", ""),
    ("positive", "F", "NXLGD"),
    ("negative", "LGD", "NF"),
    ("negative", "NF", ""),
    ("positive", "B", "NVLGDQSU"),
    ("negative", "V", "NBFQSU"),
)


@lru_cache
def _listings() -> dict[str, Any]:
    return tomllib.loads(files("multiloss_core.tables").joinpath("vocabulary.toml").read_text(encoding="utf-8"))


@lru_cache
def listed(*lists: str) -> frozenset[str]:
    """Give the words of some lists of words in names."""
    names = _listings()["names"]
    known = (names[name] for listing in lists for name in _UNIONS.get(listing, (listing,)))
    return frozenset().union(*map(spellings, known))


@lru_cache
def yes_no_cells(name: str) -> frozenset[str]:
    """Give a list of lower-case cells that say yes or no."""
    cells = _listings()["yes_no"][name]
    return frozenset(cells.split() if isinstance(cells, str) else cells)


@lru_cache
def weight_names() -> frozenset[tuple[str, ...]]:
    """Give the names of weights, taken apart."""
    return phrases(_listings()["weights"])


@lru_cache
def kind_letters() -> dict[str, str]:
    """Give the kind of each word of ratings; of a word in two lists, the later one."""
    listings = _listings()["kinds"].items()
    return {word: _LETTERS[kind] for kind, listing in listings for word in spellings(listing)}


@lru_cache
def _about_fraud(name: str) -> frozenset[str]:
    return spellings(_listings()["ratings"][name])


@lru_cache
def _phrase_letters() -> dict[tuple[str, ...], str]:
    return {phrase: _LETTERS[kind] for kind, found in _listings()["phrases"].items() for phrase in phrases(found)}


@lru_cache
def _vocabulary() -> frozenset[str]:
    """Give all words at which joined names are taken apart."""
    apart = ("biometric", "of_fraud", "acts", "human", "ambiguous", "no_amount", "no_time", "opening", "group_fillers")
    in_names = listed(*(name for name in _listings()["names"] if name not in apart))
    return in_names.union(kind_letters(), *weight_names())


@lru_cache
def _parts_of_names() -> frozenset[str]:
    # Short words join by chance: "as" and "set" are no parts of "asset".
    return frozenset(word for word in _vocabulary() if len(word) > 2 or word in {"is", "id", "at"})


@lru_cache
def _parts_of_ratings() -> frozenset[str]:
    # "im" and "possible" are no parts of "impossible".
    return frozenset(word for word in kind_letters() if len(word) > 2 or word == "no")


def words_of(text: str) -> tuple[str, ...]:
    """Split a text into lower-case words without accents; "isFraud" equals "is_fraud".

    A question mark is a word of its own: "fraud?" is not "fraud". Only the first 120 characters are read.
    """
    text = _NUMBERED.sub(" ", _CAMEL.sub(" ", text[:MAX_READ_CHARACTERS].strip()))
    return tuple(_WORD.findall(_plain(text)))


def spellings(listing: str) -> frozenset[str]:
    """Normalise the words of a list, each also with ae, oe and ue in place of the umlauts."""
    return frozenset(_plain(word) for spelled in (listing, listing.translate(_UMLAUTS)) for word in spelled.split())


def phrases(listing: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """Normalise the phrases of a list as tuples of words, with ae, oe, ue for umlauts too."""
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


# The last part of a joined word decides, even where the first is unknown.
_ENDINGS = (
    *("score", "amount", "count", "number", "status", "version", "flag", "band"),
    *("betrag", "datum", "nummer", "wahrscheinlichkeit", "punktzahl", "ergebnis", "anzahl", "kennzeichen", "zeitpunkt"),
)


def name_words(name: object) -> tuple[str, ...]:
    """Split a column's name into words, also joined ones ("fraudscore", "Kundennummer")."""
    words = words_of(str(name).translate(INVISIBLE))
    return tuple(part for word in words for part in ((word,) if word in _vocabulary() else _with_ending(word)))


def _with_ending(word: str) -> tuple[str, ...]:
    parts = taken_apart((word,), _parts_of_names())
    if len(parts) > 1:
        return parts
    ending = next((ending for ending in _ENDINGS if word.endswith(ending) and word != ending), None)
    return (word,) if ending is None else (word.removesuffix(ending), ending)


def kinds_of_name(words: tuple[str, ...]) -> str:
    """Give the kinds of the words that say which value is which, as those of a rating."""
    return kinds_of(
        tuple("chargeback" if word in listed("disputed") else word for word in without_rating_fillers(words))
    )


def is_plain_rating_name(words: tuple[str, ...]) -> bool:
    """Whether every word of a name belongs to the name of a rating, and one of them is it."""
    names = listed("label", "rating") | (listed("acts") if set(words) & listed("human") else frozenset())
    known = names | listed("rating_fillers") | kind_letters().keys()
    return bool(set(words) & names) and all(word in known or word.isdigit() or len(word) == 1 for word in words)


def without_rating_fillers(words: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the words of a rating's name that define its values, unlike "label"."""
    kept = listed("rating_fillers") - kind_letters().keys() | {"review", "reviewed"}
    known = listed("label", "rating")
    if set(words) & known:
        kept |= {"true"}
    return tuple(word for word in words if word not in known | kept | {"flag"} and not word.isdigit())


def group_rank(words: tuple[str, ...]) -> int | None:
    """Rate a name as that of a row's owner: 0 a customer, 1 an account; None for others."""
    for rank, holders in enumerate((listed("group"), listed("group_account"))):
        if set(words) & holders and all(word in holders | listed("identifiers", "group_fillers") for word in words):
            return rank
    return None


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Hold the meaning of a rating; `certain` is None where it must be asked.

    `is_specific` where it hardly fits anything but a document, `is_core` where it names fraud itself,
    `is_act` where it names an action rather than a finding.
    """

    certain: Meaning | None
    likely: Meaning | None
    is_specific: bool
    is_core: bool
    is_act: bool


def read_rating(value: str) -> Reading:
    """Read one rating, in any case and spelling."""
    words = taken_apart(words_of(value), _parts_of_ratings())
    while len(words) > 1 and (words[0].isdigit() or len(words[0]) == 1) and words[0] != "?":
        if any(words[:n] in _phrase_letters() for n in range(2, MAX_PHRASE_WORDS + 1)):
            break
        # A code before the words: "1 - Fraud", "F: Fraud".
        words = words[1:]
    if len(words) > 2 and words[-1] == "".join(word[0] for word in words[:-1]):
        # "Confirmed fraud (CF)"
        words = words[:-1]
    kinds = kinds_of(words)
    # "True Positive - Suspicious Activity": what follows a code explains it.
    code = re.match(r"(?i)(?:(?:true|false|benign)[ _]?(?:positive|negative)|[tf][pn])(?= *[-:(,])", value.strip())
    certain = meaning_of_kinds(kinds if code is None else kinds_of(taken_apart(words_of(code[0]), _parts_of_ratings())))
    is_refused = _LETTERS["stopped"] in kinds and not _about_fraud("claims").isdisjoint(words)
    if is_refused:
        certain = None
        kinds = kinds.replace(POSITIVE, _LETTERS["dismissed"]) if _about_fraud("refused") & set(words) else kinds
    likely = certain or next(
        (
            meaning
            for meaning, any_of, none_of in _LIKELY
            if set(any_of) & set(kinds) and not set(none_of) - set(any_of) & set(kinds)
        ),
        None,
    )
    kind_of = kind_letters()
    telling = [word for word in words if word not in _about_fraud("general") and kind_of.get(word) in set("FLGDQ")]
    is_code = bool(re.fullmatch("C?[XT][PA]+C?|C?[XT]M", kinds))
    return Reading(
        certain=certain,
        likely=likely,
        is_specific=certain is not None and (is_code or bool(telling)),
        is_core=certain is not None and (is_code or not _about_fraud("core").isdisjoint(words)),
        is_act=bool(kinds) and set(kinds) <= {_LETTERS["stopped"], _LETTERS["passed"], UNKNOWN},
    )


def kinds_of(words: tuple[str, ...]) -> str:
    """Give the kinds of words in a row, one letter each; words that only fill are left out."""
    kinds, position, known = "", 0, _phrase_letters()
    while position < len(words):
        length = next((n for n in range(MAX_PHRASE_WORDS, 1, -1) if words[position : position + n] in known), 1)
        found = words[position : position + length]
        kinds += _phrase_letters()[found] if length > 1 else kind_letters().get(found[0], UNKNOWN)
        position += length
    return kinds


def meaning_of_kinds(kinds: str) -> Meaning | None:
    """Return the certain meaning of kinds in a row."""
    return next((meaning for meaning, pattern in _PATTERNS.items() if pattern.fullmatch(kinds)), None)
