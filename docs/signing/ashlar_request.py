#!/usr/bin/env python3
"""A signed request: ashlar_request.py METHOD URL [JSON]

Python 3.8 and `cryptography` (Debian: python3-cryptography). ASHLAR_CREDENTIALS names the credentials file, of an Ed25519 key
(docs/signing.md); IDEMPOTENCY_KEY repeats an earlier request safely.
"""
import base64, hashlib, json, os, secrets, sys, time
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def signed_request(credentials, method, url, body=b"", idempotency_key=None):
    """A urllib Request. `credentials`: api_key, key_id and private_key (a JWK); `body`: JSON in bytes, empty for none."""
    at = urlsplit(url)
    headers = {"Idempotency-Key": idempotency_key or secrets.token_hex(16)}
    if body:
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        headers.update({"Content-Type": "application/json", "Content-Digest": f"sha-256=:{digest}:"})
    covered = {"@method": method, "@authority": at.netloc.lower(), "@path": at.path or "/", "@query": f"?{at.query}"}
    covered.update({name.lower(): value for name, value in headers.items()})
    names = " ".join(f'"{name}"' for name in covered)
    nonce = secrets.token_hex(16)
    params = f'({names});created={int(time.time())};keyid="{credentials["key_id"]}";nonce="{nonce}";tag="ashlar"'
    base = "".join(f'"{name}": {value}\n' for name, value in covered.items()) + f'"@signature-params": {params}'
    seed = base64.urlsafe_b64decode(credentials["private_key"]["d"] + "=")
    signature = base64.b64encode(Ed25519PrivateKey.from_private_bytes(seed).sign(base.encode())).decode()
    headers["Signature-Input"] = f"sig={params}"
    headers["Signature"] = f"sig=:{signature}:"
    headers["Authorization"] = f"Bearer {credentials['api_key']}"
    return Request(url, data=body or None, headers=headers, method=method)


if __name__ == "__main__":
    with open(os.environ.get("ASHLAR_CREDENTIALS", "data/admin-credentials.json")) as file:
        credentials = json.load(file)
    method, url, *rest = sys.argv[1:]
    body = "".join(rest).encode()
    try:
        answer = urlopen(signed_request(credentials, method, url, body, os.environ.get("IDEMPOTENCY_KEY")))
    except HTTPError as refused:
        answer = refused
    print(answer.read().decode())
