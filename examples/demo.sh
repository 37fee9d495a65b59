#!/bin/sh
# The main job from end to end: train a small agent under MOSAIC, look at what was recorded, prove it is all there.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PWD/${VENV:-.venv}/bin:$PATH"
export MOSAIC_HOME="${DEMO_HOME:-$PWD/build/demo}"
mkdir -p "$MOSAIC_HOME" && chmod 700 "$MOSAIC_HOME"
trap 'mosaic daemon stop >/dev/null 2>&1 || true' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

say mosaic run --name demo --tag kind=demo -- python examples/q_learning.py --episodes 400
say mosaic show last
say mosaic episodes last -n 5
say mosaic steps last 399
say mosaic verify last
say mosaic replay last --episode 399 --verify
say mosaic replay last --episode 399 --gif "$MOSAIC_HOME/episode-399.gif"
printf '\nThe run is in %s; look around with: MOSAIC_HOME=%s mosaic ls\n' "$MOSAIC_HOME" "$MOSAIC_HOME"
