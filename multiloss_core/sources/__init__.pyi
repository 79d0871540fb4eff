from .rule_set import RuleSet as RuleSet
from .rule_set import SourceCounts as SourceCounts
from .rule_set import held_out_switches as held_out_switches
from .simulated_queue import simulate_alert_queue as simulate_alert_queue
