"""Table fit whose atoms are whole public households; the unit of protection is a household."""
