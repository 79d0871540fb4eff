"""What `server.py` puts around the pages, and how long work runs beside them."""
