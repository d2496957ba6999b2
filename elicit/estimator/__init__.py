"""The estimator: what ElicitSelector is made of; `elicit.selector` puts it together."""
