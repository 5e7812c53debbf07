#!/usr/bin/env bash
# run_bounded.sh BUILD_DIR RUNS: runs each libFuzzer target of a build with AESGATE_FUZZ on its seeds and that many inputs
# more. Any finding is exit status 1, with its files in BUILD_DIR/fuzz/findings. FUZZ_SEED is libFuzzer's seed: 1 unless
# set, so that two runs on one build do the same.
set -euo pipefail

if [[ $# -ne 2 || ! $2 =~ ^[0-9]+$ ]]; then
  echo "usage: $0 BUILD_DIR RUNS" >&2
  exit 2
fi
source_dir=$(cd "$(dirname "$0")" && pwd)
build_dir=$(cd "$1" && pwd)/fuzz
runs=$2
findings=$build_dir/findings
mkdir -p "$findings"

run() {
  local target=$1
  shift
  local program=$build_dir/fuzz_$target new=$build_dir/new/$target log=$build_dir/$target.log
  if [[ ! -x $program || ! -d $build_dir/corpus/$target ]]; then
    echo "$program or its corpus is not built: cmake --workflow --preset fuzz" >&2
    exit 2
  fi
  rm -rf "$new"
  mkdir -p "$new"
  local from=$EPOCHREALTIME
  # New inputs go into the first folder; the seeds stay as they were made.
  if ! "$program" -runs="$runs" -seed="${FUZZ_SEED:-1}" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -print_funcs=0 \
    -artifact_prefix="$findings/" "$@" "$new" "$build_dir/corpus/$target" >"$log" 2>&1; then
    cat "$log" >&2
    echo "fuzz_$target: a finding, in $findings" >&2
    return 1
  fi
  local executed per_second
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  # libFuzzer's own rate counts whole seconds, and is 0 for a short run.
  per_second=$(awk -v from="$from" -v to="$EPOCHREALTIME" -v n="${executed:-0}" 'BEGIN { printf "%.0f", n / (to - from) }')
  if [[ -z $executed || $executed -lt $runs ]]; then
    cat "$log" >&2
    echo "fuzz_$target: ${executed:-no} executions of $runs" >&2
    return 1
  fi
  echo "fuzz_$target: $executed executions, $per_second/s, no finding"
}

status=0
# The structured mutator keeps inputs valid at any length, so there is no reason to begin with short ones. Without
# counters an input is new when it reaches new code, and not when code runs another number of times: in a bounded run over
# as many backends, one input in seven was new else, and keeping account of them took most of the time.
# Nor does it say anything about a Case which bytes somebody compared.
run differential -max_len=1209 -len_control=0 -use_counters=0 -use_memcmp=0 || status=1
run stream -max_len=256 -len_control=0 -use_counters=0 -use_memcmp=0 || status=1
run vector_parser -max_len=4096 -dict="$source_dir/rsp.dict" || status=1
run case_parser -max_len=4096 -dict="$source_dir/case.dict" || status=1
run acvp_parser -max_len=4096 -dict="$source_dir/acvp.dict" || status=1
run plugin_struct -max_len=512 || status=1
run speed_text -max_len=4096 || status=1
exit "$status"
