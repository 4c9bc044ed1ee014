"""Reads a contract with PyYAML, and fails unless the JSON says the same."""

import json
import sys

import yaml

with open(sys.argv[1], encoding="utf-8") as read, open(sys.argv[2], encoding="utf-8") as expected:
    sys.exit(yaml.safe_load(read) != json.load(expected))
