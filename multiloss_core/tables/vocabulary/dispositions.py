"""What the words of a rating mean, in English, German, French, Spanish and Portuguese.

A rating is read as a sentence: each known word has a kind, and only sentences of known words whose kinds form a known
pattern mean something for certain ("no fraud found", "Betrug bestätigt", "faux positif"). A word that is not known
leaves the whole rating open.
"""

import re
from dataclasses import dataclass
from typing import Literal

from multiloss_core.tables.vocabulary.words import phrases, spellings, taken_apart, words_of

Meaning = Literal["positive", "negative", "undecided"]

POSITIVE, LEGITIMATE, GOOD, DISMISSED, SUSPECTED, UNCERTAIN, OPEN = "F", "L", "G", "D", "Q", "S", "U"
NOT, CONFIRMED, FOUND, REVIEWED = "N", "C", "K", "R"
STOPPED, PASSED, DISPUTED = "B", "V", "E"
FALSE, TRUE, ALARM, POSITIVE_SIGN, NEGATIVE_SIGN, FILLER, UNKNOWN = "X", "T", "A", "P", "M", "", "-"

_KINDS: dict[str, str] = {
    POSITIVE: """
        fraud frauds fraudulent fraudulently frd scam scams scammer abuse abusive spam theft stolen phishing phished
        malware mule laundering counterfeit takeover ato chargeback chargebacks chargebacked bad sar smurfing forged
        forgery tp fn violation violations violating malicious anomaly anomalous attack attacks intrusion
        betrug betrüger betrügerisch betrügerische missbrauch missbräuchlich geldwäsche diebstahl gestohlen fälschung
        gefälscht schlecht rückbelastung
        fraude fraudes frauduleux frauduleuse fraudé escroquerie arnaque abus blanchiment usurpation rétrofacturation
        fraudulento fraudulenta fraudulentos fraudulentas estafa robo robado robada blanqueo contracargo suplantación
        malo mala golpe roubo roubado lavagem ruim""",
    LEGITIMATE: """
        genuine genuinely legit legitimate legitimately authentic lawful nonfraud benign
        legitim legitime legitimer echt rechtmäßig gutartig
        légitime légitimes authentique licite
        legítimo legítima legítimos genuino genuina auténtico auténtica lícito lícita genuíno genuína autêntico
        autêntica
        idôneo""",
    GOOD: """
        good ok okay clean clear cleared ham normal fine innocent honest harmless safe
        gut sauber unbedenklich unauffällig harmlos seriös unverdächtig entlastet
        sain saine honnête bon bonne normale inoffensif
        bueno buena limpio limpia bom boa limpo limpa""",
    DISMISSED: """
        dismissed unfounded unsubstantiated fp tn nfa
        unbegründet ausgeschlossen entwarnung fehlalarm falschalarm
        infondé infondée infundado infundada descartado descartada desestimado desestimada""",
    SUSPECTED: """
        suspect suspected suspicious suspicion suspicions susp
        verdacht verdächtig verdächtige verdachtsfall
        suspecte suspectée soupçon soupçons soupçonné soupçonnée
        sospecha sospechoso sospechosa sospechado sospechada suspeito suspeita""",
    UNCERTAIN: """
        ? possible possibly potential potentially likely unlikely probable improbable probably alleged presumed
        maybe perhaps unconfirmed unverified unproven
        möglich möglicher mögliche möglicherweise vermutet vermutlich vermuteter wahrscheinlich mutmaßlich unbestätigt
        présumé présumée éventuel éventuelle
        posible presunto presunta possível provável presumido presumida""",
    OPEN: """
        pending open unknown undetermined undecided escalated escalate escalation review reviewing investigation
        investigating awaiting waiting await queued queue hold unassigned unrated unlabeled unlabelled inconclusive
        indeterminate uncertain unsure unclear unresolved tbd tbc todo wip ongoing deferred unk na nan null missing
        new
        parked outstanding unreviewed unworked undefined
        offen offener ausstehend unbekannt unklar prüfung überprüfung bearbeitung eskaliert eskalation wartend wartet
        unentschieden unbestimmt ungeklärt zurückgestellt ungeprüft unbewertet anhängig neu klärung ermittlung
        ermittlungen untersuchung
        attente ouvert ouverte inconnu inconnue indéterminé indéterminée escaladé escaladée incertain incertaine
        indécis
        examen enquête analyse vérification nouveau douteux douteuse
        pendiente pendientes abierto abierta desconocido desconocida escalado escalada indeterminado indeterminada
        revisión revisar investigación análisis incierto incierta dudoso dudosa espera nuevo
        pendente pendentes aberto aberta desconhecido desconhecida análise revisão investigação incerto duvidoso
        andamento verificar apuração novo aguardando""",
    NOT: """
        no not non never without kein keine keinen keiner nicht ohne pas sans aucun aucune sin ningún ninguna
        não nenhum nenhuma sem""",
    CONFIRMED: """
        confirmed confirm proven substantiated verified
        bestätigt bestätigter erwiesen nachgewiesen
        avéré avérée avérés confirmé confirmée confirmés prouvé prouvée vérifié vérifiée
        confirmado confirmada confirmados comprobado comprobada probado probada verificado verificada
        comprovado comprovada""",
    FOUND: """
        found detected identified filed reported established evidence proof raised received signs sign indication
        indications required
        gefunden festgestellt erkannt gemeldet hinweis hinweise anzeichen
        trouvé trouvée détecté détectée constaté constatée identifié identifiée signalé signalée indice indices preuve
        encontrado encontrada detectado detectada identificado identificada reportado reportada constatado constatada
        indicio indicios indício indícios evidencia evidência""",
    REVIEWED: """
        reviewed rated labelled labeled decided determined investigated assessed checked worked processed
        geprüft bewertet bearbeitet entschieden beurteilt
        traité traitée évalué évaluée examiné examinée décidé déterminé
        revisado revisada evaluado evaluada analizado analizada decidido determinado investigado investigada
        analisado analisada avaliado avaliada""",
    STOPPED: """
        declined decline blocked block rejected removed removal denied banned suspended terminated cancelled canceled
        lost stopped taken
        abgelehnt gesperrt blockiert entfernt verloren
        refusé refusée bloqué bloquée supprimé supprimée perdu perdue
        rechazado rechazada bloqueado bloqueada eliminado eliminada perdido perdida
        recusado recusada negado negada removido removida""",
    DISPUTED: "dispute disputes representment litige disputa contestação widerspruch",
    PASSED: """
        approved approve accepted allowed passed paid refunded fulfilled shipped delivered released kept reinstated won
        genehmigt freigegeben bezahlt erstattet ausgeliefert
        approuvé approuvée accepté acceptée payé payée remboursé remboursée livré livrée
        aprobado aprobada aceptado aceptada pagado pagada reembolsado reembolsada entregado entregada
        aprovado aprovada aceito aceita pago paga entregue""",
    FALSE: "false falsch falscher falsche falsches faux fausse falso falsa",
    TRUE: "true wahr richtig vrai vraie verdadero verdadera verdadeiro verdadeira",
    ALARM: "alarm alarme alarma alert alerts alerte alerta hit treffer match",
    POSITIVE_SIGN: "positive positiv positives positif positivo positiva pos",
    NEGATIVE_SIGN: "negative negativ negatives négatif negativo negativa neg",
    FILLER: """
        by the a an of to in on at is was be been has as with and for from it this any under needs yet case cases
        account
        customer client user transaction transactions txn payment card activity behaviour behavior closed close
        resolved
        result final finally party first third 1st 3rd cnp cp online identity application transfer cheque wire
        synthetic
        analyst manually manual system l1 l2 l3 level tier
        der die das dem ein eine einen durch von im am wurde ist zur noch fall abgeschlossen geschlossen kunde konto
        transaktion karte zahlung
        le la les un une de du des par est cas clos clôturé clôturée compte carte paiement dossier encore
        el los una del por es en caso cerrado cerrada cliente cuenta tarjeta pago transacción operación aún
        o os um uma do da e em encerrado encerrada fechado fechada conta cartão pagamento transação operação ainda""",
}
_PHRASES: dict[str, tuple[str, ...]] = {
    OPEN: (
        "n/a", "not available", "on hold", "in progress", "in bearbeitung", "noch offen", "en cours", "à vérifier",
        "à traiter", "à revoir", "en curso", "en proceso", "en espera", "por revisar", "a revisar", "a verificar",
        "em andamento", "em curso",
    ),
    DISMISSED: (
        "no further action", "no action", "no action required", "no issue", "no issues", "no finding", "no findings",
        "ruled out", "kein befund", "ohne befund", "sans suite", "classé sans suite", "rien à signaler",
        "sin hallazgos",
        "sem irregularidades",
    ),
    GOOD: ("in ordnung", "all clear", "sin novedad"),
    FILLER: ("card not present", "cardholder not present", "first party", "third party"),
}  # fmt: skip

