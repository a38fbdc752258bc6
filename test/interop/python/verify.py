#!/usr/bin/env python3
"""Verifier of evidence of a log, written from docs/formats.md alone:
  verify.py FILE --policy FILE [--log FOLDER] [--body FILE] [--now MS]
"""
import argparse, base64, hashlib, json, os, re, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MAX = 2**53 - 1
MAX_LINE = 16_777_216
EXIT = {"WRONG": 1, "LATE": 6, "MISSING": 6, "NO PROOF": 5, "ok": 0}

class Bad(Exception): pass  # what was read is not what it has to be
class NoJson(Bad): pass  # perhaps the line was cut off
class LogBad(Exception): pass  # the log does not answer as a log: exit 4

def read(name):
    with open(name, "rb") as f: return f.read()
def sha(data): return hashlib.sha256(data).digest()
def need(condition, why):
    if not condition: raise Bad(why)
def unbase64(text):
    """Standard, padded, and exactly what encoding its bytes gives."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
        need(base64.b64encode(data).decode() == text, "base64 in another spelling")
        return data
    except ValueError: raise Bad("no base64")
def decimal(text, low=0):
    need(re.fullmatch(r"0|[1-9][0-9]{0,15}", text) and low <= int(text) <= MAX, f"no number: {text[:20]!r}")
    return int(text)

class Pairs(list): pass  # a JSON object: names can be there twice
def no_constant(name): raise ValueError(name)
def parse_json(text):
    try:
        return json.loads(text, object_pairs_hook=Pairs, parse_constant=no_constant,
                          parse_int=lambda s: int(s) if len(s) < 300 else float(s))
    except (ValueError, RecursionError) as e: raise Bad(f"no JSON: {e}")
def stringify(value):
    """As JSON.stringify spells it (for texts, whole numbers, lists and dicts of them)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", text)
def has_half_pair(text): return re.search("[\ud800-\udfff]", text) is not None
def whole(value):
    """The whole number that a JSON number is, in any spelling; None if it is none."""
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    return value if type(value) is int and 0 <= value <= MAX else None

class Key:
    def __init__(self, text, kind):
        self.name, self.id, data, *_ = text.split("+", 2) + ["", ""]
        data = unbase64(data)
        need(is_name(self.name) and len(data) == 33 and data[0] == kind, "no verifier key of this type")
        need(sha(self.name.encode() + b"\n" + data)[:4].hex() == self.id, "the id of the key is wrong")
        self.kind, self.public = kind, Ed25519PublicKey.from_public_bytes(data[1:])
    def check(self, text, signature):
        """The time in ms of a cosignature, else 0; Bad if it does not verify."""
        seconds = 0
        if self.kind == 4:
            need(len(signature) == 72, "a cosignature has another length")
            seconds, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            need(0 < seconds <= 8_640_000_000_000, "a cosignature has no time")
            text = f"cosignature/v1\ntime {seconds}\n{text}"
        try:
            need(len(signature) == 64, "a signature has another length")
            self.public.verify(signature, text.encode())
        except InvalidSignature: raise Bad(f"the signature of {self.name} does not verify")
        return seconds * 1000
def is_name(text): return text and "+" not in text and not any(c.isspace() for c in text)

class Note:
    def __init__(self, note):
        need(isinstance(note, str), "a note is a text")
        need(not re.search("[\x00-\x09\x0b-\x1f]", note) and not has_half_pair(note), "characters that no note has")
        at = note.rfind("\n\n")
        need(at >= 0 and note.endswith("\n"), "no signed note")
        self.text, rest = note[:at + 1], note[at + 2:]
        need(1 <= rest.count("\n") <= 100, "a note has 1 to 100 signatures")
        self.signatures = []
        for line in rest.split("\n")[:-1]:
            dash, name, data, *more = line.split(" ") + ["", ""]
            need(dash == "\u2014" and is_name(name) and more == ["", ""], "no signature line")
            data = unbase64(data)
            need(len(data) >= 5, "a signature is too short")
            self.signatures.append((name, data[:4].hex(), data[4:]))
        self.lines = self.text.split("\n")[:-1]
    def verify(self, keys):
        """[(key, time)] of the known keys that signed; Bad if one of them does not verify."""
        return [(key, key.check(self.text, signature)) for name, id, signature in self.signatures
                for key in keys if (key.name, key.id) == (name, id)]

