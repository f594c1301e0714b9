"""What Schemathesis does not know of this interface: two media types, and the errors of GraphQL."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def write_lines(ctx, value):
    """A list of items has a line for each."""
    if isinstance(value, bytes):
        return {"data": value}
    items = value if isinstance(value, list) else [value]
    return {"data": "".join(json.dumps(item) + "\n" for item in items).encode()}


@schemathesis.serializer("application/offset+octet-stream")
def write_bytes(ctx, value):
    """A part of a resumable upload."""
    return {"data": value if isinstance(value, bytes) else str(value).encode()}


@schemathesis.check
def graphql_errors_are_explained(ctx, response, case):
    """Each error of GraphQL has a code other than that of a fault of the server, and a remedy."""
    if not case.operation.schema.location.endswith("/graphql"):
        return
    assert response.status_code < 500, f"HTTP {response.status_code}"
    for error in response.json().get("errors", []):
        extensions = error.get("extensions", {})
        assert extensions.get("code") not in (None, "INTERNAL"), error
        assert extensions.get("remedy"), error
