from .fitting import CombinedScore as CombinedScore
from .fitting import with_combined_score as with_combined_score
from .forms import FormOfRule as FormOfRule
from .forms import FormsCompared as FormsCompared
from .forms import best_corner as best_corner
from .forms import compare_forms as compare_forms
from .formula_code import formula_in_python as formula_in_python
from .formula_code import formula_in_sql as formula_in_sql
