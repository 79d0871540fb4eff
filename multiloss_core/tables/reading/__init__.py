"""Read files as tables; every file is untrusted and measured before it is decoded."""
