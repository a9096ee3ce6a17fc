"""One adapter a harness: its payload bytes to a HookEvent, a recall to the reply it accepts."""
