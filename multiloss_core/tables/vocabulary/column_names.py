"""What the words in the name of a column say about it, in English, German, French, Spanish and Portuguese."""

from multiloss_core.tables.vocabulary.dispositions import KINDS, kinds_of
from multiloss_core.tables.vocabulary.words import phrases, spellings, taken_apart, words_of

# --- ratings --------------------------------------------------------------------------------------------------------
# By convention 1 means positive here, and true the same.
LABEL = spellings(
    """class label labels rating ratings target y truth gt groundtruth actual actuals etiqueta étiquette rótulo
    zielgröße cible objetivo"""
)
# Names of ratings that do not say which value is which.
RATING = spellings(
    """disposition dispositions verdict rated outcome result resolution review determination finding conclusion
    classification adjudication assessment judgement judgment class feedback
    befund bewertung einstufung beurteilung urteil ergebnis prüfergebnis klassifikation entscheid
    verdict résultat décision conclusion qualification classement avis
    resultado veredicto dictamen calificación clasificación conclusión resolución disposición
    parecer veredito conclusão classificação disposição desfecho resolução"""
)
# Names that are as often of something else: a payment's status, the type of a card.
STATUS = spellings(
    """status state type code statut estado situação situação stand kategorie category decision entscheidung decisión
    decisão flag"""
)
# As good as a chargeback in the name of a column, though not among its values.
_DISPUTED = spellings("dispute disputed disputes contested contestation contesté contestado contestada reklamiert")
_RATING_FILLERS = spellings(
    """is has was flag flags ind indicator yn bool field marked final analyst investigator human agent manual case
    siu moderator moderation ground true test
    alert alerts txn transaction tx event the of code cd value fall fraud confirmed current reviewer review reviewed
    team ops quality qa l2 l3 sar str ist hat kennzeichen endgültig endgültige definitive est
    définitif finale cas alerte alerta es caso final definitivo é expert gold last latest closing
    bearbeiter prüfer analyste analista"""
)
# A system's opinion, or one that was overruled or belongs to another case.
MACHINE = spellings(
    """predicted prediction pred predictions model system auto automatic automated machine rule rules engine ml ai
    algo
    algorithm recommended recommendation proposed suggested suggestion flagged decision action strategy
    vorhersage modell automatisch automatische regel regeln empfehlung empfohlen entscheidung aktion maßnahme
    prédit prédite prédiction modèle automatique règle recommandé recommandation
    predicho predicción modelo automático automática regla recomendado recomendación acción decisión
    previsto previsão regra recomendação ação decisão"""
)
EARLIER = spellings(
    """first initial prelim preliminary l1 tier1 1st previous prior past earlier history historical old original ever
    draft provisional before temp interim previously
    erste erster erstes vorläufig vorläufige vorherige frühere früher ursprünglich
    premier première initiale précédent précédente antérieur ancien provisoire
    primera primer primero inicial anterior previo previa preliminar provisorio
    primeira primeiro prévio prévia antigo provisório"""
)
HUMAN = spellings(
    """analyst investigator human manual reviewer review expert moderator moderation siu bearbeiter prüfer analyste
    analista agent case final endgültig endgültige définitive finale definitiva"""
)
# Names of what people did, where they say so as well.
_ACTS = spellings("action actions decision decisions aktion maßnahme entscheidung acción decisión ação decisão")
# Names that need known values beside them.
AMBIGUOUS = spellings("class feedback avis result ergebnis resultado résultat review resolution decision") | STATUS
BIOMETRIC = spellings("face finger iris voice palm pair probe gallery matcher comparator subject impostor biometric")
OF_FRAUD = spellings(
    """fraud betrug fraude txn transaction transaktion transacción transação card karte carte tarjeta cartão payment
    zahlung
    paiement pago pagamento merchant händler chargeback amount betrag montant importe valor alert iban account
    konto"""
)
# What says more of a rating but is none itself.
_ABOUT = spellings(
    """id ids type reason source date time at by comment comments note notes reviewer user name queue channel score
    prob
    amount count grund quelle datum kommentar raison motif origine commentaire motivo origen fuente comentario
    origem"""
)

