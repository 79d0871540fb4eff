"""Who visits and what she may do: by sign-in where that is configured; else everybody may do everything."""
