"""Sign-in: settings, claims, roles and the signed-in person. Without sign-in everyone has all roles."""
