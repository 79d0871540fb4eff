"""Words of ratings as systems and people write them: fraud, no fraud, not decided."""

ENGLISH = [
    (["Confirmed fraud"], ["Genuine"], ["Suspected", "Pending"]),
    (["FRAUD"], ["NOT FRAUD"], ["OPEN", "IN REVIEW"]),
    (["Fraud confirmed"], ["No fraud found"], ["Under investigation"]),
    (["True Positive"], ["False Positive"], ["Undetermined"]),
    (["TP"], ["FP"], ["N/A", "Escalated"]),
    (["confirmed_fraud"], ["confirmed_legit"], ["unknown"]),
    (["Fraudulent", "Account takeover"], ["Legitimate", "False alarm"], []),
    (["1 - Fraud"], ["2 - Non-fraud"], ["3 - Pending"]),
    (["Closed - Fraud"], ["Closed - Not Fraud"], ["Open"]),
    (["SAR filed"], ["No SAR", "False positive"], ["Escalated to L2", "In progress"]),
    (["bad", "scam"], ["good"], ["unsure"]),
    (["ConfirmedFraud"], ["FalsePositive"], ["UnderReview"]),
    (["Fraud"], ["Customer confirmed genuine", "Dismissed"], ["Awaiting customer"]),
    (["chargeback"], ["no chargeback"], []),
]
GERMAN = [
    (["Betrug bestätigt"], ["Kein Betrug"], ["Offen", "In Bearbeitung"]),
    (["BETRUG"], ["LEGITIM"], ["UNKLAR"]),
    (["Betrugsfall"], ["Fehlalarm"], ["Verdacht"]),
    (["Bestätigter Betrug"], ["unauffällig"], ["in Prüfung"]),
    (["bestaetigter Betrug"], ["kein Betrug festgestellt"], ["noch offen"]),
    (["Missbrauch"], ["echt", "falsch positiv"], ["unbekannt", "ausstehend"]),
]
FRENCH = [
    (["Fraude avérée"], ["Pas de fraude"], ["En attente"]),
    (["FRAUDE"], ["LEGITIME"], ["EN COURS"]),
    (["Fraude confirmée"], ["Faux positif", "Sans suite"], ["À vérifier"]),
    (["frauduleux"], ["légitime"], ["inconnu"]),
    (["Vrai positif"], ["Fausse alerte"], ["Indéterminé"]),
]
SPANISH = [
    (["Fraude confirmado"], ["No fraude"], ["Pendiente"]),
    (["Fraude"], ["Legítimo"], ["En revisión", "Desconocido"]),
    (["FRAUDULENTA"], ["GENUINA"], ["SOSPECHOSA"]),
    (["Verdadero positivo"], ["Falso positivo"], ["Abierto"]),
    (["Estafa"], ["Sin fraude", "Descartado"], ["En investigación"]),
]
PORTUGUESE = [
    (["Fraude confirmada"], ["Não é fraude"], ["Pendente"]),
    (["Fraude"], ["Legítimo"], ["Em análise", "Suspeita"]),
    (["FRAUDE"], ["FALSO POSITIVO"], ["ABERTO"]),
    (["Golpe"], ["Sem fraude", "Falso alarme"], ["Desconhecido"]),
]
WORDS = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "pt": PORTUGUESE}
# Ambiguous without a question to the user.
CODES = [
    ("F", "G"),
    ("F", "L"),
    ("A", "B"),
    (2, 1),
    ("X1", "X2"),
    ("red", "green"),
    ("M", "F"),
    ("approved", "rejected"),
]
ONE_SIDED = [
    (["Pending"], ["Good"], "no positive"),
    (["Undetermined"], ["False Positive"], "no positive"),
    (["Fraud"], ["Unknown"], "no negative"),
    (["Betrug"], ["offen"], "no negative"),
    (["suspeita"], ["legítima"], "no positive"),
]
