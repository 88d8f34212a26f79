"""What is kept: answers, the sources they cite as they were, feedback, accounts. SQLAlchemy Core, Alembic."""
