"""Reading and guessing in a process of its own: what a hostile file does there, it does to nobody else."""
