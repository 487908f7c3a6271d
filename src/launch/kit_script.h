/* SPDX-License-Identifier: MIT */
/* kit_script.h - what nodes run before they have anything of ours: parts of lines for /bin/sh
 *
 * Others use a node at the same time. A directory that they can change is not written to, and
 * nothing of it is executed. Only what POSIX demands of a shell is used, and ls. No part has a
 * newline: not every launcher is known to carry one. */
#ifndef LC_LAUNCH_KIT_SCRIPT_H
#define LC_LAUNCH_KIT_SCRIPT_H

/* way DIR prints DIR without links if nobody but this user ($u) and root can put another one in its
 * place, as stage/owned.c judges it: every step is looked at from the root on, so that nobody can
 * change a step once it was seen. In a user namespace that does not know root its directories show
 * the owner of "/", as do those of strangers; where the user himself shows that number nothing can
 * be told. */
#define LC_SH_WAY                                                                                 \
    "way() ( "                                                                                    \
    "[ \"$u\" != 65534 ] || { read -r a b c </proc/self/uid_map && [ \"$c\" = 4294967295 ]; } ||" \
    " exit 1; "                                                                                   \
    "cd -P \"$1\" 2>/dev/null && real=$(pwd -P) || exit 1; "                                      \
    "set -f; IFS=/; set -- $real; IFS=' '; n=$# at=; "                                            \
    "for step do [ -z \"$step\" ] || { at=$at/$step; set -- \"$@\" \"$at\"; }; done; "            \
    "shift $n; LC_ALL=C ls -ldn / \"$@\" 2>/dev/null | { set -- / \"$@\"; root=; "                \
    "while read -r mode links owner rest; do root=${root:-$owner}; "                              \
    "case $owner in 0 | \"$u\") ;; \"$root\") case $1 in / | /dev | /dev/shm | /tmp | /var |"     \
    " /var/tmp) ;; *) exit 1;; esac;; *) exit 1;; esac; "                                         \
    "case $mode in d????????[tT]*) ;; d????w* | d???????w*) exit 1;; d*) ;; *) exit 1;; esac; "   \
    "shift; done; [ $# = 0 ]; } && printf '%s\\n' \"$real\"); "

/* What stands before a rank's program: $0 is NODE/bin/launch; loadcast_find sets $loadcast_is to
 * what is to be executed, or fails. Where staging failed, somebody else may have put something
 * there, and he may change it between a question and its use. So each step is opened, the
 * descriptor is asked whose it is, and what was asked is what is executed: first the directory that
 * holds all images of the user ("/." does not wait for the other end of a pipe), then from there
 * the launcher, which judges the rest of the way. The descriptor is one that the program was not
 * given: MPICH's launcher gives it all that a shell can name; then the way is looked at by ls. If
 * the usual name is not the user's, the stager may have chosen another. Variables are named such
 * that the program has none of them. A user namespace that does not know this user shows him as
 * everybody's owner. */
#define LC_SH_FRONT                                                                                \
    LC_SH_WAY                                                                                      \
    "loadcast_open() { eval \"command exec ${loadcast_is##*/}<\\\"\\$1/.\\\"\" &&"                 \
    " [ -O $loadcast_is ] &&"                                                                      \
    " eval \"command exec ${loadcast_is##*/}<\\\"$loadcast_is/\\${0#\\\"\\${0%/*/*/*}\\\"/}\\\"\"" \
    " && [ -x $loadcast_is ] && [ -f $loadcast_is ] && [ -O $loadcast_is ]; }; "                   \
    "loadcast_look() ( unset LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT; PATH=/usr/bin:/bin; u=$(id -u);" \
    " [ -O \"$1\" ] && loadcast_is=$(way \"$1\")/${0#\"${0%/*/*/*}/\"} && [ -x \"$loadcast_is\" ]" \
    " && printf %s \"$loadcast_is\"); "                                                            \
    "loadcast_find() { [ ! -O /proc/sys/kernel/overflowuid ] ||"                                   \
    " { read -r loadcast_a loadcast_b loadcast_c </proc/self/uid_map &&"                           \
    " [ \"$loadcast_c\" = 4294967295 ]; } || return 1; [ -d /proc/self/fd ] || return 1; "         \
    "for loadcast_fd in 9 8 7 6 5 4 3 -; do [ -e /proc/self/fd/$loadcast_fd ] || break; done; "    \
    "for loadcast_dir in \"${0%/*/*/*}\" \"${0%/*/*/*}\".*; do"                                    \
    " loadcast_is=/proc/self/fd/$loadcast_fd; case $loadcast_fd in"                                \
    " -) loadcast_is=$(loadcast_look \"$loadcast_dir\") && return 0;;"                             \
    " *) loadcast_open \"$loadcast_dir\" && return 0;; esac; done; "                               \
    "[ $loadcast_fd = - ] || eval \"exec $loadcast_fd<&-\"; return 1; }; "

#endif
