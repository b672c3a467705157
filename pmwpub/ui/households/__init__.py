"""What pages draw for populations whose unit is a household."""
