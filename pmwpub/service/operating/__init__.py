"""What the operator of a server looks at: people, populations, loads, jobs, the store, limits. No private number is here.

Each function asks for the operator's role afresh.
"""
