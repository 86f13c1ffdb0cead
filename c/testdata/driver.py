"""Runs bloomlane.py for the tests, by the commands of driver.c that open a file and ask it."""

import sys

import bloomlane


def run(command, first="", key=""):
    global f
    if command == "open":
        secret = None if key == "-" else bytes.fromhex(key)
        if secret:  # a tag and 16 bytes, or 32
            tag = len(secret) % 16
            secret = secret[:tag] + secret[tag:].hex().encode()
        with open(first, "rb") as file:
            f = bloomlane.Filter(file.read(), secret)
        return "no error"
    if command == "algorithm":
        return f.algorithm
    if command == "present":
        return int(f.query_hash(int(first, 16)))
    if command == "present_u64":
        return int(f.query(int(first, 16).to_bytes(8, "little")))
    return int(f.query({"present_bytes": bytes.fromhex}[command](first)))


for line in sys.stdin:
    try:
        print(run(*line.split()), flush=True)
    except bloomlane.FormatError as error:
        print(error, flush=True)
