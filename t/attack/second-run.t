#!/bin/sh
# A later run of a job trusts what the first one noted. Meanwhile the victim's directory is gone from a node
# (logind's RemoveIPC, a cleaner of /tmp), and the attacker has made one of that name, which he could
# foresee, with objects of his: LD_AUDIT and LD_PRELOAD must not name what nobody looked at in this run.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
. "$here/attack/evil.sh"
chown $victim_uid app.lcast
mkdir shared inst && chmod 1777 shared
# A launcher that starts the line on this node: what it is told to carry, it carries.
cat >inst/srun <<'EOS'
#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac do shift; done
IFS=,
for variable in ${SLURM_EXPORT_ENV-}; do case $variable in *=*) export "$variable" ;; esac done
exec "$@"
EOS
chmod 755 inst/srun
run() {
    victim env PATH="$tmp/inst:$PATH" SLURM_JOB_ID=77 SLURM_JOB_NUM_NODES=1 SLURM_NNODES=1 LOADCAST_DIR="$tmp/shared" \
        "$build/loadcast" run --via fs --image "$tmp/app.lcast" "$@"
}
show='echo ran; echo "node $LOADCAST_NODE"'

# The note stays where 'run' runs; the node forgets, and the attacker comes.
squat() {
    forget
    run "$@" -- srun -n1 sh -c "$show" >out 2>err || { cat err; return 1; }
    node=$(sed -n 's/^node //p' out)
    [ -n "$node" ] || { cat out err; return 1; }
    rm -rf "/dev/shm/loadcast-$victim_uid"
    mkdir -m 700 "/dev/shm/loadcast-$victim_uid" && cp "$tmp/shared/loadcast-$victim_uid"/.job.* "/dev/shm/loadcast-$victim_uid/"
    chown -R $victim_uid "/dev/shm/loadcast-$victim_uid"
    cp -r "$node" "$tmp/was" && rm -rf "$tmp"/shared/loadcast-*
    attacker mkdir -p "$node/bin"
    for object in audit.so preload.so; do attacker cp "$tmp/evil.so" "$node/bin/$object"; done
    attacker cp "$tmp/evil" "$node/bin/launch"
    attacker chmod -R 755 "$tmp/shared/loadcast-$victim_uid"
}
forget() { rm -rf "$tmp"/shared/loadcast-* "$tmp/was" "/dev/shm/loadcast-$victim_uid"; }
t 'a later run whose program is not in the image: variables would do' '
    squat
    code 0 run --stats -- srun -n1 sh -c "$show"
    says ran out
    unmarked
    forget
'
t 'variables alone are asked for: the nodes are looked at again, and it is served' '
    squat --wrap never
    code 0 run --wrap never -- srun -n1 sh -c "$show"
    says ran out
    says "node $tmp/shared/loadcast-$victim_uid." out
    unmarked
    forget
'
t 'a line that is not understood' '
    squat --with ""
    code 0 run --with "" -- srun --no-such-option -n1 sh -c "$show"
    says ran out
    unmarked
    forget
'
t 'nothing is taken away of the name of the directory while a job goes on' '
    forget
    code 0 run -- srun -n1 sh -c "$show"
    victim env SLURM_JOB_ID=77 LOADCAST_DIR="$tmp/shared" "$build/loadcast" clean --all >/dev/null
    [ "$(stat -c %u "shared/loadcast-$victim_uid")" = $victim_uid ]
    code 130 run -- srun -n1 sh -c "kill -INT \$\$"
    [ "$(stat -c %u "shared/loadcast-$victim_uid")" = $victim_uid ]
    code 0 run -- srun -n1 true
    code 0 victim env SLURM_JOB_ID=77 "$build/loadcast" stage --clean --dir "$tmp/shared" "$tmp/app.lcast"
    [ "$(stat -c %u "shared/loadcast-$victim_uid")" = $victim_uid ]
    forget
'
t 'children of a program whose directory is gone are not handed over' '
    forget
    code 0 run --wrap never -- srun -n1 true
    victim rm -f victim/go
    victim mkfifo victim/go
    victim env PATH="$tmp/inst:$PATH" LOADCAST_DIR="$tmp/shared" SLURM_JOB_ID=77 SLURM_JOB_NUM_NODES=1 \
        "$build/loadcast" run --via fs --image "$tmp/app.lcast" -- srun -n1 "$python" -c "
import os, subprocess
print(os.environ[\"LOADCAST_NODE\"], flush=True)
open(\"$tmp/victim/go\").read()
subprocess.run([\"/bin/echo\", \"child\"])
os.system(\"echo shell\")
os.execv(\"/bin/echo\", [\"echo\", \"ran\"])" >later 2>later.err &
    wait_until grep -q . later
    node=$(head -1 later)
    sizes=$(stat -c %s "$node/bin/audit.so" "$node/bin/preload.so")
    set -- $sizes
    rm -rf "$tmp/shared/loadcast-$victim_uid"
    attacker mkdir -p "$node/bin"
    attacker cp evil.so "$node/bin/audit.so" && attacker cp evil.so "$node/bin/preload.so"
    attacker truncate -s "$1" "$node/bin/audit.so" && attacker truncate -s "$2" "$node/bin/preload.so"
    attacker chmod -R 755 "$tmp/shared/loadcast-$victim_uid"
    timeout 60 sh -c "echo >victim/go"
    wait $!
    says child later
    says shell later
    says ran later
    unmarked
    forget
'
t 'lines that --dry-run prints name nothing on a node that lacks it' '
    forget
    mkdir steps && cat >steps/loadcast <<-E
	#!/bin/sh
	case "\$*" in stage*--clean*) ;; stage*) echo $tmp/shared/loadcast-$victim_uid/0123456789abcdef; exit 4 ;; esac
	E
    chmod 755 steps/loadcast
    attacker mkdir -p "$tmp/shared/loadcast-$victim_uid/0123456789abcdef/bin"
    for object in audit.so preload.so; do attacker cp evil.so "$tmp/shared/loadcast-$victim_uid/0123456789abcdef/bin/$object"; done
    attacker chmod -R 755 "$tmp/shared/loadcast-$victim_uid"
    for how in "" "--wrap never" "--wrap always"; do
        run --dry-run $how -- srun -n1 sh -c "$show" >printed
        code 0 victim env PATH="$tmp/steps:$tmp/inst:$PATH" SLURM_JOB_ID=77 sh ./printed
        says ran out
        unmarked
    done
    forget
'
finish
