"""Uploads AI logs: signs their bytes, sends the identical request again while that is safe, and keeps what proves them.

Command: python3 ailog_upload.py log.json ...     Module: line = ailog_upload.upload(body), then look at line["state"]
Needs Python 3.8 and no packages; AILOG_URL, AILOG_ACCESS_KEY, AILOG_SECRET and AILOG_PASSPHRASE in the environment.
"""
import base64, contextlib, hashlib, hmac, http.client, json, os, re, socket, sys, threading, time, urllib.parse

PATH = "/capi/v2/order/uploadAiLog"
ATTEMPT_S = 8  # An answer that takes longer counts as lost.
LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")  # Plain HTTP shows the passphrase on any other way.
REFUSED = {401, 403, 404, 405, 407, 413, 414, 421, *range(300, 400)}  # Whoever says so has not passed the request on.
WINDOW_S = 26  # For 30 s, the service stores the identical request once, however often it is sent.


class NotConnected(OSError):
    """The service has got nothing."""


def send(url, body, headers, seconds):
    """Sends one request. Returns status, headers and text. Raises an error if that takes longer than `seconds`."""
    def stop():
        late.set()
        with contextlib.suppress(OSError):
            socket.socket.shutdown(connected, socket.SHUT_RDWR)

    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection, timer = kind(url.netloc, timeout=seconds), threading.Timer(seconds, stop)
    late = threading.Event()
    try:
        try:
            connection.connect()
        except OSError as error:
            raise NotConnected(f"no connection: {error}") from error
        connected = connection.sock
        timer.start()  # The timeout of a connection starts anew with each byte that arrives.
        connection.request("POST", url.path.rstrip("/") + PATH, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        if late.is_set() or isinstance(error, socket.timeout):
            raise OSError(f"no answer within {ATTEMPT_S} s") from error
        raise
    finally:
        timer.cancel()
        connection.close()


def upload(body, keep="ailog-kept.jsonl"):
    """Uploads the bytes of a log, and keeps one line before it is sent and one with the result, which it returns.

    The state is "stored", "not stored", or "unknown": then ask the organisers, who find the log by its timestamp.
    Keep "receipt", the proof of the upload. "warning" says what is probably wrong with a log that is stored.
    """
    env, timestamp = os.environ, str(time.time_ns() // 1_000_000)
    for name in ("AILOG_URL", "AILOG_ACCESS_KEY", "AILOG_SECRET", "AILOG_PASSPHRASE"):
        if not re.fullmatch(r"[!-~]([ -~]*[!-~])?", env.get(name, "")):
            raise ValueError(f"{name} must be set, in ASCII, without spaces at its ends")
    url = urllib.parse.urlsplit(env["AILOG_URL"])
    if url.scheme != "https" and not (url.scheme == "http" and LOOPBACK.fullmatch(url.hostname or "")):
        raise ValueError("AILOG_URL must start with https: anything else would send the passphrase unencrypted")
    if not re.fullmatch(r"(\[[\da-fA-F:.]+\]|[^@ :\[\]]+)(:\d{1,5})?", url.netloc) or url.query or url.fragment:
        raise ValueError("AILOG_URL must be as https://api.example.com, with a path or not")
    mac = hmac.new(env["AILOG_SECRET"].encode(), (timestamp + "POST" + PATH).encode() + body, hashlib.sha256)
    headers = {"ACCESS-KEY": env["AILOG_ACCESS_KEY"], "ACCESS-PASSPHRASE": env["AILOG_PASSPHRASE"],
               "ACCESS-TIMESTAMP": timestamp, "ACCESS-SIGN": base64.b64encode(mac.digest()).decode(),
               "Content-Type": "application/json", "locale": "en-US"}
    line = {"state": "sending", "timestamp": timestamp, "sign": headers["ACCESS-SIGN"], "body": body.decode()}
    end, wait, failure, tries = time.monotonic() + WINDOW_S, 1, "not stored", 0
    with open(keep, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as kept:
        kept.write(json.dumps(line).encode() + b"\n")
        kept.flush()  # Before anything is sent. If this program ends then, the line says what was sent.
        while line["state"] == "sending":
            tries, may_be_stored = tries + 1, True
            try:
                status, answered, text = send(url, body, headers, max(0.1, min(ATTEMPT_S, end - time.monotonic())))
            except (OSError, http.client.HTTPException) as error:
                status, answered, text = 0, {}, f"{error}, {tries} tries"
                may_be_stored = not isinstance(error, NotConnected)
            line.update(status=status, answer=text, id=answered.get("AI-LOG-ID"),
                        receipt=answered.get("AI-LOG-RECEIPT"), warning=answered.get("AI-LOG-WARNING"))
            after = answered.get("Retry-After", "")
            pause, wait = max(wait, float(after) if after.isdecimal() else 0), wait * 2
            refused = status in REFUSED or (400 <= status < 500 and re.search(r'"code"\s*:\s*"', text))
            failure = failure if refused or not may_be_stored else "unknown"
            if status == 200 and re.search(r'"code"\s*:\s*"00000"', text):
                line["state"] = "stored"
            elif (refused and status != 429) or time.monotonic() + pause >= end:
                line["state"] = failure
            else:
                time.sleep(pause)
        kept.write(json.dumps(line).encode() + b"\n")
    return line


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("usage: python3 ailog_upload.py log.json ...")
    failed = 0
    for name in sys.argv[1:]:
        try:
            result = upload(open(name, "rb").read())
        except (OSError, ValueError) as problem:
            print(f"{name}: not sent: {problem}", file=sys.stderr)
            failed = 1
            continue
        print(f"{name}: {result['state']}, HTTP {result['status']}, {result['warning'] or result['answer']}")
        failed |= result["state"] != "stored"
    sys.exit(failed)
