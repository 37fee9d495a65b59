#!/bin/sh
# The main job from end to end: train an agent under MOSAIC, see what was recorded, play an episode again and check it;
# then, where there is a screen, watch a training live in the desktop until its window is closed.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PWD/${VENV:-.venv}/bin:$PATH"
export MOSAIC_HOME="${DEMO_HOME:-$PWD/build/demo}"
mkdir -p "$MOSAIC_HOME" && chmod 700 "$MOSAIC_HOME"
trap 'mosaic daemon stop >/dev/null 2>&1 || true' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

say mosaic train tabular/q_learning FrozenLake-v1 --seed 1 --steps 5000 --name demo --tag kind=demo env.is_slippery=false
say mosaic show last
say mosaic episodes last -n 5
say mosaic verify last
say mosaic replay last --episode 399 --verify
say mosaic replay last --episode 399 --gif "$MOSAIC_HOME/episode-399.gif"
say mosaic eval last --episodes 5 --seed 7

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  live=$(mosaic run --name live --tag kind=demo --detach -- python examples/q_learning.py --episodes 100000000 --slippery)
  trap 'mosaic stop "$live" >/dev/null 2>&1 || true; mosaic daemon stop >/dev/null 2>&1 || true' EXIT
  say mosaic ui "$live"
fi
printf '\nThe runs are in %s; look around with: MOSAIC_HOME=%s mosaic ui\n' "$MOSAIC_HOME" "$MOSAIC_HOME"
