"""The API's description is what is served, and what is served keeps to it under any input."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from kit.web import routes
from kit.web.routes import TABLE, describe

if TYPE_CHECKING:
    from kit.web.routes import Route
    from tests.web.conftest import Site

schemathesis = pytest.importorskip("schemathesis")
EXAMPLES = 5
"""Per route and mode; there are two dozen routes."""
API = schemathesis.openapi.from_dict(describe())


def test_every_route_is_described_and_nothing_else(site: Site) -> None:
    told = site.get("openapi.json")
    assert told == json.loads(json.dumps(describe()))
    assert told["openapi"].startswith("3.1")
    described = {(method.upper(), path) for path, acts in told["paths"].items() for method in acts}
    assert described == {(route.method, route.path) for route in TABLE}
    for method, path in described:
        other = "POST" if method == "GET" else "GET"
        assert site.ask(other, path, {} if other == "POST" else None).status == 405


def test_every_reference_leads_somewhere() -> None:
    told = describe()
    found: set[str] = set()

    def walk(value: object) -> None:
        if isinstance(value, dict):
            if "$ref" in value:
                found.add(value["$ref"])
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(told)
    components: Any = told["components"]
    assert {one.removeprefix(routes._SCHEMAS) for one in found} <= set(components["schemas"])


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("route", TABLE, ids=[route.path for route in TABLE])
def test_any_input_is_answered_as_described(site: Site, route: Route, mode: str) -> None:
    """What fits the description is answered as it says; what does not is refused in a sentence; nothing breaks."""
    operation = API[route.path][route.method]
    sort = schemathesis.GenerationMode(mode)

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=[Phase.generate],
    )
    @given(case=operation.as_strategy(generation_mode=sort))
    def tried(case: Any) -> None:  # noqa: ANN401 - schemathesis' own
        case.call_and_validate(
            base_url=f"http://127.0.0.1:{site.port}", headers={"Authorization": f"Bearer {site.token}"}, timeout=60
        )

    tried()
