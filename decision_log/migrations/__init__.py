"""The schema of the log and every change of it: `versions` holds one file for each, applied in order at opening.

A change is a new file there, with the next number as its revision and the last one as its `down_revision`.
"""
