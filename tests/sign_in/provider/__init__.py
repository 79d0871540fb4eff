"""A site of Django with OAuth Toolkit: an OpenID provider with accounts, passwords and signed ID tokens."""
