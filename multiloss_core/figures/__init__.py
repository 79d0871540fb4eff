"""Numbers to Plotly figures: pure functions, usable from a notebook."""
