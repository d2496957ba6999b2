"""Small CSV files of data from the wild. For tests alone."""

import csv

import numpy as np


def table(path, rows=60, seed=0, **columns):
    """A CSV file of the named columns, each a function of the row and a random number, with the target y."""
    rng = np.random.default_rng(seed)
    columns = columns or {"a": lambda _, r: f"{r:.3f}", "b": lambda k, _: f"{k % 5}"}
    columns.setdefault("y", lambda k, _: "yes" if k % 2 else "no")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for k in range(rows):
            writer.writerow([column(k, rng.random()) for column in columns.values()])
    return path


def number(k, r):  # noqa: ARG001  # a column's signature
    return f"{r:.4f}"


SPREADSHEET = "größe;preis;ort;klasse\n" + "".join(
    f"{k % 7},{k % 10};{'' if k == 4 else k * k % 5};{'nsw'[k % 3]};{'ja' if k % 2 else 'nein'}\n" for k in range(60)
)
