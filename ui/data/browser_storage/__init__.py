"""Uploaded files kept in the browser's own storage, so that a reload, a new tab or a new server finds them again."""
