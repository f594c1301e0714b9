#!/usr/bin/env python3
"""Cleans a scan before paperless-ngx reads it: set PAPERLESS_PRE_CONSUME_SCRIPT to the path of this file.

Needs the variables BURNISH (such as http://burnish:3000) and KEY. The document stays as it is when its pages cannot be cleaned.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE, KEY = os.environ["BURNISH"], os.environ["KEY"]
# paperless-ngx consumes this copy; its own original is elsewhere.
PATH = os.environ["DOCUMENT_WORKING_PATH"]
GIVE_UP_AFTER_S = 600


def call(path, data=None, **headers):
    request = urllib.request.Request(BASE + path, data, {"x-api-key": KEY, **headers})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def enhance():
    with open(PATH, "rb") as document:
        bytes_ = document.read()
    order = {"filename": os.path.basename(PATH), "enhancements": json.dumps([{"mode": "DOCUMENT"}])}
    headers = {"Content-Type": "application/octet-stream", "Prefer": "wait=30"}
    upload = call("/v1/uploads?" + urllib.parse.urlencode(order), bytes_, **headers)
    until = time.monotonic() + GIVE_UP_AFTER_S
    while upload["enhancements"][0]["status"] not in ("FINISHED", "ERROR", "CANCELLED"):
        if upload["status"] == "UPLOAD_FAILED" or time.monotonic() > until:
            break
        time.sleep(1)
        upload = call("/v1/uploads/" + upload["id"])
    result = upload["enhancements"][0]
    if result["status"] != "FINISHED":
        raise RuntimeError(result.get("errorDetail") or upload.get("errorDetail") or "The result is not ready.")
    if result["mimetype"] != upload["mimetype"]:
        raise RuntimeError("The result has another type: " + result["mimetype"])
    with urllib.request.urlopen(result["fullUrl"], timeout=60) as file:
        whole = file.read()
    with open(PATH + ".burnish", "wb") as better:
        better.write(whole)
    # The document is never half written.
    os.replace(PATH + ".burnish", PATH)


try:
    enhance()
except (OSError, RuntimeError) as error:
    detail = error.read().decode() if isinstance(error, urllib.error.HTTPError) else error
    print("Burnish left the document as it is:", detail, file=sys.stderr)
