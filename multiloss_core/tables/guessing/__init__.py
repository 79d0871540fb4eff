"""What each column of a table seems to be: ratings, scores, weights and what says more of a document."""
