"""The report: one self-contained page of a journal, for a sceptical colleague, a printer or a phone.

`content` gathers what the record says, `model` what the model does with the chosen subset, `page` writes it
down. The rule: a page loads nothing and runs one script whose text is named by its hash; whatever comes from
data is a text there, never markup.
"""
