"""What people call columns and ratings, in English, German, French, Spanish and Portuguese."""
