"""The page Audit: plan and draw a random sample of unrated documents, and read its ratings."""