_CORE = spellings(
    "fraud frauds fraudulent betrug betrügerisch fraude fraudes frauduleux fraudulento tp fp chargeback sar"
)
# Words that also describe much else: a column needs the name of a rating as well.
_GENERAL = spellings(
    """bad good ok okay clean clear cleared normal fine safe positive positiv positif positivo positiva pos negative
    negativ négatif negativo negativa neg gut schlecht sauber bon bonne bueno buena malo mala bom boa ruim normale hit
    match limpio limpia limpo limpa true false harmless ham honest innocent"""
)

_PATTERNS: dict[Meaning, re.Pattern[str]] = {
    "positive": re.compile(r"[CKTRB]*F+[CKRFB]*|C?T[PA]+C?|C?XM|NL|C?PC?"),
    "negative": re.compile(
        r"A?[CKRV]*[LG]+[LGCKRV]*|V*NK*F+|[LGCKR]*D+[DLGCKR]*|C?X[PA]+C?|C?TM|C?MC?"
        r"|A?[LGDKR]*NK*F+[KC]*[LGD]*|F+NK+|A?NQ+K*|NF+Q+|A?XPN?F*"
    ),
    "undecided": re.compile(r"[QS]+[FLG]*|[FLG]+[QS]+|[US]*U[UQSR]*|[QS]+U+|U*NRU*"),
}
# What is likelier where nothing is certain, by the kinds that occur.
_LIKELY: tuple[tuple[Meaning, str, str], ...] = (
    ("undecided", "QSU", ""),
    ("positive", "F", "NXLGD"),
    ("negative", "LGD", "NF"),
    ("negative", "NF", ""),
    ("positive", "B", "NVLGDQSU"),
    ("negative", "V", "NBFQSU"),
)

