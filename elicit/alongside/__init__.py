"""Alongside a run: what keeps it, where it stands and whether there is hope, what its operator may look up, and what is
measured ahead of need or afresh.
"""
