"""Table fit: all low-order tables measured once, the public table reweighted to them. `table_fit` has the release."""