# --- scores ---------------------------------------------------------------------------------------------------------
SCORE = spellings(
    """score scores scoring scr scrs prob probs proba probability probabilities likelihood propensity logit logodds
    pred
    prediction
    predictions punktzahl punktwert risikowert wahrscheinlichkeit scorewert puntaje puntuación pontuação escore
    probabilité probabilidad probabilidade vraisemblance pointage phat yhat verosimilitud"""
)
MODEL = spellings(
    """model models modell modelle modèle modelo classifier klassifikator classifieur clasificador classificador gbm
    xgb
    xgboost lgbm lightgbm catboost rf forest nn dnn mlp lstm rnn cnn gnn svm logreg logistic lr glm gam bayes knn ae
    autoencoder vae iforest isoforest ensemble stack stacked stacking blend champion challenger neural boosting
    booster
    transformer bert llm gpt detector matcher comparator face finger iris voice palm similarity
    falcon feedzai sift radar featurespace aric kount forter riskified signifyd threatmetrix tmx actimize hunter
    socure sardine seon datavisor vaa vcas"""
)
RISK = spellings(
    """risk risiko risque riesgo risco fraud betrug fraude anomaly anomalie anomalía anomalia suspicion suspiciousness
    fraudulence"""
)
# Scores of something else, or of another time: they are asked about.
FOREIGN = spellings(
    """credit bureau fico schufa nps csat satisfaction loyalty churn engagement marketing quality confidence reviewer
    analyst agent lead trust reputation kredit bonität crédit crédito solvabilité solvencia qualität qualité calidad
    qualidade avg average mean max min median std prev previous prior last old past delta diff change trend lag
    yesterday
    history historical moyenne moyen media média médio maximum minimum durchschnitt mittel letzter letzte vorher
    dernier dernière précédent anterior último última sum summe somme suma soma"""
)
# Measures that a score can also be called by.
LEVEL = spellings(
    "index level rating grade rank percentile percent pct percentage rate ratio share note nota stufe niveau"
)
_COUNTS = spellings(
    """count counts cnt num number n no nr nbr qty quantity anzahl menge nombre nb numéro número num cantidad cant
    quantidade qtd qtde velocity vel freq frequency häufigkeit fréquence frecuencia frequência tries attempt attempts
    versuche tentatives intentos tentativas transactions txns clicks items logins visits hits visits total children
    volume"""
)
_TIMES = spellings(
    """age ages alter âge edad idade ancienneté antigüedad tenure day days tag tage jour jours día días dia dias month
    months monat monate mois mes meses year years jahr jahre année années año años ano anos hour hours stunde stunden
    heure heures hora horas minute minutes minuten secs second seconds sekunden mins ms duration dauer durée duración
    duração elapsed since seit depuis desde latency runtime week weekday woche wochentag semaine semana date time
    timestamp ts epoch datum zeit uhrzeit fecha data datetime quarter"""
)
_PLACES = spellings(
    """lat latitude lon lng long longitude breite länge breitengrad längengrad geo coord coordinate coordinates
    latitud
    longitud distance dist km miles entfernung distancia distância zip plz postcode postal zipcode cep"""
)
_IDENTIFIERS = spellings(
    """id ids uuid guid key nummer ref reference referenz référence referencia referência code codes kennung ident
    identifiant identificador idx row line zeile ligne fila linha seq sequence serial document doc hash token iban bin
    pan phone tel telefon téléphone teléfono telefone ip port mcc terminal folio"""
)
_BANDS = spellings(
    """band bands bucket buckets bin tier class decile quantile quartile ranking rang segment cluster group category
    klasse tranche banda bande tramo nivel nível faixa clase classe rango grado grau palier bracket kategorie
    catégorie
    categoría categoria stage cohort"""
)
_VERSIONS = spellings("version versions ver release revision build versión versão iteration")
_MEASURES = spellings(
    """size length len height width utilisation utilization threshold cutoff schwelle schwellwert seuil umbral limiar
    floor temperature weight weights gewicht gewichtung poids peso kg gram grams lbs ttl priority priorität priorité
    prioridad prioridade stars household flag flags bool is has sampling sample weighting stichprobe lift"""
)
_MONEY = spellings(
    """amount amounts amt betrag montant importe monto valor balance saldo solde limit limite límite income einkommen
    revenu revenus ingreso ingresos renda salary gehalt salaire salario salário price preis prix precio preço fee
    gebühr
    frais fees tax turnover umsatz spend revenue discount rabatt refund tip usd eur gbp brl chf currency währung
    devise
    moneda moeda exposure money wert verlust loss losses perte pérdida perda cost costs kosten coût custo costo
    cents"""
)
# What scores are of, as well as what is counted: "score velocity".
TOPICS = spellings(
    "velocity vel freq frequency distance amount geo ip phone bin transactions txns logins device merchant"
)
NO_SCORE = _COUNTS | _TIMES | _PLACES | _IDENTIFIERS | _BANDS | _VERSIONS | _MEASURES | _MONEY
# Numbers of these are identifiers, unless a word for a score follows.
ENTITIES = spellings(
    """merchant customer client user account device card person händler kunde kunden konto karte client marchand
    compte
    carte cliente comercio cuenta tarjeta comerciante conta cartão agent store branch filiale"""
)

