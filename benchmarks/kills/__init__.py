"""Whether kills of the server lose decisions that were acknowledged."""
