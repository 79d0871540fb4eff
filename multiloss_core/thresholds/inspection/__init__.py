"""What stands behind an operating point: documents, classifiers, periods, segments."""
