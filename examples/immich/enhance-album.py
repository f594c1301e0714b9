#!/usr/bin/env python3
"""Enhances the pictures of an album of Immich: enhance-album.py <id of the album>

Each result becomes a picture of its own, on top of a stack with its original, which stays. A second run leaves stacks out.
Needs the variables BURNISH (such as http://burnish:3000), KEY, IMMICH (such as http://immich:2283) and IMMICH_KEY, whose
permissions are asset.read, asset.download, asset.upload and stack.create. ORDER is an order of enhancements in JSON.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

BURNISH, IMMICH = (os.environ[name].rstrip("/") for name in ("BURNISH", "IMMICH"))
KEYS = {BURNISH: os.environ["KEY"], IMMICH: os.environ["IMMICH_KEY"]}
ORDER = json.loads(os.environ.get("ORDER", '{"mode": "ENHANCE"}'))
GIVE_UP_AFTER_S = 600


def call(base, path, data=None, **headers):
    if isinstance(data, dict):
        data, headers = json.dumps(data).encode(), {**headers, "Content-Type": "application/json"}
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(base + path, data, {"x-api-key": KEYS[base], **headers})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return answer.read()


def pictures(album):
    page = 1
    while page:
        query = {"albumIds": [album], "type": "IMAGE", "withStacked": True, "size": 250, "page": int(page)}
        found = json.loads(call(IMMICH, "/api/search/metadata", query))["assets"]
        yield from (picture for picture in found["items"] if not picture.get("stack"))
        page = found.get("nextPage")


def enhanced(picture):
    original = call(IMMICH, f"/api/assets/{picture['id']}/original")
    order = {"filename": picture["originalFileName"], "enhancements": json.dumps([ORDER])}
    # After an interrupted run, the same picture with the same order is charged once.
    once = str(uuid.uuid5(uuid.NAMESPACE_URL, picture["id"] + json.dumps(ORDER, sort_keys=True)))
    headers = {"Content_Type": "application/octet-stream", "Idempotency_Key": once, "Prefer": "wait=30"}
    upload = json.loads(call(BURNISH, "/v1/uploads?" + urllib.parse.urlencode(order), original, **headers))
    until = time.monotonic() + GIVE_UP_AFTER_S
    while upload["enhancements"][0]["status"] not in ("FINISHED", "ERROR", "CANCELLED"):
        if upload["status"] == "UPLOAD_FAILED" or time.monotonic() > until:
            break
        time.sleep(1)
        upload = json.loads(call(BURNISH, "/v1/uploads/" + upload["id"]))
    result = upload["enhancements"][0]
    if result["status"] != "FINISHED":
        raise RuntimeError(result.get("errorDetail") or upload.get("errorDetail") or "The result is not ready.")
    with urllib.request.urlopen(result["fullUrl"], timeout=120) as file:
        better = file.read()
    return None if better == original else (result["filename"], better)


def add(picture, name, file):
    fields = {
        "deviceAssetId": f"burnish-{picture['id']}",
        "deviceId": "burnish",
        "fileCreatedAt": picture["fileCreatedAt"],
        "fileModifiedAt": picture["fileModifiedAt"],
    }
    edge = uuid.uuid4().hex
    parts = [f'--{edge}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields.items()]
    name = name.replace('"', "")
    parts.append(f'--{edge}\r\nContent-Disposition: form-data; name="assetData"; filename="{name}"\r\n\r\n')
    body = "".join(parts).encode() + file + f"\r\n--{edge}--\r\n".encode()
    return json.loads(call(IMMICH, "/api/assets", body, Content_Type=f"multipart/form-data; boundary={edge}"))["id"]


def main(album):
    failures = 0
    for picture in list(pictures(album)):
        try:
            result = enhanced(picture)
            if result is None:
                print(picture["originalFileName"], "needs no change")
                continue
            # The first picture of a stack is the one that an album shows.
            call(IMMICH, "/api/stacks", {"assetIds": [add(picture, *result), picture["id"]]})
            print(picture["originalFileName"], "is enhanced")
        except (OSError, RuntimeError) as error:
            failures += 1
            detail = error.read().decode() if isinstance(error, urllib.error.HTTPError) else error
            print(picture["originalFileName"], "stays as it is:", detail, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
