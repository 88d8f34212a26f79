"""The composition root: settings in, one `Services` out, with a `Desk` for every collection."""
