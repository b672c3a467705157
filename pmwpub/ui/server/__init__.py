"""What the server itself guards: headers, origins, uploads, sessions that end."""
