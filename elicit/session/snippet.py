"""A snippet: the recommended subset in scikit-learn, as code that runs without Elicit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from elicit.data import BUILT_IN, load, model_of, padded, regrouped


def snippet(section: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Lines of Python that fit the session's model to the attributes `names`; none for other oracles."""
    if section.get("kind") != "wrapper":
        return []
    groups = section.get("groups", {})
    data = load(
        section["data"],
        section.get("target"),
        tidy=bool(section.get("tidy", False)),
        group_col=section.get("group_col"),
    )
    columns = [column for name in names for column in groups.get(name, (name,))]
    coded = [column for column in columns if column in data.groups]
    data = regrouped(data, groups) if groups else data
    model = model_of(section["model"], data.classes, data.missing)
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    imports = {f"from {_home(type(step))} import {type(step).__name__}" for step in steps}
    if len(steps) > 1:
        imports.add("from sklearn.pipeline import make_pipeline")
    inner = ", ".join(repr(step) for step in steps)
    return [
        *_loading(section, columns, coded),
        *sorted(imports),
        f"model = make_pipeline({inner}).fit(X, y)" if len(steps) > 1 else f"model = {inner}.fit(X, y)",
    ]


def _loading(section: Mapping[str, Any], columns: Sequence[str], coded: Sequence[str]) -> list[str]:
    if section["data"] in BUILT_IN:
        name = f"load_{section['data']}"
        lines = [f"from sklearn.datasets import {name}", f"X, y = {name}(return_X_y=True, as_frame=True)"]
        return [*lines, f"X = X[{list(columns)!r}]"]
    lines = ["import pandas as pd"]
    if padded(Path(section["data"])):
        lines.append(f"data = pd.read_csv({section['data']!r}, skipinitialspace=True).rename(columns=str.strip)")
    else:
        lines.append(f"data = pd.read_csv({section['data']!r})")
    if section.get("tidy"):
        lines.append(f"data = data.dropna(subset=[{section['target']!r}])")
    lines.append(f"X, y = data[{list(columns)!r}], data[{section['target']!r}]")
    return [*lines, f"X = pd.get_dummies(X, columns={list(coded)!r}, dtype=float)"] if coded else lines


def _home(kind: type) -> str:
    """The public module of an estimator: what stands before the first private name."""
    parts = kind.__module__.split(".")
    private = next((k for k, part in enumerate(parts) if part.startswith("_")), len(parts))
    return ".".join(parts[:private])
