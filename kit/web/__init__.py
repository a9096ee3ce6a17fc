"""The management API and the page, for one person on one machine; over the one asker, like every surface."""
