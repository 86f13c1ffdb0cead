#!/bin/sh
# Records what an interface receives before a deny list is in force and with it: packets a second at
# the interface, in percentiles over tenths of a second, what the program takes of a core for each
# packet, and the share of processor time in interrupts of the network.
#
# usage, as root: measure-deny.sh INTERFACE LIST [SECONDS [PACKETS]]
#
# PACKETS is the command, by default ./packets. It drops by the list for so many seconds, by default 30.
set -eu
interface=$1 list=$2 seconds=${3:-30} packets=${4:-./packets}
received() { awk -F '[: ]+' -v interface="$interface" '$2 == interface { print $4 }' /proc/net/dev; }
[ -n "$(received)" ] || { echo "no interface $interface" >&2; exit 2; }

# Prints a line for a name: the percentiles of samples of received packets, and time in softirq.
record() {
	{
		head -n 1 /proc/stat
		for _ in $(seq $((seconds * 10 + 1))); do
			echo "$(date +%s%N) $(received)"
			sleep 0.1
		done
		head -n 1 /proc/stat
	} | awk -v name="$1" '
		$1 == "cpu" { all = 0; for (i = 2; i <= 9; i++) all += $i; busy = $8 - soft; soft = $8
			whole = all - total; total = all; next }
		last { rate[++n] = ($2 - before) * 1e9 / ($1 - last) }
		{ last = $1; before = $2 }
		END {
			for (i = 2; i <= n; i++) # sorts, as awk may have no asort
				for (j = i; j > 1 && rate[j] < rate[j - 1]; j--) {
					t = rate[j]; rate[j] = rate[j - 1]; rate[j - 1] = t
				}
			printf "%-8s", name
			split("0.01 0.1 0.5 0.9 0.99", p)
			for (i = 1; i <= 5; i++) printf " %11.0f", rate[int(p[i] * (n - 1)) + 1]
			printf " %9.1f %%\n", whole ? 100 * busy / whole : 0
		}'
}

printf '%-8s %11s %11s %11s %11s %11s %11s\n' packets/s 1st 10th 50th 90th 99th softirq
record before
counting=$(cat /proc/sys/kernel/bpf_stats_enabled)
echo 1 >/proc/sys/kernel/bpf_stats_enabled
log=$(mktemp)
"$packets" deny "$interface" --list "$list" --counters 0 >"$log" 2>&1 &
deny=$!
trap 'kill $deny 2>/dev/null || true; echo "$counting" >/proc/sys/kernel/bpf_stats_enabled; rm -f "$log"' EXIT
until grep -q 'in force, mode' "$log"; do
	kill -0 $deny 2>/dev/null || { cat "$log" >&2; exit 2; }
	sleep 0.1
done
record with
for file in /proc/$deny/fdinfo/*; do # the program's own count
	awk '/^run_time_ns:/ { t = $2 } /^run_cnt:/ { n = $2 }
		END { if (n) printf "%d packets, %.0f ns each in the program\n", n, t / n }' "$file" 2>/dev/null || true
done
kill $deny
wait $deny || true
cat "$log"
