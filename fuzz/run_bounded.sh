#!/usr/bin/env bash
# run_bounded.sh BUILD_DIR RUNS: runs each libFuzzer target of a build with AESGATE_FUZZ on its seeds and that many inputs
# more. Any finding is exit status 1, with its files in BUILD_DIR/fuzz/findings. FUZZ_SEED is libFuzzer's seed: 1 unless
# set, so that two runs on one build do the same. As many targets run side by side as there are CPUs, or FUZZ_JOBS.
set -euo pipefail

at_once=${FUZZ_JOBS:-$(nproc)}
if [[ $# -ne 2 || ! $2 =~ ^[0-9]+$ || ! $at_once =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: [FUZZ_JOBS=N] $0 BUILD_DIR RUNS" >&2
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

# Each target in a process group of its own, so that nothing of it is left when this is interrupted; what it says and how
# it ended in a file, and one that left no status has failed.
set -m
trap 'for group in $(jobs -p); do kill -- "-$group" 2>/dev/null || true; done' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
started=()
start() {
  local target=$1 ended=0
  while [[ $(jobs -rp | wc -l) -ge $at_once ]]; do wait -n || true; done
  rm -f "$build_dir/$target.status"
  { (run "$@") || ended=$?; echo "$ended" >"$build_dir/$target.status"; } >"$build_dir/$target.said" 2>&1 </dev/null &
  started+=("$target")
}

# The structured mutator keeps inputs valid at any length, so there is no reason to begin with short ones. Without
# counters an input is new when it reaches new code, and not when code runs another number of times: in a bounded run over
# as many backends, one input in seven was new else, and keeping account of them took most of the time.
# Nor does it say anything about a Case which bytes somebody compared.
start differential -max_len=1209 -len_control=0 -use_counters=0 -use_memcmp=0
start stream -max_len=256 -len_control=0 -use_counters=0 -use_memcmp=0
start vector_parser -max_len=4096 -dict="$source_dir/rsp.dict"
start case_parser -max_len=4096 -dict="$source_dir/case.dict"
start acvp_parser -max_len=4096 -dict="$source_dir/acvp.dict"
start plugin_struct -max_len=512
start speed_text -max_len=4096
wait

status=0
for target in "${started[@]}"; do
  cat "$build_dir/$target.said"
  ended=$(cat "$build_dir/$target.status" 2>/dev/null) || ended=1
  [[ ${ended:-1} -le $status ]] || status=${ended:-1}
done
exit "$status"
