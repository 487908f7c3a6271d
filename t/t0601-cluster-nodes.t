#!/bin/sh
# Nodes are apart from each other and from the machine; faults; several clusters; nothing stays.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
need_cluster

t 'a cluster comes up while others go, which remove the directory of all clusters when it is empty' '
    cat >goes.py <<-END
	import contextlib, os
	while os.path.exists("$tmp/goes.py"):
	    with contextlib.suppress(OSError):
	        os.rmdir("/run/loadcast-cluster")
	END
    $python goes.py & goes=$!
    for k in 1 2 3; do
        code 0 cluster up 1 --fs none
        code 0 cluster down
    done
    rm goes.py
    wait $goes
'
t 'four nodes come up, each with its own name and address' '
    code 0 cluster up 4 --fs none --keep "$tmp" --memory 64M
    for k in 1 2 3 4; do
        [ "$(cluster node n$k -- hostname)" = n$k ]
        cluster node n$k -- ip -4 -br address show eth0 | grep -q "10.199.0.$k/24"
    done
    code 0 cluster status
    [ "$(grep -c " up " out)" = 5 ]
'
t 'a second up of the same name says that one is up' '
    code 3 cluster up 2 --fs none
    says "is already up (4 nodes)" err
    [ "$(cluster node n4 -- hostname)" = n4 ]
'
t '/tmp and /dev/shm are the node'\''s own, and sized' '
    for where in /tmp /dev/shm; do
        cluster node n1 -- sh -c "echo mine >$where/only-n1"
        code 1 cluster node n2 -- test -e $where/only-n1
        [ ! -e $where/only-n1 ]
        cluster node n1 -- df -k --output=size $where | grep -q "^ *65536$"
    done
'
t 'a kept directory below /tmp stays visible' '
    echo hello >"$tmp/kept"
    [ "$(cluster node n3 -- cat "$tmp/kept")" = hello ]
'
t 'a node reaches the others by name, and nothing else' '
    cat >"$tmp/reach.py" <<-END
	import errno, socket, sys
	def connect(host):
	    s = socket.socket()
	    s.settimeout(5)
	    return s.connect_ex((host, 9))
	assert connect("n2") == errno.ECONNREFUSED
	assert connect("head") == errno.ECONNREFUSED
	assert connect("192.0.2.1") == errno.ENETUNREACH
	END
    cluster node n1 -- $python "$tmp/reach.py"
    [ "$(cluster node n1 -- ip route | wc -l)" = 1 ]
'
t 'IPC and network interfaces are the node'\''s own' '
    [ "$(cluster node n1 -- readlink /proc/self/ns/ipc)" != "$(readlink /proc/self/ns/ipc)" ]
    [ "$(cluster node n1 -- ls /sys/class/net | tr "\n" " ")" = "eth0 lo " ]
'
t 'the status of a command comes back; a missing one is 127' '
    code 7 cluster node n1 -- sh -c "exit 7"
    code 127 cluster node n1 -- no-such-program
    code 9 cluster run -- sh -c "exit 9"
    code 2 cluster node n5 -- true
    says "nodes are n1 to n4, and head" err
'
t 'fault kill: everything on the node ends; heal brings a new one' '
    cluster node n2 -- sh -c "sleep 1000 & echo \$!" >pid
    cluster node n2 -- touch /tmp/before
    code 0 cluster fault n2 kill
    [ -z "$(start_time $(cat pid))" ]
    cluster status | grep -q "^n2 .* down"
    code 3 cluster node n2 -- true
    says "node n2 is down" err
    code 3 cluster fault n2 cut
    code 0 cluster fault n2 heal
    [ "$(cluster node n2 -- hostname)" = n2 ]
    code 1 cluster node n2 -- test -e /tmp/before
    cluster node n1 -- $python "$tmp/reach.py"
'
t 'fault fillmem: no byte fits; heal makes room' '
    cluster node n3 -- sh -c "head -c 1000000 /dev/zero >/dev/shm/held"
    code 0 cluster fault n3 fillmem
    cluster status | grep -q "^n3 .* full"
    for where in /tmp /dev/shm; do
        code 1 cluster node n3 -- dd if=/dev/zero of=$where/more bs=64k count=1
        says "No space left on device" err
    done
    [ "$(cluster node n3 -- sh -c "wc -c </dev/shm/held")" = 1000000 ]
    cluster node n4 -- sh -c "echo fits >/dev/shm/x"
    code 0 cluster fault n3 heal
    cluster node n3 -- sh -c "head -c 30000000 /dev/zero >/dev/shm/more && rm /dev/shm/more"
