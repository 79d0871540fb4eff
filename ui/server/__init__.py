"""Middleware, limits and the task queue of the server."""
