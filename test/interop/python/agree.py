#!/usr/bin/env python3
"""agree.py FOLDER: runs verify.py over every vector of FOLDER/words.json; exit 1 on a disagreement."""
import json, os, sys
import verify


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "words.json"), encoding="utf-8") as f:
        vectors = json.load(f)
    known = {"words", "exitCode", "policy", "log"}
    agreed = 0
    for name, vector in vectors.items():
        at = lambda file: os.path.join(folder, "files", file)
        assert set(vector) <= known, f"{name}: unknown member {set(vector) - known}"
        try:
            lines = list(verify.run(at(name), at(vector["policy"]), at(vector["log"]) if "log" in vector else None))
            words = [word for _, word, _ in lines]
            got = words, verify.exit_code(words)
        except Exception as e:
            lines, got = [], (f"{type(e).__name__}: {e}", None)
        if got == (vector["words"], vector["exitCode"]):
            agreed += 1
        else:
            print(f"{name}: expected {vector['words']} {vector['exitCode']}, got {got[0]} {got[1]}")
            for line in lines:
                print("   ", *line)
    print(f"{agreed} of {len(vectors)} vectors agree")
    return 0 if agreed == len(vectors) else 1


if __name__ == "__main__":
    sys.exit(main())
