"""Make exports like those of fraud systems: their columns and the truth about them."""

from tests.tables.exports.dispositions import CODES, ONE_SIDED, WORDS
from tests.tables.exports.truth import F, N, Truth, U


def meanings(positive, negative, undecided=()):
    return dict.fromkeys(positive, F) | dict.fromkeys(negative, N) | dict.fromkeys(undecided, U)


def any_words(a, language=None):
    language = language or a.rng.choice(list(WORDS))
    listed = WORDS[language]
    return listed[a.rng.integers(len(listed))]


def disposed(a, name, language="en", **options):
    """A column of dispositions and what its values mean."""
    words = any_words(a, language)
    return {name: a.rated(*words, **options)}, {name: meanings(*words)}


def one_of(a, *choices):
    return choices[a.rng.integers(len(choices))]


def adaptive_behaviour(a):
    rating, truth = disposed(a, one_of(a, "disposition", "alertDisposition", "reviewOutcome"))
    columns = {
        "eventId": a.cases("e-"),
        "eventTime": a.times("%Y-%m-%dT%H:%M:%SZ"),
        "entityId": a.owners("ent"),
        "decision": a.words("DECLINE", "REVIEW"),
        "modelScore": a.probability(),
        "riskScore": a.thousand(),
        "ruleCount": a.whole(0, 8),
        "amount": a.amounts(),
        **rating,
    }
    return columns, Truth(truth, {"modelScore", "riskScore"}, amount={"amount"}, time={"eventTime"})


def card_mainframe(a):
    columns = {
        "ACCT_NBR": a.owners("40000"),
        "TRN_DT": a.times("%Y-%m-%d"),
        "TRN_AMT": a.amounts(),
        "MCC": a.words(5411, 5999).astype(int),
        "CNTRY_CD": a.words("US", "CA", "MX"),
        "MACK": a.flags("Y", "N"),
        "VMAX": a.whole(0, 9),
        "SCORE1": a.thousand(),
        "SCORE2": a.thousand(),
        "CHARGEBACK": a.marks("Y", "N"),
    }
    truth = Truth({"CHARGEBACK": {"Y": F, "N": N}}, {"SCORE1", "SCORE2"})
    truth.amount, truth.time, truth.group, truth.segment = (
        {"TRN_AMT"},
        {"TRN_DT"},
        {"ACCT_NBR", None},
        {"CNTRY_CD", None},
    )
    return columns, truth


def enterprise_alerts(a):
    rating, truth = disposed(a, one_of(a, "Resolution", "Alert Resolution", "Resolution Code"))
    columns = {
        "Alert ID": a.cases("A"),
        "Alert Date": a.times("%d %b %Y %H:%M"),
        "Business Unit": a.words("Retail", "Cards", "SME"),
        "Alert Score": a.hundred(0),
        "Policy": a.words("wire", "ach", "check"),
        "Customer ID": a.owners(),
        "Transaction Amount": a.amounts(),
        "Owner": a.words("jd", "mk", "rs"),
        **rating,
    }
    found = Truth(truth, {"Alert Score"}, amount={"Transaction Amount"}, time={"Alert Date"}, group={"Customer ID"})
    found.segment = {"Business Unit", "Policy", None}
    return columns, found


def streaming_platform(a):
    fraud, genuine = one_of(a, ("fraud", "genuine"), ("FRAUD", "LEGIT"), ("true_positive", "false_positive"))
    columns = {
        "event_id": a.cases("evt_"),
        "event_timestamp": a.times("%Y-%m-%dT%H:%M:%S"),
        "model_score": a.thousand(),
        "rules_score": a.thousand(),
        "final_score": a.thousand(),
        "decision": a.words("approve", "decline", "review"),
        "label_source": a.words("manual", "chargeback"),
        "label": a.rated([fraud], [genuine], blank=0.1),
        "channel": a.words("web", "app", "pos"),
    }
    truth = Truth({"label": {fraud: F, genuine: N}}, {"model_score", "rules_score", "final_score"})
    truth.time, truth.segment = {"event_timestamp"}, {"channel"}
    return columns, truth


