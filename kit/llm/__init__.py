"""A language model, if the person has configured one: what it is asked, and what of its answer is used."""