_PHRASE_KINDS = {phrase: kind for kind, listed in _PHRASES.items() for phrase in phrases(listed)}
_LONGEST_PHRASE = max(map(len, _PHRASE_KINDS))
KINDS = {word: kind for kind, listing in _KINDS.items() for word in spellings(listing)}
# Short words join by chance: "im" and "possible" are no parts of "impossible".
_PARTS = frozenset(word for word in KINDS if len(word) > 2 or word == "no")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one rating means: `certain` is None where it must be asked.

    `is_specific` where it can hardly be said of anything but a document, `is_core` where it names fraud itself,
    `is_act` where it says what was done rather than what was found.
    """

    certain: Meaning | None
    likely: Meaning | None
    is_specific: bool
    is_core: bool
    is_act: bool


def read_rating(value: str) -> Reading:
    """Read one rating, in any case and spelling."""
    words = taken_apart(words_of(value), _PARTS)
    while len(words) > 1 and (words[0].isdigit() or len(words[0]) == 1) and not _begins_phrase(words):
        # A code before the words: "1 - Fraud", "F: Fraud".
        words = words[1:]
    if len(words) > 2 and words[-1] == "".join(word[0] for word in words[:-1]):
        # "Confirmed fraud (CF)"
        words = words[:-1]
    kinds = kinds_of(words)
    certain = meaning_of_kinds(kinds)
    likely = certain or next(
        (
            meaning
            for meaning, any_of, none_of in _LIKELY
            if set(any_of) & set(kinds) and not set(none_of) - set(any_of) & set(kinds)
        ),
        None,
    )
    telling = [word for word in words if word not in _GENERAL and KINDS.get(word) in {"F", "L", "G", "D", "Q"}]
    told = bool(re.fullmatch("C?[XT][PA]+C?|C?[XT]M", kinds))
    return Reading(
        certain=certain,
        likely=likely,
        is_specific=certain is not None and (told or bool(telling)),
        is_core=certain is not None and (told or not _CORE.isdisjoint(words)),
        is_act=bool(kinds) and set(kinds) <= {STOPPED, PASSED, UNKNOWN},
    )


def kinds_of(words: tuple[str, ...]) -> str:
    """Give the kinds of words in a row, one letter each; words that only fill are left out."""
    kinds, position = "", 0
    while position < len(words):
        length = next((n for n in range(_LONGEST_PHRASE, 1, -1) if words[position : position + n] in _PHRASE_KINDS), 1)
        found = words[position : position + length]
        kinds += _PHRASE_KINDS[found] if length > 1 else KINDS.get(found[0], UNKNOWN)
        position += length
    return kinds


def meaning_of_kinds(kinds: str) -> Meaning | None:
    """Say what a row of kinds means for certain."""
    return next((meaning for meaning, pattern in _PATTERNS.items() if pattern.fullmatch(kinds)), None)


def _begins_phrase(words: tuple[str, ...]) -> bool:
    return any(words[:n] in _PHRASE_KINDS for n in range(2, _LONGEST_PHRASE + 1)) or words[0] in {"?"}