def abuse_scores(a):
    bad, good = one_of(a, ("Bad", "Not Bad"), ("bad", "good"), ("fraud", "not fraud"))
    names = ["payment_abuse_score", "account_takeover_score", "content_abuse_score", "promotion_abuse_score"]
    columns = {
        "user_id": a.owners("u"),
        "created_at": a.times(),
        **{name: a.probability() for name in names},
        "email_verified": a.flags(),
        "order_value": a.amounts(),
        one_of(a, "label", "analyst_label", "manual_review_result"): a.rated([bad], [good]),
    }
    rating = list(columns)[-1]
    truth = Truth(
        {rating: {bad: F, good: N}}, set(names), amount={"order_value"}, time={"created_at"}, group={"user_id"}
    )
    return columns, truth


def payment_gateway(a):
    columns = {
        "id": a.cases("ch_"),
        "Created (UTC)": a.times("%Y-%m-%d %H:%M"),
        "Amount": a.amounts(),
        "Amount Refunded": a.words(0.0, 12.5).astype(float),
        "Currency": a.words("usd"),
        "Captured": a.flags("TRUE", "FALSE"),
        "Status": a.words("Paid", "Failed", "Refunded"),
        "Risk Score": a.hundred(0).astype(int),
        "Risk Level": a.words("normal", "elevated", "highest"),
        "Card Brand": a.words("Visa", "MasterCard"),
        "Customer ID": a.owners("cus_"),
        "Disputed": a.marks("TRUE", "FALSE"),
    }
    truth = Truth({"Disputed": {"true": F, "false": N}}, {"Risk Score"}, amount={"Amount"}, time={"Created (UTC)"})
    truth.group, truth.segment = {"Customer ID"}, {"Card Brand", None}
    return columns, truth


def case_manager(a):
    fraud, genuine, open_ = one_of(
        a,
        (["Confirmed Fraud (CF)"], ["False Positive (FP)"], ["Unresolved"]),
        (["Fraud"], ["Genuine"], ["Inconclusive"]),
        (["Fraud - card not present"], ["Genuine"], ["Open"]),
    )
    columns = {
        "ALERT_ID": a.cases(),
        "SCORE_1": a.thousand(),
        "SCORE_2": a.thousand(),
        "INVESTIGATED_OUTCOME": a.rated(fraud, genuine, open_),
        "ALERT_DTTM": a.times(),
        "ACTIVITY_AMT": a.amounts(),
        "QUEUE": a.words("Q1", "Q2"),
    }
    truth = Truth({"INVESTIGATED_OUTCOME": meanings(fraud, genuine, open_)}, {"SCORE_1", "SCORE_2"})
    truth.amount, truth.time = {"ACTIVITY_AMT"}, {"ALERT_DTTM"}
    return columns, truth


def home_made(a):
    name = one_of(
        a, "is_fraud", "isFraud", "fraud_flag", "FRAUD_IND", "confirmed_fraud", "label", "target", "y", "fraud"
    )
    yes, no = one_of(a, (1, 0), ("true", "false"), ("Y", "N"), ("yes", "no"))
    scores = one_of(a, ["gbm", "nn"], ["score", "gbm"], ["xgb_prob", "logreg_prob"], ["model_a", "model_b", "model_c"])
    columns = {
        "row": range(a.rows),
        "case_id": a.cases(),
        **{score: a.probability() for score in scores},
        "txn_count_24h": a.counts(),
        "age": a.whole(18, 90),
        "lat": a.between(40, 55),
        "is_mobile": a.flags(),
        name: a.marks(yes, no),
    }
    return columns, Truth({name: {str(yes).lower(): F, str(no).lower(): N}}, set(scores))


