"""What each number means, with the figures on the screen put in: {label} stands for the value shown under that label."""

from ui.point_words import CAUGHT, FALSE, PRECISION

# By label; of labels that carry a count of their own, by their first words.
EXPLANATIONS = {
    "Threshold of": "A document is flagged when this score is at least so high (where every score must reach its own: when all are). "
    "In as few digits as flag the same documents; never: no score is high enough.",
    CAUGHT: f"True positives: {{{CAUGHT}}} of the {{Alerts}} documents flagged were rated fraud.",
    FALSE: f"False positives: {{{FALSE}}} of the {{Alerts}} documents flagged were rated no fraud.",
    "Alerts": f"TP + FP = {{{CAUGHT}}} + {{{FALSE}}} = {{Alerts}}: everything that people would look at.",
    PRECISION: f"TP / (TP + FP) = {{{CAUGHT}}} / {{Alerts}} = {{{PRECISION}}}: the share of fraud among all alerts. The slider "
    "is about the last ones only.",
    "False alerts per catch": f"FP / TP = {{{FALSE}}} / {{{CAUGHT}}} = {{False alerts per catch}}: the mean price; the last "
    "catches cost more.",
    "Rated positives kept": f"TP over all positives rated at or above the floors: {{{CAUGHT}}} is {{Rated positives kept}} of "
    "them. Not recall: fraud below the floors is unknown.",
    "Fraud in the last": "Marginal precision of the last step down to this point: what lowering the thresholds here still "
    "brought. It is at least the target.",
    "Fraud in the next": "Marginal precision of the next step down: what lowering the thresholds further would bring. It is below "
    "the target, so the path stops here.",
    "Estimated fraud in the last": "Marginal precision of the last step down to this point, as the smooth fit expects it: what "
    "lowering the thresholds here still brought. It is at least the target.",
    "Estimated fraud in the next": "Marginal precision of the next step down, as the smooth fit expects it: what lowering the "
    "thresholds further would bring. It is below the target, so the path stops here.",
}
