# Needs openapi.json of your instance and photo.jpg in this folder, and the variables BURNISH and KEY.
set -eu
python3 -m venv .venv
.venv/bin/pip install --quiet openapi-python-client==0.29.1
.venv/bin/openapi-python-client generate --path openapi.json --config openapi-python-client.yaml --output-path client --fail-on-warning
.venv/bin/pip install --quiet ./client
.venv/bin/python main.py
