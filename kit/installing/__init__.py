"""What puts the hooks into coding agents and takes them out again: plans first, then one hand that writes."""
