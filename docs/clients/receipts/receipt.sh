# Checks receipt.txt against log.json and AILOG_RECEIPT_KEY: see "Receipts" in clients.md. Needs bash, xxd and OpenSSL 3.
set -euo pipefail
name=${AILOG_RECEIPT_KEY%%+*}
id=${AILOG_RECEIPT_KEY#*+} key=${AILOG_RECEIPT_KEY#*+*+}   # the key is base64: it may contain + itself
id=${id%%+*}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
tr -d '[:space:]' < receipt.txt | openssl base64 -d -A > "$work/note"
sed '/^$/,$d' "$work/note" > "$work/text"   # the eight lines before the empty one
awk -v name="$name" '$1 == "—" && $2 == name { print $3; exit }' "$work/note" | openssl base64 -d -A > "$work/signature"
{ printf '302a300506032b6570032100' | xxd -r -p; openssl base64 -d -A <<< "$key" | tail -c 32; } > "$work/key"
tail -c +5 "$work/signature" > "$work/ed25519"
cat "$work/text"
[[ $(sed -n '1,2p' "$work/text") == $'ai-log-receipt/v1\n'"${name%/receipts}" ]]
[[ $(head -c 4 "$work/signature" | xxd -p) == "$id" ]]
[[ $(sed -n 6p "$work/text") == "$(openssl dgst -sha256 -r < log.json | cut -d ' ' -f 1)" ]]
openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key" -rawin -in "$work/text" -sigfile "$work/ed25519" > /dev/null
