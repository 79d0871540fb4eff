"""What a decision takes along from the operating point: what else the data say, and its charts."""
