"""The sets of data of both papers, checked against what is known of them before anything is calculated."""
