#!/bin/sh
# How the folder of a version is made: run it with that version's own code, once, and commit what it leaves.
#
#   sh tests/golden/record.sh tests/golden/0.1
#
# Everything happens under /tmp/mosaic-golden on a host called "golden" (root, or a user namespace, is needed for
# that), so that nothing in the folder names the machine or the account it was made on.
set -eu
target=$(mkdir -p "$1" && cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
base=/tmp/mosaic-golden
mkdir -p $base
rm -rf $base/checkout $base/scripts $base/home
mkdir $base/checkout $base/scripts
git -C "$source" archive "${REVISION:-HEAD}" | tar -x -C $base/checkout
make -C $base/checkout install
mkdir -m 700 $base/home
cp "$source"/tests/golden/workers/* "$source"/tests/scripts/pettingzoo_*.py "$source"/tests/scripts/gym_vector.py $base/scripts

cat > $base/record <<'END'
set -u
hostname golden
cd /tmp/mosaic-golden/scripts
mosaic="/tmp/mosaic-golden/checkout/.venv/bin/python -m mosaic"
python=/tmp/mosaic-golden/checkout/.venv/bin/python
$mosaic run --name cartpole --tag kind=golden -- $python cartpole.py
$mosaic run --name lake -- $python lake.py
$mosaic run --name vector -- $python gym_vector.py sync
$mosaic run --name turns -- $python pettingzoo_aec.py
$mosaic run --name together -- $python pettingzoo_parallel.py
$mosaic run --name shell -- sh every_kind.sh
$mosaic run --name failed -- $python fails.py
$mosaic train tabular/q_learning FrozenLake-v1 --seed 1 --steps 1500 --name trained env.is_slippery=false
$mosaic eval trained --episodes 3 --seed 7 --name judged
for run in cartpole lake vector turns together shell failed trained judged; do $mosaic verify $run; done
$mosaic ls
$mosaic daemon stop
END
env -i HOME=$base PATH=/usr/bin:/bin LANG=C.UTF-8 MOSAIC_HOME=$base/home \
  unshare --map-root-user --user --uts sh $base/record

# What belongs to the running daemon, the copy of the worker package, and SQLite's scratch files are not data.
rm -rf $base/home/daemon $base/home/worker $base/home/envs
find $base/home -name '*.sqlite-*' -delete
rm -f "$target"/root.zip
(cd $base/home && "$base/checkout/.venv/bin/python" -m zipfile -c "$target/root.zip" .)
