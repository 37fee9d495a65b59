"""Records the way scripts do, with the words it was given; then tells outside the run what they really were.

Told is a hash, not the words: what is searched for secrets afterwards must not find them here.
`tells_words.py RECEIPT END words…`: END is `ends`, `crashes` (as argparse does, words and all) or `waits`.
"""

import argparse
import hashlib
import json
import os
import sys
import time

import mosaic_worker

receipt, end, *words = sys.argv[1:]
parser = argparse.ArgumentParser()
for flag in ("--api-key", "--password", "--url", "--note", "--checkpoint"):
    parser.add_argument(flag)
known, rest = parser.parse_known_args(words)
run = mosaic_worker.start()
run.config(algo="told", **vars(known), rest=rest)
run.metric("n", 1.0)
if known.checkpoint:
    with open(known.checkpoint, "wb") as file:
        file.write(b"weights")
    run.checkpoint(known.checkpoint)
told = [*words, os.environ["MY_SERVICE_TOKEN"]]
with open(receipt + ".new", "w") as file:
    json.dump([hashlib.sha256(word.encode()).hexdigest() for word in told], file)
os.rename(receipt + ".new", receipt)
if end == "crashes":
    parser.error("unrecognized arguments: " + " ".join(words[: words.index("--note")]))
while end == "waits":
    time.sleep(0.05)