'
t 'fault cut: packets are lost; heal mends' '
    # reach SECONDS: does n4 answer n1?
    reach() {
        cluster node n1 -- $python -c "import socket
s = socket.socket()
s.settimeout($1)
exit(s.connect_ex((\"n4\", 9)) != 111)"
    }
    reach 10
    code 0 cluster fault n4 cut
    cluster status | grep -q "^n4 .* cut"
    code 1 reach 0.5
    code 0 cluster fault n4 heal
    reach 10
'
t 'fault freeze: processes stop where they are; heal lets them go on' '
    for n in n3 n4; do cluster node $n -- sh -c "while echo >>$tmp/ticks.$n; do sleep 0.01; done & echo \$!" >pid.$n; done
    wait_until test -s ticks.n3 -a -s ticks.n4
    code 0 cluster fault n4 freeze
    size=$(wc -c <ticks.n4) other=$(wc -c <ticks.n3)
    # Meanwhile another node goes on.
    wait_until eval "[ \$(wc -c <ticks.n3) -gt $((other + 10)) ]"
    [ "$(wc -c <ticks.n4)" = "$size" ]
    code 3 cluster node n4 -- true
    says "node n4 is frozen" err
    code 0 cluster fault n4 heal
    grows() { [ "$(wc -c <ticks.n4)" -gt "$size" ]; }
    wait_until grows
    kill $(cat pid.n3 pid.n4)
'
t 'a frozen node can be killed and healed' '
    code 0 cluster fault n4 freeze
    code 0 cluster fault n4 kill
    code 0 cluster fault n4 heal
    [ "$(cluster node n4 -- hostname)" = n4 ]
'
t 'a second cluster beside it has its own nodes' '
    at_exit "cluster --name ${name}b down"
    code 0 cluster --name ${name}b up 2 --fs none
    cluster --name ${name}b node n1 -- touch /tmp/b
    code 1 cluster node n1 -- test -e /tmp/b
    code 0 cluster --name ${name}b down
    [ "$(cluster node n1 -- hostname)" = n1 ]
'
t 'down ends also a frozen and a cut node, and leaves nothing' '
    cluster node n2 -- sh -c "setsid sleep 1000 >/dev/null 2>&1 &"
    cluster fault n1 freeze
    cluster fault n3 cut
    down_leaves_nothing
    code 3 cluster status
'
t 'odd directory names; a link capped by --rate' '
    shared="$tmp/a '\''shared'\'' \$dir" other="$tmp/two  blanks"
    mkdir "$shared" "$other"
    echo one >"$shared/file"
    echo two >"$other/file"
    code 0 cluster up 2 --fs none --rate 80mbit --shared "$shared" --keep "$other" --keep "$src"
    [ "$(cluster node n2 -- cat "$shared/file" "$other/file" | tr "\n" " ")" = "one two " ]
    cluster status | grep -qF "at $shared,"
    cluster node n1 -- tc qdisc show dev eth0 | grep -q "tbf .* rate 80Mbit"
    code 0 cluster down
'
t 'up killed half-way: up says so, down cleans' '
    "$src/tools/cluster" --name $name up 16 --fs none >/dev/null 2>&1 &
    up=$!
    wait_until test -d "$group/n1"
    kill -KILL $up
    wait $up || :
    code 3 cluster up 2 --fs none
    says "down" err
    down_leaves_nothing
'
t 'up interrupted cleans up by itself' '
    "$src/tools/cluster" --name $name up 40 --fs none >/dev/null 2>&1 &
    up=$!
    wait_until test -d "$group/n1"
    kill -TERM $up
    wait $up && exit 1
    nothing_left
'
t 'up that fails says where and leaves nothing behind' '
    mkdir bin
    printf "#!/bin/sh\n[ \$1 != n2 ] || { echo no name for n2 >&2; exit 1; }\nexec /bin/hostname \$1\n" >bin/hostname
    chmod +x bin/hostname
    PATH=$tmp/bin:$PATH code 1 cluster up 3 --fs none --keep "$tmp"
    says "cannot start: n2" err
    says "no name for n2" err
    nothing_left
'
finish
