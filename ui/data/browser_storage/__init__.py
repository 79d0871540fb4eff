"""Keep uploaded files in the browser's storage, so that reloads restore them."""
