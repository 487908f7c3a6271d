#!/bin/sh
# loadcast bench: which hosts ranks run on, and over which addresses they are reached.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
PROGRAMS=${PROGRAMS:-$build/t}
# A launcher that gives every second rank another host's name, as the test for clocks does.
cat >launcher <<END
#!/bin/sh
n=\$1
shift
for i in \$(seq 0 \$((n - 1))); do
    PMI_RANK=\$i SKEW_HOST=node\$((i % 2)) LD_PRELOAD=$PROGRAMS/skew.so "\$@" &
done
wait
END
chmod +x launcher

t 'nodes are counted from the hosts that ranks report, when the width names none' '
    code 0 bench --command true --target target --width 1,5 --launcher "$tmp/launcher {ranks}" --cache warm --max-runs 1
    line "[(l[\"ranks\"], l[\"nodes\"]) for l in lines] == [(1, 1), (5, 2)]"
    rows "[(r[\"ranks\"], r[\"nodes\"]) for r in rows[-2:]] == [(1, 1), (5, 2)]"
'
t 'a width that names nodes and runs on others: the row says on how many' '
    code 0 bench --command true --target target --width 6@3 --launcher "$tmp/launcher {ranks}" --cache warm --max-runs 1
    rows "rows[-1][\"nodes\"] == 2"
    says "asked for 3 nodes, ran on 2" err
'
t 'a run that fails keeps the nodes it asked for' '
    code 1 bench --command false --target target --width 6@3 --launcher "$tmp/launcher {ranks}" --cache warm --max-runs 1
    rows "rows[-1][\"nodes\"] == 3 and rows[-1][\"status\"] == \"failed\""
'
# inside COMMANDS: in a network namespace of their own.
inside() { unshare -n sh -c "ip link set lo up; $1"; }
t 'a host that has IPv6 only: plain processes, and ranks of a launcher' '
    command -v ip >/dev/null && unshare -n true 2>/dev/null || skip "no network namespaces here"
    inside "ip -6 addr show dev lo" 2>/dev/null | grep -q "::1" || skip "no IPv6 here"
    cat >six.sh <<-END
	ip addr del 127.0.0.1/8 dev lo
	for launcher in plain "$tmp/launcher {ranks}"; do
	    loadcast bench --work $work --db $tmp/six.db --json --bystander-limit 0 --command "sh -c \"tr \\\\\\\\0 _ </proc/\\\$PPID/cmdline\"" \
	        --target $tmp/target --width 3 --cache warm --max-runs 1 --launcher "\$launcher" || exit 1
	done
	END
    inside ". ./six.sh" >out 2>err || { cat out err; exit 1; }
    loadcast results list --db six.db | grep -c " done " | grep -x 2
'
t 'a kernel without IPv6: ranks of a launcher come over IPv4' '
    command -v ip >/dev/null && unshare -n true 2>/dev/null || skip "no network namespaces here"
    inside "
        echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 2>/dev/null || ip -6 addr flush dev lo
        loadcast bench --work $work --db $tmp/four.db --json --bystander-limit 0 --command true --target $tmp/target \
            --width 3 --cache warm --max-runs 1 --launcher \"$tmp/launcher {ranks}\"" >out 2>err || { cat out err; exit 1; }
    loadcast results list --db four.db | grep -c " done " | grep -x 1
'
finish
