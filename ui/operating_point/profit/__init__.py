"""What the path brings against how many alerts it costs."""
