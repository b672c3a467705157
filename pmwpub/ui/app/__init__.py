"""What every page shares: the session's state, the server's services, links, guards and the budget meter."""
