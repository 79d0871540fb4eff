"""How long visitors wait who come one at a time and many at once, over Streamlit's own messages."""