class Receipt:
    def __init__(self, value):
        need(isinstance(value, str), "a receipt is a text")
        try:
            if "\n" not in value: value = unbase64(value).decode("utf-8")
        except UnicodeDecodeError: raise Bad("the receipt is not UTF-8")
        self.note = Note(value)
        lines = self.note.lines
        need(len(lines) == 8 and lines[0] == "ai-log-receipt/v1", "not the text of a receipt")
        _, self.origin, self.uid, self.id, time, self.body, hash, deadline = lines
        need(all(re.fullmatch(r"\S+", x) for x in (self.origin, self.uid)), "the origin or the UID of the receipt")
        need(re.fullmatch("[0-9]{13}-[0-9a-f]{32}", self.id), "the entry id of the receipt")
        need(all(re.fullmatch("[0-9a-f]{64}", x) for x in (self.body, hash)), "a hash of the receipt")
        self.time, self.deadline, self.hash = decimal(time), decimal(deadline), bytes.fromhex(hash)
    def holds(self, keys):
        signed = self.note.verify(keys)
        if not any(key.name == self.origin + "/receipts" for key, _ in signed): return False
        rule5(self.id, self.time)
        return True

class Checkpoint:
    """holds: a log key signed it; quorum: enough witnesses did."""
    def __init__(self, value, policy):
        note = Note(value)
        need(len(note.lines) >= 3 and "" not in note.lines, "not the text of a checkpoint")
        self.origin, self.size, self.root = note.lines[0], decimal(note.lines[1]), unbase64(note.lines[2])
        need(len(self.root) == 32, "the root is no hash")
        signed = note.verify(policy.logs + list(policy.witnesses.values()))
        self.holds = any(key.kind == 1 and key.name == self.origin for key, _ in signed)
        times = []
        for name in policy.members:
            mine = [time for key, time in signed if key is policy.witnesses[name]]
            times += [min(mine)] if mine else []
        self.quorum = len(times) >= policy.needed
        self.seen_by = sorted(times)[policy.needed - 1] if policy.needed and self.quorum else None

def receipt_key(value, policy):
    """(key, whether the note holds)"""
    note = Note(value)
    need(len(note.lines) == 5 and note.lines[0] == "ai-log-receipt-key/v1", "not the text of a receipt-key note")
    _, origin, number, key, since = note.lines
    decimal(number, 1), decimal(since)
    key = Key(key, 1)
    need(key.name == origin + "/receipts", "the key has another name")
    return key, any(signer.name == origin for signer, _ in note.verify(policy.logs))

class Policy:
    def __init__(self, text):
        self.logs, self.receipts, self.witnesses = [], [], {}
        quorums, quorum = {"none": (0, [])}, None  # name: how many must have cosigned, of whom
        for line in text.split("\n"):
            words = [w for w in re.split("[ \t]+", line) if w]
            kind, size = words[0] if words else "", len(words)
            if words[:2] == ["#", "receipts"] and size == 3:
                self.receipts.append(Key(words[2], 1))
            elif not words or line.startswith("#"):
                continue
            elif kind == "log" and size in (2, 3):
                self.logs.append(Key(words[1], 1))
            elif kind == "witness" and size in (3, 4) and words[1] not in quorums:
                self.witnesses[words[1]] = Key(words[2], 4)
                quorums[words[1]] = 1, [words[1]]
            elif kind == "group" and size > 3 and words[1] not in quorums and len(quorums) == len(self.witnesses) + 1:
                members = words[3:]
                k = {"all": len(members), "any": 1}.get(words[2]) or decimal(words[2], 1)
                need(len(set(members)) == len(members) >= k and set(members) <= set(self.witnesses), "members of a group")
                quorums[words[1]] = k, members
            elif kind == "quorum" and size == 2 and quorum is None and words[1] in quorums:
                quorum = quorums[words[1]]
            else:
                raise Bad(f"a line of the policy: {line[:60]!r}")
        need(quorum, "a policy has a quorum")
        self.needed, self.members = quorum
