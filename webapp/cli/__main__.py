"""`python -m webapp.cli` is the same as `evidencedesk`."""

from webapp.cli import main

main()
