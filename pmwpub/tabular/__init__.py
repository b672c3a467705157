"""Between CSV files and integer codes; the only package that knows pandas and pyarrow."""
