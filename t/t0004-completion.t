#!/bin/sh
# Shells complete command lines from the option tables, as installed; help and version where people
# look for them.
. "$(dirname "$0")/lib.sh"

DESTDIR=$tmp/root meson install -C "$build" --no-rebuild >install.log 2>&1 || skip_all 'cannot install'
bash_file=$(find "$tmp/root" -path '*/bash-completion/completions/loadcast')
zsh_file=$(find "$tmp/root" -path '*/zsh/site-functions/_loadcast')
# What bash offers for the last of these words; it hands over "=" as a word of its own.
offers() {
    bash -c 'source "$1" || exit 1
shift
[ "$(complete -p loadcast)" = "complete -o bashdefault -o default -F _loadcast loadcast" ] || exit 1
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_loadcast loadcast "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"' bash "$bash_file" "$@"
}
only() { # WORDS LINE...: nothing but these words is offered
    printf '%s\n' $1 | sort >want
    shift
    offers "$@" | sort >got
    same want got
}
t 'bash: commands' '
    [ "$bash_file" ]
    only "record results report" loadcast re
    only "--version" loadcast --v
    only "run" loadcast help ru
    offers loadcast "" >got
    for command in $(loadcast --help | sed -n "s/^  \([a-z]*\) .*/\1/p"); do grep -qx "$command" got; done
'
t 'bash: every option that --help names, of every command' '
    for command in $(loadcast --help | sed -n "s/^  \([a-z]*\) .*/\1/p"); do
        offers loadcast $command -- | sort >got
        { loadcast $command --help; echo "  --help"; } | grep -o "^  \(-., \)\?--[a-z0-9-]*" | sed "s/.* //" | sort >want
        same want got
    done
'
t 'bash: what an option takes' '
    only "c elf" loadcast gen --emit ""
    only "elf" loadcast gen --emit = e
    only "c elf" loadcast gen --emit =
    only "coral" loadcast gen 5 5 --preset co
    mkdir -p some/directory && touch some/file
    only "some/directory" loadcast gen --out some/
    only "some/directory" loadcast gen -o some/d
    only "some/directory some/file" loadcast run --image some/
    offers loadcast run --for "" | nothing
'
t 'bash: the program, and its arguments' '
    mkdir bin && touch bin/srun-of-ours && chmod +x bin/srun-of-ours
    PATH=$tmp/bin:$PATH
    only srun-of-ours loadcast run -- srun-of
    only srun-of-ours loadcast run --image app.lcast srun-of
    only srun-of-ours loadcast run --image = app.lcast srun-of
    only srun-of-ours loadcast exec app.lcast -- srun-of
    offers loadcast exec srun-of | nothing
    offers loadcast run -- srun-of-ours --h | nothing
    offers loadcast run -- srun-of-ours --image "" | nothing
    offers loadcast no-command -- | nothing
    only srun-of-ours loadcast srun-of
    offers loadcast srun-of-ours --h | nothing
'
t 'zsh: reads it, and offers options, choices and commands' '
    [ "$zsh_file" ]
    command -v zsh >/dev/null || skip "no zsh"
    zsh -n "$zsh_file"
    timeout 60 zsh -f "$here/completion.zsh" "$(dirname "$zsh_file")"
'
t 'help and version of a command' '
    code 0 loadcast help run && mv out a
    code 0 loadcast run --help && same a out
    code 2 loadcast help rum
    says "did you mean '\''run'\''" err
    code 0 loadcast help && says "commands:" out
    for command in run gen exec results; do
        code 0 loadcast $command --version && [ "$(cat out)" = "$(loadcast --version)" ]
    done
    code 0 loadcast run -- printf %s --version && [ "$(cat out)" = --version ]
'
t 'run -n is no dry run, and no task count either: it says where that stands' '
    touch lcast && code 125 loadcast run -n 4 touch made
    says "unknown option" err
    says "loadcast run -- srun -n 4 python3 app.py" err
    [ ! -e made ]
    code 0 loadcast run --dry-run -- touch made
    [ ! -e made ]
'
t 'a shell that is not known' '
    code 2 loadcast --completion fish
    says "bash or zsh" err
    code 2 loadcast --completion
'
finish
