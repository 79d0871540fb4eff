"""Random audits of unrated documents: recall, missed positives and false blocks.

`score_strata` divides the documents below the floors by their scores, `plan_audit` allocates ratings to the strata,
`draw_sql` and `draw_rows` draw the documents, and `read_audit` estimates recall from the rated `Audit`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
