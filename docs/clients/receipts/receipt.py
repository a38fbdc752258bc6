"""Checks receipt.txt against log.json and AILOG_RECEIPT_KEY: see "Receipts" in clients.md. Needs Python 3.8 and the package cryptography."""
import base64, hashlib, os, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

name, key_id, key = os.environ["AILOG_RECEIPT_KEY"].split("+", 2)
public_key = Ed25519PublicKey.from_public_bytes(base64.b64decode(key)[1:])  # the first byte is the type, Ed25519
note = base64.b64decode(open("receipt.txt").read()).decode()
text, _, signatures = note.rpartition("\n\n")
text += "\n"
signed = False
for line in signatures.splitlines():
    _, signer, signature = line.split(" ")
    signature = base64.b64decode(signature)
    if signer == name and signature[:4].hex() == key_id:
        try:
            public_key.verify(signature[4:], text.encode())
            signed = True
        except InvalidSignature:
            pass
digest = hashlib.sha256(open("log.json", "rb").read()).hexdigest()
is_receipt = text.startswith("ai-log-receipt/v1\n" + name[: -len("/receipts")] + "\n")
print(text)
sys.exit(0 if signed and is_receipt and text.split("\n")[5] == digest else 1)