# --- weights --------------------------------------------------------------------------------------------------------
WEIGHT = phrases(
    [
        "weight", "weights", "sample weight", "sampling weight", "sample weights", "sampling weights", "case weight",
        "row weight", "survey weight", "design weight", "expansion weight", "expansion factor",
        "inverse probability weight",
        "ipw", "gewicht", "gewichtung", "stichprobengewicht", "stichproben gewicht", "fallgewicht",
        "hochrechnungsfaktor",
        "poids", "poids échantillon", "poids d'échantillonnage", "poids de sondage", "pondération", "peso",
        "peso muestral",
        "peso de muestreo", "ponderación", "factor de expansión", "peso amostral", "peso da amostra", "ponderação",
        "fator de expansão", "weight factor", "upweight", "frequency weight",
    ]
)  # fmt: skip
SAMPLING = spellings(
    """sampling sample sampled selection inclusion stichprobe stichproben auswahl échantillonnage échantillon sondage
    muestreo muestra muestral amostragem amostra amostral ziehung subsampling downsampling"""
)
RATE = spellings(
    """rate fraction prob probability share ratio quote anteil satz rate wahrscheinlichkeit taux fraction probabilité
    tasa fracción probabilidad taxa fração probabilidade pct p"""
)

# --- money ----------------------------------------------------------------------------------------------------------
AMOUNT = spellings("amount amounts amt betrag beträge montant montants importe monto quantia montante cuantía quantum")
AMOUNT_OR_OTHER = spellings(
    """value valor valeur wert total gesamt price preis prix precio preço loss losses verlust perte pérdida perda
    exposure
    money umsatz summe schaden cost kosten coût costo custo geld dinero dinheiro argent"""
)
AMOUNT_CONTEXT = spellings(
    """txn transaction transactions tx trx trans transaktion transaktions transacción transação operation opération
    operación operação payment zahlung zahlungs paiement pago pagamento purchase achat compra order claim claimed
    invoice alert case card sale buchung buchungs schadens euro euros eur usd gbp chf brl mxn dollar dollars de la du
    da
    do del der des in total local base claims transfer of"""
)
# Amounts over many documents, or of something else than money moved.
NO_AMOUNT = spellings(
    """avg average mean max min median std cum cumulative rolling prev previous prior last limit balance saldo solde
    fee
    fees gebühr frais tip discount rabatt tax income salary ratio share pct threshold delta diff daily weekly monthly
    band bucket score count rank flag durchschnitt moyen moyenne medio media promedio médio limite límite lifetime
    historical expected velocity einkommen revenu ingreso renda days age per"""
)
# Amounts of the document, but perhaps not the one that is meant.
OTHER_AMOUNT = spellings(
    """refund refunded chargeback disputed recovered recovery original rückerstattet remboursé reembolso cashback
    approved
    authorised authorized settled net gross shipping cents minor pennies sum requested saved blocked"""
)

# --- times ----------------------------------------------------------------------------------------------------------
TIME = spellings(
    """dttm dtm dtime date datetime time timestamp ts created day week at dt when occurred datum zeit zeitpunkt
    zeitstempel erstellt
    angelegt tag woche uhrzeit horodatage jour semaine heure créé créée fecha hora creado creada día semana momento
    data dia criado criada instante epoch"""
)
EVENT = spellings(
    """transaction txn tx trx event alert created creation case payment occurred booking purchase order transaktion
    transaktions buchung buchungs ereignis alarm erstellt erstellungs erstellung angelegt vorgang vorgangs
    opération création créé créée alerte événement operación creación creado creada alerta evento transacción
    criação criado criada operação transação trans auth"""
)
# Times of the customer or the card, not of the document.
NO_TIME = spellings(
    """birth dob born expiry expires expiration registration registered signup joined last first previous since valid
    due enrolled activated issued login
    geburt geburts geburtsdatum ablauf ablaufdatum gültig letzter letzte letztes eröffnung kunde seit
    naissance dernier dernière expiration ouverture inscription
    nacimiento vencimiento caducidad última último alta
    nascimento validade abertura cadastro"""
)
# Of these, times at which work on a document began, near to when it came.
OPENING = spellings("opened open received reported start eröffnet")
# Times of the document, but later than it came.
OTHER_TIME = spellings(
    """review reviewed closed close closing updated modified resolved decided decision opened open label labelled
    labeled
    chargeback received reported loaded exported export rated end ended delivery shipped departure settlement settled
    captured disputed refunded start
    geprüft geschlossen abgeschlossen aktualisiert geändert eröffnet entschieden
    revu clôture clôturé modifié mise
    revisión revisado cierre cerrado actualizado modificado
    revisão fechamento encerrado encerramento atualizado"""
)

