"""What alerts cost and catches bring: scenarios, their form, and what comes of them."""
