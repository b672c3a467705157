"""People in the store: who signed in, who owns a population and who is a member, and who did what."""
