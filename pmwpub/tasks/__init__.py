"""The work that runs in the queue of `pmwpub.jobs`: in worker processes, or at once for the command line."""
