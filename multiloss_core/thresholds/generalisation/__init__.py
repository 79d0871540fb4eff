"""What an operating point will do on data that did not choose it."""