def rule5(id, time):
    need(re.match("[0-9]{13}", id) and abs(time - int(id[:13])) <= 30_000, "the time is too far from the entry id")

class Entry:
    def __init__(self, text):
        need(isinstance(text, str), "an entry is a text")
        values = parse_json(text)
        need(type(values) is list and len(values) == 11, "an entry has 11 values")
        for i, v in enumerate(values):
            need(type(v) is int and 0 <= v <= MAX if i in (2, 10) else type(v) is str, "a value of another type")
        need(stringify(values) == text, "the entry is spelt otherwise")
        self.uid, self.id, self.time, key, stamp, signature, *_, self.body, self.length = values
        need(self.id == f"{stamp}-{sha(stringify([key, stamp, signature]).encode())[:16].hex()}", "the entry id is wrong")
        rule5(self.id, self.time)
        self.hash = sha(b"ai-log-entry/v1\n" + text.encode())
def split(n): return 1 << (n - 1).bit_length() - 1  # the largest power of two below n

def root_of(index, size, hash, proof):
    need(index < size and (size == 1) == (not proof), "the proof does not fit the index and the size")
    if size == 1: return hash
    k = split(size)
    if index < k: return sha(b"\1" + root_of(index, k, hash, proof[:-1]) + proof[-1])
    return sha(b"\1" + proof[-1] + root_of(index - k, size - k, hash, proof[:-1]))

def insert_order(data, order):
    try:
        text = data.decode("utf-8")
        need(isinstance(parse_json(text), Pairs), "no object")
    except (UnicodeDecodeError, Bad): return data
    decoder, found = json.JSONDecoder(parse_int=float), []
    skip = lambda i: re.compile(r"[ \t\r\n]*").match(text, i).end()
    first = i = skip(0) + 1
    while text[skip(i)] != "}":  # a member after the other, to know where its value is
        name, i = decoder.raw_decode(text, skip(i))
        start = skip(skip(i) + 1)
        _, end = decoder.raw_decode(text, start)
        i = skip(end) + (text[skip(end)] == ",")
        if name == "orderId": found.append((start, end))
    if not found: return (text[:first] + f'"orderId":{order},' + text[first:]).encode()
    start, end = found[-1]
    if text[start:end].strip('"') in ("null", "", "0", order) and text[start:end] != '"null"':
        return (text[:start] + order + text[end:]).encode()
    return data

def merkle(leaves):
    if len(leaves) < 2: return leaves[0] if leaves else sha(b"")
    k = split(len(leaves))
    return sha(b"\1" + merkle(leaves[:k]) + merkle(leaves[k:]))

