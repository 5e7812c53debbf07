#!/bin/sh
# Google Benchmark's compare.py compares two runs of aesgate perf: AESGATE COMPARE.PY FOLDER.
set -eu
for python in /usr/bin/python3 python3; do
  "$python" -c 'import scipy' 2>/dev/null && break
  python=
done
[ -n "$python" ] || { echo "skipped: no python3 that has scipy, which compare.py needs" >&2; exit 77; }
for run in a b; do
  "$1" perf --backend sbox --mode ECB --bytes 16,64 --direction encrypt --seconds 0.001 --format benchmark \
    >"$3/compare_py_$run.json"
done
compared=$("$python" "$2" --no-color benchmarks "$3/compare_py_a.json" "$3/compare_py_b.json")
echo "$compared"
for name in sbox/ECB/encrypt/128/16 sbox/ECB/encrypt/128/64; do
  echo "$compared" | grep -q "^$name  *[-+]" || { echo "compare.py did not compare $name" >&2; exit 1; }
done
