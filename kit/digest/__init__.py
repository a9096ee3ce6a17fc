"""What a finished turn says, by rules alone: summary, tags, facts, and the verdict on the turn before."""
