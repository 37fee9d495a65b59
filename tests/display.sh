#!/bin/sh
# What windows need to be tested on a machine without a screen: Xvfb, Qt's libraries, a font. Installs what is
# missing with apt-get and touches nothing, not even the network, when all is there.
set -eu

missing=""
need() { # need PACKAGE LIBRARY
  ldconfig -p 2>/dev/null | grep -q "$2" || missing="$missing $1"
}

command -v Xvfb >/dev/null || missing="$missing xvfb"
need libegl1 libEGL.so.1
need libgl1 libGL.so.1
need libglib2.0-0 libglib-2.0.so.0
need libdbus-1-3 libdbus-1.so.3
need libfontconfig1 libfontconfig.so.1
need libfreetype6 libfreetype.so.6
need libxkbcommon0 libxkbcommon.so.0
need libxkbcommon-x11-0 libxkbcommon-x11.so.0
need libxcb-cursor0 libxcb-cursor.so.0
need libxcb-icccm4 libxcb-icccm.so.4
need libxcb-keysyms1 libxcb-keysyms.so.1
need libxcb-shape0 libxcb-shape.so.0
need libxcb-image0 libxcb-image.so.0
need libxcb-render-util0 libxcb-render-util.so.0
[ -d /usr/share/fonts/truetype/dejavu ] || [ -n "$(find /usr/share/fonts -name '*.[ot]tf' 2>/dev/null | head -n 1)" ] \
  || missing="$missing fonts-dejavu-core"

[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
  echo "windows cannot be tested here without:$missing (names as in Debian)" >&2
  exit 0
fi
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
$as_root apt-get update -qq
# shellcheck disable=SC2086  (a list of words)
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
