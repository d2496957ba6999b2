"""The estimator: what ElicitSelector is made of; `elicit.selector` puts it together.

In the order of a fit: what is handed over, and what the estimator takes of it (`inputs`, `routing`, `tags`); who says
what is better (`judges`, `carried`); what else was asked for (`keeping`, `priors`, `tolerance`); columns that no fit
takes (`readable`); the run (`fitting`, `journals`, `declared`, `seeking`); what came of it (`choosing`, `results`,
`certificate`). And after it: the honest score (`honest`), pictures (`displays`).
"""
