"""From the bytes of a file to cells of text: containers, Parquet, rows in chunks, and numbers for rows."""