def turned_flag(a):
    name = one_of(
        a, "is_genuine", "is_legit", "false_positive", "isLegitimate", "not_fraud", "is_false_alarm", "cleared"
    )
    yes, no = one_of(a, (1, 0), ("true", "false"), ("Y", "N"))
    columns = {
        "alert": a.cases("AL"),
        "alert_date": a.times("%Y-%m-%d"),
        "fraud_score": a.probability(),
        "device_risk_score": a.hundred(),
        "txn_amount": a.amounts(),
        name: a.marks(no, yes),
    }
    truth = Truth({name: {str(yes).lower(): N, str(no).lower(): F}}, {"fraud_score", "device_risk_score"})
    truth.amount, truth.time = {"txn_amount"}, {"alert_date"}
    return columns, truth


def genuine_of_either_kind(a):
    biometric = a.rng.random() < 0.5
    columns = {
        "pair": a.cases("p"),
        "matcher_A": a.probability(),
        "matcher_B": a.hundred(),
        "genuine": a.marks(1, 0) if biometric else a.marks(0, 1),
    }
    return columns, Truth({"genuine": {"1": None, "0": None}}, {"matcher_A", "matcher_B"})


def codes(a):
    yes, no = CODES[a.rng.integers(len(CODES))]
    name = one_of(a, "disposition", "verdict", "rating", "final_disposition", "outcome")
    columns = {
        "id": a.cases(),
        name: a.marks(yes, no),
        "score": a.probability(),
        "amount": a.amounts(),
    }
    return columns, Truth({name: {str(yes).lower(): None, str(no).lower(): None}}, {"score"}, amount={"amount"})


def one_sided(a):
    fraud, genuine, _ = ONE_SIDED[a.rng.integers(len(ONE_SIDED))]
    name = one_of(a, "disposition", "case_result", "rating")
    columns = {"case_no": a.cases(), "risk_score": a.hundred(), name: a.rated(fraud, genuine)}
    return columns, Truth({name: dict.fromkeys([*fraud, *genuine])}, {"risk_score"})


def two_reviews(a):
    first, final = one_of(
        a,
        ("first_review", "final_review"),
        ("initial_disposition", "disposition"),
        ("previous_label", "label"),
        ("l1_verdict", "final_verdict"),
        ("model_label", "analyst_label"),
        ("predicted_class", "true_class"),
    )
    words = any_words(a, "en")
    columns = {
        "ref": a.cases("R"),
        first: a.rated(*words, wrong=0.2),
        "score_a": a.probability(),
        "score_b": a.log_odds(),
        final: a.rated(*words),
    }
    return columns, Truth({final: meanings(*words)}, {"score_a", "score_b"})


def two_analysts(a):
    words = any_words(a, "en")
    columns = {
        "ref": a.cases("R"),
        "analyst_1": a.rated(*words, wrong=0.15),
        "analyst_2": a.rated(*words, wrong=0.15),
        "score": a.probability(),
    }
    return columns, Truth({}, {"score"})


def german_bank(a):
    rating, truth = disposed(a, one_of(a, "Ergebnis", "Bewertung", "Befund", "Prüfergebnis", "Status"), "de")
    score = one_of(a, "Betrugswahrscheinlichkeit", "Risikopunktzahl", "Modell A", "Risikoscore")
    columns = {
        "Vorgangsnummer": a.cases("V"),
        "Buchungsdatum": a.times("%d.%m.%Y %H:%M"),
        "Kundennummer": a.owners("80"),
        "Betrag": a.amounts(),
        "Kanal": a.words("Online", "Filiale", "Telefon"),
        score: a.hundred(),
        "Regelscore": a.thousand(),
        "Anzahl": a.counts(),
        **rating,
    }
    found = Truth(truth, {score, "Regelscore"}, amount={"Betrag"}, time={"Buchungsdatum"}, group={"Kundennummer"})
    found.segment = {"Kanal"}
    return columns, found


