#!/usr/bin/env bash
# A signed request: ASHLAR_API_KEY=ak_… ASHLAR_PEM=key.pem ashlar-request.sh METHOD URL [JSON]
# bash, curl and openssl 3; key.pem is the Ed25519 private key (docs/signing.md). IDEMPOTENCY_KEY repeats an earlier request safely.
set -euo pipefail
[ $# -ge 2 ] || { echo "ASHLAR_API_KEY=ak_… ASHLAR_PEM=key.pem ${0##*/} METHOD URL [JSON]" >&2; exit 2; }
method=$1 url=$2 body=${3-} rest=${2#*://}
authority=${rest%%/*} target=/${rest#*/} key=${IDEMPOTENCY_KEY:-$(openssl rand -hex 16)}
path=${target%%\?*} query=${target#"${target%%\?*}"} base=$(mktemp)
trap 'rm -f "$base"' EXIT
b64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
x=$(openssl pkey -in "$ASHLAR_PEM" -pubout -outform DER | tail -c 32 | b64url)
keyid=$(printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$x" | openssl dgst -sha256 -binary | b64url)
digest="sha-256=:$(printf %s "$body" | openssl dgst -sha256 -binary | openssl base64 -A):"
params="(\"@method\" \"@authority\" \"@path\" \"@query\" \"idempotency-key\"${body:+ \"content-type\" \"content-digest\"});created=$(date +%s);keyid=\"$keyid\";nonce=\"$(openssl rand -hex 16)\";tag=\"ashlar\""
printf '"@method": %s\n"@authority": %s\n"@path": %s\n"@query": %s\n"idempotency-key": %s\n%s"@signature-params": %s' \
  "$method" "${authority,,}" "$path" "${query:-?}" "$key" \
  "${body:+\"content-type\": application/json$'\n'\"content-digest\": $digest$'\n'}" "$params" > "$base"
signature=$(openssl pkeyutl -sign -rawin -inkey "$ASHLAR_PEM" -in "$base" | openssl base64 -A)
curl -sS -g --path-as-is -X "$method" -H @<(printf 'Authorization: Bearer %s' "$ASHLAR_API_KEY") -H "Idempotency-Key: $key" \
  -H "Signature-Input: sig=$params" -H "Signature: sig=:$signature:" \
  ${body:+-H "Content-Type: application/json" -H "Content-Digest: $digest" --data-raw "$body"} "$url"