# --- segments and groups --------------------------------------------------------------------------------------------
SEGMENT = spellings(
    """segment cntry chnl prod method mode country channel region product category type merchant brand scheme branch
    portfolio market line lob
    land kanal zahlungsart zahlart vertriebskanal vertriebsweg region produkt sparte kategorie marke filiale markt
    segment
    händlerkategorie
    pays canal région produit catégorie marque agence marché réseau
    país canal región producto categoría marca sucursal mercado
    região produto categoria agência network state entity division unit"""
)
NO_SEGMENT = spellings(
    """fraud betrug fraude rating label disposition verdict decision decisión decisão entscheidung action review
    reviewer
    analyst agent status outcome result resolution closure reason rule score band model risk risiko risque riesgo
    risco id
    name date queue team assigned alert_status chargeback dispute home"""
)
GROUP = spellings(
    """group customer cust client person user member cardholder holder kunde kunden kundin gruppe benutzer nutzer
    person
    personne utilisateur cliente persona usuario pessoa usuário titular party consumer subscriber applicant
    borrower"""
)
GROUP_ACCOUNT = spellings(
    "account acct acc konto kontonummer compte cuenta conta card karte carte tarjeta cartão household device policy"
)
_GROUP_FILLERS = _IDENTIFIERS | spellings("nr nbr no number num numéro número no the de la do du del masked hashed ref")

_VOCABULARY = frozenset().union(
    *(
        LABEL,
        RATING,
        STATUS,
        _RATING_FILLERS,
        _DISPUTED,
        MACHINE,
        EARLIER,
        _ABOUT,
        SCORE,
        MODEL,
        RISK,
        FOREIGN,
        LEVEL,
        NO_SCORE,
    ),
    *(
        ENTITIES,
        SAMPLING,
        RATE,
        AMOUNT,
        AMOUNT_OR_OTHER,
        AMOUNT_CONTEXT,
        OTHER_AMOUNT,
        TIME,
        EVENT,
        OTHER_TIME,
        SEGMENT,
    ),
    *(NO_SEGMENT, GROUP, GROUP_ACCOUNT, *WEIGHT, KINDS),
)
# What the last part of a joined word says is known even where its first part is not ("Meldedatum", "omniscore").
_ENDINGS = (
    *("score", "amount", "count", "number", "status", "version", "flag", "band"),
    *("betrag", "datum", "nummer", "wahrscheinlichkeit", "punktzahl", "ergebnis", "anzahl", "kennzeichen", "zeitpunkt"),
)
# Short words join by chance: "as" and "set" are no parts of "asset".
_PARTS = frozenset(word for word in _VOCABULARY if len(word) > 2 or word in {"is", "id", "at"})


def name_words(name: object) -> tuple[str, ...]:
    """Split a column's name into words; joined ones are taken apart ("fraudscore", "Kundennummer")."""
    words = words_of(str(name))
    return tuple(part for word in words for part in ((word,) if word in _VOCABULARY else _with_ending(word)))


def _with_ending(word: str) -> tuple[str, ...]:
    parts = taken_apart((word,), _PARTS)
    if len(parts) > 1:
        return parts
    ending = next((ending for ending in _ENDINGS if word.endswith(ending) and word != ending), None)
    return (word,) if ending is None else (word.removesuffix(ending), ending)


def kinds_of_name(words: tuple[str, ...]) -> str:
    """Give the kinds of the words that say which value is which, as those of a rating."""
    return kinds_of(tuple("chargeback" if word in _DISPUTED else word for word in without_rating_fillers(words)))


def is_about_a_rating(words: tuple[str, ...]) -> bool:
    """Whether a name is of something that goes with a rating: its reason, its date, who gave it."""
    return bool(set(words) & _ABOUT)


def is_plain_rating_name(words: tuple[str, ...]) -> bool:
    """Whether every word of a name belongs to the name of a rating, and one of them is it."""
    names = LABEL | RATING | (_ACTS if set(words) & HUMAN else frozenset())
    known = names | _RATING_FILLERS | KINDS.keys()
    return bool(set(words) & names) and all(word in known or word.isdigit() or len(word) == 1 for word in words)


def without_rating_fillers(words: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the words of a rating's name that say which value is which; "label" and the like are not among them."""
    kept = _RATING_FILLERS - KINDS.keys() | {"review", "reviewed"}
    if set(words) & (LABEL | RATING):
        kept |= {"true"}
    return tuple(word for word in words if word not in LABEL | RATING | kept | {"flag"} and not word.isdigit())


def group_rank(words: tuple[str, ...]) -> int | None:
    """Say how surely a name is that of who a row belongs to: 0 a customer, 1 an account; None for any other name."""
    for rank, holders in enumerate((GROUP, GROUP_ACCOUNT)):
        if set(words) & holders and all(word in holders | _GROUP_FILLERS for word in words):
            return rank
    return None
