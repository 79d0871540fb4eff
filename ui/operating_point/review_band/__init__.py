"""Two cuts: what is blocked without a review, what is reviewed, what passes."""
