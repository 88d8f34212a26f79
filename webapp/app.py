"""The application factory: wiring only."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from flask import Blueprint, Flask

import webapp.pages
from webapp.paths import shared
from webapp.services.root import Services
from webapp.settings import Settings
from webapp.web.access import init_access
from webapp.web.context import init_context
from webapp.web.errors import init_errors
from webapp.web.i18n import init_i18n
from webapp.web.keys import init_keys
from webapp.web.logs import init_request_log
from webapp.web.metrics import init_metrics
from webapp.web.security import init_csrf, init_rates, init_security
from webapp.web.shedding import init_shedding
from webapp.web.static_files import init_static


def create_app(settings: Settings, services: Services | None = None) -> Flask:
    """Return the application. Without services it opens its own, which migrates the database."""
    app = Flask("webapp", template_folder=shared("templates"), static_folder=shared("static"))
    app.url_map.strict_slashes = False  # a trailing slash changes nothing and redirects nowhere
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    services = services or Services.open(settings)
    services.begin()
    init_context(app, services)
    init_metrics(app, services)
    init_errors(app)
    if settings.log_format == "json":
        init_request_log(app)
    init_security(app, settings)
    init_i18n(app, settings.languages)
    init_static(app)
    init_keys(app)
    for blueprint in blueprints():
        app.register_blueprint(blueprint)
    init_shedding(app, settings)
    init_access(app)
    init_csrf(app)
    init_rates(app, settings)
    return app


def blueprints() -> Iterator[Blueprint]:
    """Yield the blueprint of every module under webapp/pages that has one, in a stable order."""
    for module in sorted(pkgutil.walk_packages(webapp.pages.__path__, "webapp.pages."), key=lambda found: found.name):
        blueprint = getattr(importlib.import_module(module.name), "blueprint", None)
        if isinstance(blueprint, Blueprint):
            yield blueprint
