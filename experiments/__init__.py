"""The experiments of both papers, run again; they stand beside the library and import it."""