def french_bank(a):
    rating, truth = disposed(a, one_of(a, "Résultat", "Statut", "Qualification", "Décision finale", "Conclusion"), "fr")
    columns = {
        "N° dossier": a.cases("D"),
        "Date de création": a.times("%d/%m/%Y"),
        "Montant": a.amounts(),
        "Pays": a.words("FR", "BE", "ES"),
        "Score de fraude": a.probability(),
        "Probabilité modèle B": a.probability(),
        "Âge du client": a.whole(18, 90),
        "Nombre d'opérations": a.counts(),
        **rating,
    }
    scores = {"Score de fraude", "Probabilité modèle B"}
    return columns, Truth(truth, scores, amount={"Montant"}, time={"Date de création"}, segment={"Pays"})


def spanish_bank(a):
    rating, truth = disposed(a, one_of(a, "Dictamen", "Resultado", "Estado", "Resolución"), "es")
    columns = {
        "id_operación": a.cases(),
        "fecha": a.times("%Y-%m-%d"),
        "importe": a.amounts(),
        "país": a.words("ES", "MX"),
        "puntuación": a.hundred(),
        "probabilidad_fraude": a.probability(),
        "edad": a.whole(18, 90),
        "id_cliente": a.owners(),
        **rating,
    }
    found = Truth(truth, {"puntuación", "probabilidad_fraude"}, amount={"importe"}, time={"fecha"}, segment={"país"})
    found.group = {"id_cliente"}
    return columns, found


def portuguese_bank(a):
    rating, truth = disposed(a, one_of(a, "Resultado", "Parecer", "Situação", "Conclusão"), "pt")
    columns = {
        "código": a.cases("T"),
        "data": a.times("%d/%m/%Y %H:%M"),
        "valor da transação": a.amounts(),
        "canal": a.words("app", "internet", "agência"),
        "pontuação": a.thousand(),
        "risco": a.probability(),
        "idade": a.whole(18, 90),
        **rating,
    }
    found = Truth(truth, {"pontuação", "risco"}, amount={"valor da transação"}, time={"data"}, segment={"canal"})
    return columns, found


def account_opening(a):
    name = one_of(a, "confirmed_fraud", "fraud_confirmed", "first_party_fraud", "is_bad")
    columns = {
        "application_id": a.cases("APP"),
        "submitted_at": a.times(),
        "product": a.words("card", "loan", "current"),
        "applicant_age": a.whole(18, 80),
        "identity_score": a.probability(),
        "device_score": a.probability(),
        "email_age_days": a.whole(0, 3000),
        "pep": a.flags("Y", "N"),
        "vip": a.flags("Y", "N"),
        name: a.marks("Y", "N"),
    }
    truth = Truth({name: {"y": F, "n": N}}, {"identity_score", "device_score"}, time={"submitted_at"})
    truth.segment = {"product"}
    return columns, truth


def money_laundering(a):
    columns = {
        "alert_id": a.cases(),
        "scenario": a.words("structuring", "velocity", "geo"),
        "alert_created": a.times(),
        "alert_score": a.hundred(),
        "network_risk_score": a.probability(),
        "customer_id": a.owners(),
        "gender": a.words("F", "M"),
        "escalated": a.flags("Y", "N"),
        "sar_filed": a.marks("Y", "N"),
    }
    truth = Truth({"sar_filed": {"y": F, "n": N}}, {"alert_score", "network_risk_score"}, time={"alert_created"})
    truth.group, truth.segment = {"customer_id"}, {"scenario", None}
    return columns, truth


def messages(a):
    spam, ham = one_of(a, ("spam", "ham"), ("Spam", "not spam"), ("abuse", "ok"))
    columns = {
        "message_id": a.cases("m"),
        "sent_at": a.times(),
        "language": a.words("en", "de"),
        "length": a.whole(3, 900),
        "spam_probability": a.probability(),
        "text_model": a.probability(),
        "verdict": a.rated([spam], [ham], ["unsure"]),
    }
    truth = Truth({"verdict": {spam: F, ham: N, "unsure": U}}, {"spam_probability", "text_model"}, time={"sent_at"})
    return columns, truth


