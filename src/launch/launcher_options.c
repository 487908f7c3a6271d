/* SPDX-License-Identifier: MIT */
/* launcher_options.c - the options of each launcher, from their manuals: srun 22.05 to 24.11, Open
 * MPI 3 to 5, MPICH 3 and 4 and Intel MPI 2021 (hydra), PALS 1.2, flux-core 0.6x, jsrun 10, ALPS 6
 */
#include "launch/launcher_options.h"

#include <string.h>

static const struct lc_launcher_table tables[LC_LAUNCHERS] = {
    [LC_LAUNCHER_SRUN] =
        {
            .name = "srun",
            .one =
                "-A --account --acctg-freq --bb --bbf -B --extra-node-info -c --cpus-per-task -D "
                "--chdir --cluster-constraint -M --clusters --comment --container "
                "--container-id --container-image --container-mounts --container-name "
                "--container-workdir "
                "--accel-bind --cpu_bind --mem_bind -C --constraint -S --core-spec "
                "--cores-per-socket --cpu-bind "
                "--cpu-freq --cpus-per-gpu -d --dependency --deadline --delay-boot -e --error "
                "--epilog --export --export-file -x --exclude --extra --gid -G --gpus --gpu-bind "
                "--gpu-freq --gpus-per-node --gpus-per-socket --gpus-per-task --gres "
                "--gres-flags --het-group --pack-group --hint -i --input -J --job-name --jobid "
                "-L --licenses -m --distribution --mail-type --mail-user --mcs-label --mem "
                "--mem-bind --mem-per-cpu --mem-per-gpu --mincpus --mpi --msg-timeout --network "
                "-N --nodes -w --nodelist -n --ntasks --ntasks-per-core --ntasks-per-gpu "
                "--ntasks-per-node --ntasks-per-socket --ntasks-per-tres --open-mode -o --output "
                "-p --partition --power --prefer --priority --profile --prolog -q --qos -r "
                "--relative --reservation --resv --segment --signal --slurmd-debug "
                "--sockets-per-node --switches -T --threads --task-epilog --task-prolog "
                "--thread-spec --threads-per-core -t --time --time-min --tmp --tres-bind "
                "--tres-per-task --tree-width --uid -W --wait --wckey",
            .two = "",
            .flag = "--async --bcast --compress --contiguous --debugger-test --disable-status "
                    "--exact --exclusive -E --preserve-env -H --hold -I --immediate --interactive "
                    "-k --no-kill -K --kill-on-bad-exit -l --label --nice -Z --no-allocate "
                    "--overlap -O --overcommit -s --oversubscribe --propagate --pty -Q --quiet "
                    "--reboot --resv-ports --send-libs --spread-job --test-only -u --unbuffered "
                    "--use-min-nodes -v --verbose -vv -vvv --whole -X --x11",
            .opaque = "--multi-prog",
            .keep = "-A --account -p --partition -q --qos --reservation --resv -w --nodelist -x "
                    "--exclude -C --constraint --jobid -M --clusters --het-group --pack-group -t "
                    "--time -N --nodes",
            .pilot =
                "-A --account -p --partition -q --qos --reservation -C --constraint --jobid -M "
                "--clusters -t --time -D --chdir --mpi --export --export-file -c "
                "--cpus-per-task --gres -G --gpus --gpus-per-task --mem --environment --uenv",
            .per_node = "--ntasks-per-node=1 --overlap --kill-on-bad-exit=0",
            .carry = LC_CARRY_EXPORT,
            .getopt = true,
            .colon = true,
        },
    [LC_LAUNCHER_OPENMPI] =
        {
            .name = "OpenMPI's mpiexec",
            .one =
                "-n --n -np --np -c -N -npernode --npernode -npersocket --npersocket -ppr -H "
                "-host --host -hostfile --hostfile -machinefile --machinefile -default-hostfile "
                "--default-hostfile -rf -rankfile --rankfile -x -wdir --wdir -wd --wd -path "
                "--path -prefix --prefix -map-by --map-by -bind-to --bind-to -rank-by --rank-by "
                "-am --am -tune --tune -output-filename --output-filename -timeout --timeout "
                "-report-uri --report-uri -report-pid --report-pid -stdin --stdin -xterm "
                "--xterm -preload-files --preload-files -personality --personality -ompi-server "
                "--ompi-server -cpu-set --cpu-set -cpu-list --cpu-list -cpus-per-proc "
                "--cpus-per-proc -cpus-per-rank --cpus-per-rank -cf -slot-list --slot-list "
                "-launch-agent --launch-agent --output --display --runtime-options --pmixmca-file "
                "--with-ft -max-restarts --max-restarts -forward-signals --forward-signals "
                "-set-cwd-to-session-dir",
            .two = "-mca --mca -gmca --gmca --omca --gomca --pmixmca --gpmixmca --prtemca",
            .flag = "-q --quiet -v --verbose -oversubscribe --oversubscribe -nooversubscribe "
                    "--nooversubscribe -allow-run-as-root --allow-run-as-root -bynode --bynode "
                    "-byslot --byslot -bycore --bycore -bysocket --bysocket -bind-to-core "
                    "--bind-to-core -bind-to-socket --bind-to-socket -bind-to-none --bind-to-none "
                    "-report-bindings --report-bindings -display-map --display-map "
                    "-display-devel-map --display-devel-map -display-allocation "
                    "--display-allocation -tag-output --tag-output -timestamp-output "
                    "--timestamp-output -merge-stderr-to-stdout --merge-stderr-to-stdout -nolocal "
                    "--nolocal -pernode --pernode -novm --novm -noprefix --noprefix -s "
                    "-preload-binary --preload-binary -do-not-launch --do-not-launch "
                    "-use-hwthread-cpus --use-hwthread-cpus -enable-recovery --enable-recovery "
                    "-debug-daemons --debug-daemons -d -continuous --continuous "
                    "-leave-session-attached --leave-session-attached -get-stack-traces "
                    "--get-stack-traces -show-progress --show-progress",
            .opaque = "-app --app",
            .keep = "-H -host --host -hostfile --hostfile -machinefile --machinefile "
                    "-default-hostfile --default-hostfile -mca --mca -gmca --gmca --omca --prtemca "
                    "-prefix "
                    "--prefix -am --am -tune --tune -nolocal --nolocal -allow-run-as-root "
                    "--allow-run-as-root -launch-agent --launch-agent -noprefix --noprefix",
            .pilot =
                "-x -H -host --host -hostfile --hostfile -machinefile --machinefile "
                "-default-hostfile --default-hostfile -mca --mca -gmca --gmca --omca --prtemca "
                "-prefix --prefix -am --am -tune --tune -allow-run-as-root "
                "--allow-run-as-root -launch-agent --launch-agent -noprefix --noprefix -wdir "
                "--wdir -wd --wd -path --path",
            .per_node = "--map-by ppr:1:node --bind-to none",
            .carry = LC_CARRY_LIST,
            .carry_option = "-x",
            .colon = true,
        },
    [LC_LAUNCHER_HYDRA] =
        {
            .name = "hydra's mpiexec",
            .one =
                "-n -np -ppn -perhost -grr -hosts -host -f -hostfile -machinefile -machine "
                "-wdir -dir -path -launcher -launcher-exec -bootstrap -bootstrap-exec -rmk -iface "
                "-genvlist -envlist -bind-to -map-by -membind -prepend-pattern -outfile-pattern "
                "-errfile-pattern -nameserver -demux -usize -order-nodes -gpus-per-proc "
                "-topolib -s -gtool -gtoolfile -arch -soft -pmi-port-range "
                "-ppn-resource -localroot-exec -branch-count -port-range "
                "--n --np --ppn --hosts --host --hostfile --launcher --iface --bind-to --map-by "
                "--wdir",
            .two = "-genv -env --genv --env",
            .flag =
                "-genvall -envall -l -prepend-rank -print-all-exitcodes -print-rank-map -info "
                "-enable-x -disable-x -disable-hostname-propagation -verbose -v -rr -localhost "
                "-disable-auto-cleanup -enable-auto-cleanup -skip-launch-node -hybrid-hosts -tune",
            .opaque = "-configfile --configfile",
            .keep = "-hosts -host -f -hostfile -machinefile -machine -launcher -launcher-exec "
                    "-bootstrap -bootstrap-exec -rmk -iface -genv -genvall --hosts --host "
                    "--hostfile --launcher --iface --genv",
            .pilot = "-hosts -host -f -hostfile -machinefile -machine -launcher -launcher-exec "
                     "-bootstrap -bootstrap-exec -rmk -iface -genv -env -genvlist -envlist "
                     "-genvall -envall --hosts --host --hostfile --launcher --iface --genv --env "
                     "-wdir -dir -path --wdir",
            .per_node = "-ppn 1",
            .carry = LC_CARRY_PAIR,
            .carry_option = "-genv",
            .colon = true,
        },
    [LC_LAUNCHER_PALS] =
        {
            .name = "PALS's mpiexec",
            .one = "-n -np --np -N -ppn --ppn -d --depth -H --host --hosts --hostlist -hostfile "
                   "--hostfile --hosts-file -f --cpu-bind --mem-bind --gpu-bind --env --wdir "
                   "--wd --rlimits --pmi --configfile-dir --umask --fanout",
            .two = "-genv -env",
            .flag = "-l --label --line-buffer --exclusive --shared --transfer --no-transfer "
                    "--envall -envall -genvall --genvall --no-vni --rankdir-off -v --verbose -q "
                    "--quiet --abort-on-failure "
                    "--no-abort-on-failure",
            .opaque = "--configfile",
            .keep = "-H --host --hosts --hostlist -hostfile --hostfile --hosts-file",
            .pilot = "-H --host --hosts --hostlist -hostfile --hostfile --hosts-file --env -genv "
                     "-env --envall --wdir --wd",
            .per_node = "--ppn 1",
            .carry = LC_CARRY_ASSIGN,
            .carry_option = "--env",
            .colon = true,
        },
    [LC_LAUNCHER_FLUX] =
        {
            .name = "flux run",
            .one = "-n --ntasks -N --nodes -c --cores-per-task -g --gpus-per-task -t --time-limit "
                   "-o --setopt --setattr --output --error --input --env --env-remove --env-file "
                   "--urgency --job-name --cwd -q --queue -B --bank --requires --dependency "
                   "--tasks-per-node --tasks-per-core --cores --gpus-per-node --rlimit --conf "
                   "--begin-time --signal --taskmap --add-file --flags --wait-event -S -D",
            .two = "",
            .flag = "-x --exclusive -l --label-io -v --verbose -vv --dry-run --unbuffered -u "
                    "--cores-per-node --debug-emulate",
            .opaque = "",
            .keep = "--requires -q --queue -B --bank -N --nodes",
            .pilot = "-q --queue -B --bank -t --time-limit --env --env-remove --env-file --cwd -o "
                     "--setopt",
            .per_node = "--tasks-per-node=1",
            .carry = LC_CARRY_ASSIGN,
            .carry_option = "--env",
            .getopt = true,
        },
    [LC_LAUNCHER_JSRUN] =
        {
            .name = "jsrun",
            .one =
                "-n --nrs -a --tasks_per_rs -c --cpu_per_rs -g --gpu_per_rs -r --rs_per_host -l "
                "--latency_priority -b --bind -d --launch_distribution -K --rs_per_socket -p --np "
                "-m --memory_per_rs -E --env -D --env_no_propagate -F --env_eval -h --chdir -k "
                "--stdio_stderr -o --stdio_stdout -t --stdio_input -e --stdio_mode -M --smpiargs "
                "-P --pre_post_exec -S --save_resources -U --use_resources -A --appid -x "
                "--launch_node_task -L --use_spindle -X --exit_on_error -J --jobid -C "
                "--use_reservation "
                "-Z --zero_gpu",
            .two = "",
            .flag = "-i --immediate -V --version --stdio_mode_individual --nodelist_off",
            .opaque = "-f --appfile --erf_input",
            .keep = "-U --use_resources",
            .pilot = "-E --env -D --env_no_propagate -F --env_eval -h --chdir -M --smpiargs",
            .per_node = "--rs_per_host 1 --tasks_per_rs 1 --cpu_per_rs 1",
            .carry = LC_CARRY_ASSIGN,
            .carry_option = "--env",
            .getopt = true,
            .colon = true,
        },
    [LC_LAUNCHER_APRUN] =
        {
            .name = "aprun",
            .one = "-n -N -d -S -j -cc -cp -e -L -l -m -r -sn -sl -t -p -B -M --wdir --env",
            .two = "",
            .flag = "-b -ss -q -z -T -R -F -D -k",
            .opaque = "",
            .keep = "-L -l",
            .pilot = "-e --env --wdir",
            .per_node = "-N 1",
            .carry = LC_CARRY_ASSIGN,
            .carry_option = "-e",
            .getopt = true,
            .colon = true,
        },
};

const struct lc_launcher_table *lc_launcher_table(enum lc_launcher launcher)
{
    return &tables[launcher];
}

const char *lc_launcher_name(enum lc_launcher launcher)
{
    return tables[launcher].name ? tables[launcher].name : "plain command";
}

bool lc_option_list_has(const char *list, const char *word, int len)
{
    for (const char *p = list; p && *p;) {
        int n = (int)strcspn(p, " ");
        if (n == len && strncmp(p, word, (size_t)n) == 0)
            return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

int lc_option_two_words(const char *next)
{
    return next && strchr(next, '=') ? 2 : 3;
}

int lc_option_cluster_words(const struct lc_launcher_table *table, const char *word)
{
    for (int i = 1; word[i]; i++) {
        const char letter[] = {'-', word[i]};
        if (lc_option_list_has(table->one, letter, 2))
            return word[i + 1] ? 1 : 2;
        if (!lc_option_list_has(table->flag, letter, 2))
            return i > 1 ? 1 : -1; /* -K1: a flag with a value that may be left out */
    }
    return 1;
}
