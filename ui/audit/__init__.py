"""The page Audit: plan a random sample of unrated documents, draw it, and read recall from its ratings."""