def chargebacks(a):
    columns = {
        "order_id": a.cases(),
        "order_date": a.times("%Y-%m-%d"),
        "new_customer": a.flags(),
        "item_count": a.whole(1, 9),
        "order_total": a.amounts(),
        "shipping_country": a.words("DE", "AT", "CH"),
        "risk_score": a.hundred(),
        "chargeback": a.marks(),
    }
    truth = Truth({"chargeback": {"1": F, "0": N}}, {"risk_score"}, amount={"order_total"}, time={"order_date"})
    truth.segment = {"shipping_country"}
    return columns, truth


def many_scores(a):
    names = [f"score_{name}" for name in ("device", "email", "velocity", "text", "graph", "final")]
    rating, truth = disposed(a, "verdict")
    return {"id": a.cases(), **{name: a.probability() for name in names}, **rating}, Truth(truth, set(names))


def falling_score(a):
    name = one_of(a, "trustworthiness_score", "omniscore", "safety_score", "model_b")
    rating, truth = disposed(a, "disposition")
    columns = {"id": a.cases(), "fraud_score": a.thousand(), name: a.safe_thousand(), **rating}
    return columns, Truth(truth, {"fraud_score", name}, falling={name})


def weighted(a):
    name = one_of(a, "weight", "sample_weight", "sampling_weight", "Gewicht", "poids", "case weight")
    rating, truth = disposed(a, "verdict")
    columns = {
        "id": a.cases(),
        "weighted_score": a.probability(),
        "parcel_weight_kg": a.between(0.1, 30, 2),
        name: a.words(1.0, 2.5, 10.0).astype(float),
        **rating,
    }
    return columns, Truth(truth, {"weighted_score"}, weight={name})


def sampled(a):
    name = one_of(
        a, "sampling_rate", "sample_fraction", "selection_probability", "taux d'échantillonnage", "Stichprobenanteil"
    )
    rating, truth = disposed(a, "verdict")
    columns = {"id": a.cases(), "score": a.probability(), name: a.words(0.1, 0.5, 1.0).astype(float), **rating}
    return columns, Truth(truth, {"score"}, weight={name}, inverse_weight=True)


def nameless_scores(a):
    rating, truth = disposed(a, "rating", one_of(a, "en", "de", "fr"))
    columns = {"document": a.cases(), "alpha": a.probability(), "zeta_9": a.hundred(), **rating}
    return columns, Truth(truth, {"alpha", "zeta_9"})


def insurance(a):
    rating, truth = disposed(a, one_of(a, "investigation_result", "claim_verdict", "siu_outcome"))
    columns = {
        "claim_number": a.cases("CL"),
        "loss_date": a.times("%Y-%m-%d"),
        "claim_amount": a.amounts(),
        "line": a.words("motor", "home"),
        "text_model": a.probability(),
        "image_model": a.probability(),
        "siu_referral": a.flags("Y", "N"),
        **rating,
    }
    found = Truth(truth, {"text_model", "image_model"}, amount={"claim_amount"}, time={"loss_date"})
    found.segment = {"line"}
    return columns, found


def both_flag_and_words(a):
    words = any_words(a, "en")
    cells = a.rated(*words)
    fraud = [int(cell in words[0]) for cell in cells]
    columns = {"id": a.cases(), "score": a.probability(), "is_fraud": fraud, "disposition": cells}
    return columns, Truth({"disposition": meanings(*words)}, {"score"})


STYLES = [
    *(adaptive_behaviour, card_mainframe, enterprise_alerts, streaming_platform, abuse_scores, payment_gateway),
    *(case_manager, home_made, turned_flag, genuine_of_either_kind, codes, one_sided, two_reviews, two_analysts),
    *(german_bank, french_bank, spanish_bank, portuguese_bank, account_opening, money_laundering, messages),
    *(chargebacks, many_scores, falling_score, weighted, sampled, nameless_scores, insurance, both_flag_and_words),
]
