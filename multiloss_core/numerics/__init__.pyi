from .arrays import Bools as Bools
from .arrays import Floats as Floats
from .arrays import Indices as Indices
from .arrays import ratio as ratio
from .concave_majorant import concave_majorant as concave_majorant
from .proportions import effective_size as effective_size
from .proportions import precision_interval as precision_interval
from .rounding import written_number as written_number
