"""What the operator of a server looks at: people, populations, loads, jobs, the store, limits; no private number.

Each function asks for the operator's role afresh.
"""
