"""What is read of a finished release of households: answers with intervals, its report, and a notebook."""
