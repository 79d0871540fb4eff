"""What was decided, as a record that leaves the program: to deploy, to show and to open again."""
