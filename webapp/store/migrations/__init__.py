"""Alembic's migrations, which travel with the package."""
