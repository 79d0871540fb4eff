"""Sign-in: settings, claims, roles and person. Without sign-in everyone has all roles."""
