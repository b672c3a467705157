"""Who people are, what they may be, and how an OpenID Connect token says it; nothing is looked up here."""
