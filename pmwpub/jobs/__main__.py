"""`python -m pmwpub.jobs DESCRIPTOR`: a worker process, started by the engine and by nothing else."""

from __future__ import annotations

import sys

from pmwpub.jobs.worker import main

if __name__ == "__main__":
    main(int(sys.argv[1]))
