"""Screen Decision sheet: four questions, one answer."""