class Log:
    def __init__(self, folder, policy):
        self.folder, self.commits = folder, []
        last = {"n": 0, "time": 0, "cursor": 0, "looked": 0, "to": [0, sha(b"")]}
        try:
            self.checkpoint = Checkpoint(self.read("checkpoint").decode(), policy)
            need(self.checkpoint.holds, "no known key signed the checkpoint of the log")
            while data := self.read(f"commits/{last['n'] + 1:010}", True):
                last = self.commit(data.decode(), last)
                if last["to"][0] > self.checkpoint.size: break
                self.commits.append(last)
        except (Bad, UnicodeDecodeError, KeyError, TypeError, ValueError) as e: raise LogBad(f"not as a log: {e!r}")
    def read(self, name, optional=False):
        try: return read(os.path.join(self.folder, name))
        except OSError:
            if not optional: raise LogBad(f"the log has no {name}")
    def commit(self, text, before):
        c = dict(parse_json(text))
        c.update((side, dict(c[side])) for side in ("from", "to"))
        need(stringify(c) == text, "a commit is spelt otherwise")
        c.update((side, [c[side]["size"], unbase64(c[side]["root"])]) for side in ("from", "to"))
        entries = unbase64(c["entries"])
        need(c["version"] == 1 and c["origin"] == self.checkpoint.origin and c["n"] == before["n"] + 1
             and c["from"] == before["to"] and len(entries) == 32 * (c["to"][0] - c["from"][0]) <= 32 * 8192
             and all(whole(c[k]) is not None and c[k] >= before[k] for k in ("time", "cursor", "looked")),
             f"commit {c['n']} does not follow")
        c["entries"] = [entries[i:i + 32] for i in range(0, len(entries), 32)]
        return c
    def look_up(self, hash, time, deadline):
        """The commit that has the entry, or None; Bad if the files contradict each other."""
        for name, enough in ("cursor", lambda x: x >= deadline + 600_000), ("looked", lambda x: x > time):
            for commit in self.commits:
                if commit[name] < time: continue
                if hash in commit["entries"]:
                    index, top = commit["from"][0] + commit["entries"].index(hash), self.checkpoint
                    need(self.root(index, hash, 0, top.size) == top.root, "the files of the log contradict each other")
                    return commit
                if enough(commit[name]): break
        return None
    def lacks(self, hash):
        """True if the tree that the log signed does not have the entry either: nobody signs commits."""
        size = self.checkpoint.size
        tiles = [self.tile(0, at) for at in range((size + 255) // 256)]
        leaves = [tile[i:i + 32] for tile in tiles for i in range(0, len(tile), 32)]
        return merkle(leaves) == self.checkpoint.root and sha(b"\0" + hash) not in leaves
    def root(self, index, hash, low, high):
        """The root of the tiles, but with this leaf at index."""
        if not low <= index < high: return self.tree(low, high)
        if high - low == 1: return sha(b"\0" + hash)
        k = low + split(high - low)
        return sha(b"\1" + self.root(index, hash, low, k) + self.root(index, hash, k, high))
    def tree(self, low, high):
        n = high - low
        if n & (n - 1):
            k = low + split(n)
            return sha(b"\1" + self.tree(low, k) + self.tree(k, high))
        level, bits = divmod(n.bit_length() - 1, 8)
        start, count = low >> 8 * level, 1 << bits
        tile = self.tile(level, start // 256)
        hashes = [tile[32 * i:32 * i + 32] for i in range(start % 256, start % 256 + count)]
        while len(hashes) > 1:
            hashes = [sha(b"\1" + hashes[i] + hashes[i + 1]) for i in range(0, len(hashes), 2)]
        return hashes[0]
    def tile(self, level, index):
        digits = f"{index:0{(len(str(index)) + 2) // 3 * 3}}"
        path = f"tile/{level}/" + re.sub("(...)(?=.)", r"x\1/", digits)
        width = min(256, (self.checkpoint.size >> 8 * level) - 256 * index)
        data = self.read(f"{path}.p/{width}", True) if width < 256 else None
        if data is None: data, width = self.read(path), 256
        if len(data) != 32 * width: raise LogBad(f"{path} has another length")
        return data

class Evidence:
    def __init__(self, file, policy, log=None, body=None):
        self.file, self.policy, self.log, self.body = file, policy, log, body
        self.receipt_keys, self.checkpoint = list(policy.receipts), None
        self.open, self.count, self.ids = {}, 0, []
    def words(self):
        """Yields (number of the line, word, why)."""
        with open(self.file, "rb") as f:
            for self.number, raw in enumerate(f, 1):
                ended = raw.endswith(b"\n")
                raw = raw[:-1] if ended else raw
                if self.number == 1: raw = raw.removeprefix(b"\xef\xbb\xbf")
                raw = raw.strip(b" \t\r")
                said = raw and self.line(raw, ended)
                if said: yield self.number, *said
        for at in self.open.values():
            yield at, "NO PROOF", "the upload has no receipt"
    def line(self, raw, ended):
        self.count += 1
        try:
            line = self.members(raw)
        except Bad as e:
            cut_off = not ended and raw[:1] in (b"{", b"\0") and isinstance(e, NoJson)
            return ("NO PROOF", "the line was cut off") if cut_off else ("WRONG", str(e))
        present = {k: v for k, v in line.items() if v is not None and (v != "" or k == "body")}
        is_entry = "entry" in present or "receipt" in present
        kinds = is_entry + sum(k in present for k in ("checkpoint", "receipt-keys", "end"))
        try:
            if "checkpoint" in present: return self.on_checkpoint(line["checkpoint"], kinds > 1)
            if "receipt-keys" in present: return self.on_receipt_keys(line["receipt-keys"], kinds > 1)
            if "end" in present: return self.on_end(line["end"], kinds > 1)
        except Bad as e: return "WRONG", str(e)
        if is_entry: return self.on_entry(present)
        if "state" in present:
            self.open.setdefault(self.upload(present), self.number)
            return None
        return "WRONG", "no member says what the line is"
    def members(self, raw):
        try:
            text = raw.decode("utf-8")
            pairs = parse_json(text) if text[0] == "{" else [("receipt", text)]
            if text[0] == "\0": raise Bad("no line")
        except (UnicodeDecodeError, Bad) as e: raise NoJson(str(e))
        line = dict(pairs)
        need(len(raw) <= MAX_LINE, "the line is too long")
        need(len(line) == len(pairs), "a member is there twice")
        need(not any(isinstance(v, str) and has_half_pair(v) for v in line.values()), "half of a surrogate pair")
        return line
    def on_checkpoint(self, value, both):
        self.count -= 1
        self.checkpoint = None
        need(not both, "two kinds in one line")
        checkpoint = Checkpoint(value, self.policy)
        if not checkpoint.holds: return "NO PROOF", "no known key signed the checkpoint"
        if not checkpoint.quorum: return "NO PROOF", "too few witnesses cosigned the checkpoint"
        self.checkpoint = checkpoint
        return "ok", f"checkpoint of {checkpoint.size} entries, seen by {checkpoint.seen_by}"
    def on_receipt_keys(self, value, both):
        self.count -= 1
        need(not both, "two kinds in one line")
        key, holds = receipt_key(value, self.policy)
        if not holds: return "NO PROOF", "no known key signed the receipt key"
        self.receipt_keys.append(key)
        return "ok", "receipt key"
    def on_end(self, value, both):
        count, ids = self.count - 1, self.ids
        self.count, self.ids = 0, []
        need(not both, "two kinds in one line")
        need(whole(value) == count, f"{count} lines before the end")
        need(all(a < b for a, b in zip(ids, ids[1:])), "the entry ids do not ascend")
        return "ok", f"end of {count} lines"
    @staticmethod
    def upload(line):
        names = ("url", "file") if isinstance(line.get("file"), str) else ("timestamp", "sign")
        return json.dumps([names, [line.get(n) for n in names]])
    def on_entry(self, line):
        wrong = []
        def tried(check, *values):
            try: return check(*values)
            except Bad as e: wrong.append(str(e))
        if "receipt" in line: self.open.pop(self.upload(line), None)
        entry = tried(Entry, line["entry"]) if "entry" in line else None
        receipt = tried(Receipt, line["receipt"]) if "receipt" in line else None
        holds = receipt and tried(receipt.holds, self.receipt_keys)
        known = entry or (receipt if holds else None)
        if known:
            self.ids.append(known.id)
            tried(self.check_ids, line, known, entry, receipt if holds else known)
        tried(self.check_body, line, known, entry)
        proved = "index" in line or "proof" in line
        if proved: tried(self.check_proof, line.get("index"), line.get("proof"), known)
        checkpoint = self.checkpoint if proved else None
        if proved and holds and self.checkpoint and receipt.origin != self.checkpoint.origin:
            wrong.append("receipt and checkpoint are of different logs")
        if wrong: return "WRONG", "; ".join(wrong)
        if receipt and not holds: return "NO PROOF", "no known key signed the receipt"
        if self.log and known: return self.ask_log(known, receipt, checkpoint)
        if proved and not checkpoint: return "NO PROOF", "no checkpoint for the proof"
        if not receipt and not proved: return "NO PROOF", "neither receipt nor proof"
        return "ok", " and ".join(["receipt"] * bool(receipt) + ["proof"] * proved)
    @staticmethod
    def check_ids(line, known, entry, receipt):
        for name in "uid", "id", "time", "body", "hash":
            need(not entry or getattr(entry, name) == getattr(receipt, name), f"entry and receipt differ: {name}")
        for name in "entryId", "id":
            need(name not in line or line[name] == known.id, f"{name} is another one")
    def check_body(self, line, known, entry):
        for name in "body", "file", "order":
            need(isinstance(line.get(name, ""), str), f"{name} is no text")
        need(re.fullmatch("[0-9]*", line.get("order", "")), "order is no number")
        body = self.body
        if body is None and "body" in line:
            body = line["body"].encode()
        elif body is None and "file" in line and not re.search(r"[/\\]", line["file"]):
            try:
                body = read(os.path.join(os.path.dirname(self.file), line["file"]))
            except (OSError, ValueError): return
            body = insert_order(body, line["order"]) if "order" in line else body
        if known and body is not None:
            need(sha(body).hex() == known.body, "the body has another hash")
            need(not entry or len(body) == entry.length, "the body has another length")
    def check_proof(self, index, proof, known):
        index = whole(index)
        need(index is not None and type(proof) is list and len(proof) <= 63, "no index and proof")
        need(all(isinstance(x, str) for x in proof), "no proof")
        proof = [unbase64(x) for x in proof]
        need(all(len(x) == 32 for x in proof), "no hash in the proof")
        if self.checkpoint and known:
            root = root_of(index, self.checkpoint.size, sha(b"\0" + known.hash), proof)
            need(root == self.checkpoint.root, "the proof does not lead to the checkpoint")
    def ask_log(self, known, receipt, checkpoint):
        log = self.log
        if any(x and x.origin != log.checkpoint.origin for x in (receipt, checkpoint)):
            return "NO PROOF", "the line is of another log"
        deadline = receipt.deadline if receipt else known.time + 600_000
        try:
            commit = log.look_up(known.hash, known.time, deadline)
        except Bad as e: return "WRONG", str(e)
        too_early = not receipt and known.time < log.commits[0]["time"]
        if commit and commit["time"] > deadline and not too_early: return "LATE", f"by {commit['time'] - deadline} ms"
        if commit and not log.checkpoint.quorum:
            return "NO PROOF", "too few witnesses cosigned the checkpoint of the log"
        if commit: return "ok", f"in the log, commit {commit['n']}"
        if receipt and log.commits and log.commits[-1]["cursor"] >= deadline:
            if not log.lacks(known.hash): return "NO PROOF", "the commits are not those of the signed tree"
            return "MISSING", f"the log passed the deadline {deadline} without it"
        return "NO PROOF", "not in the log yet, or nobody promised it"
def exit_code(words):
    words = set(words)
    return next((EXIT[w] for w in EXIT if w in words), 5)

def run(file, policy, log=None, body=None):
    """Yields (number of the line, word, why). Bad and OSError: exit 2, LogBad: exit 4."""
    policy = Policy(read(policy).decode())
    return Evidence(file, policy, Log(log, policy) if log else None, read(body) if body else None).words()

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--policy", required=True)
    for option in "--log", "--body", "--now": parser.add_argument(option)
    args = parser.parse_args()
    said = []
    try:
        for number, word, why in run(args.file, args.policy, args.log, args.body):
            print(f"{number}: {word}: {why}")
            said.append(word)
    except LogBad as e:
        print(f"the log: {e}", file=sys.stderr)
        return 4
    except (OSError, Bad, UnicodeDecodeError) as e:
        print(f"cannot be used: {e}", file=sys.stderr)
        return 2
    return exit_code(said)

if __name__ == "__main__": sys.exit(main())
