from .fitting import CombinedScore as CombinedScore
from .formula_code import formula_in_python as formula_in_python
from .formula_code import formula_in_sql as formula_in_sql
