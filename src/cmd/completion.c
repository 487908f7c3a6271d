/* SPDX-License-Identifier: MIT */
/* completion.c - loadcast --completion bash|zsh: the shell's completion script for our command
 * lines
 *
 * The build runs it and installs the output. Each command adds its part from its option table
 * (util/cli.h).
 */
#include "cmd/completion.h"

#include <stdio.h>
#include <string.h>

#include "util/error.h"

/* In COMP_WORDS "=" is a word of its own, because it is one of bash's COMP_WORDBREAKS. */
static const char bash_tail[] =
    "\n"
    "# The word at which the program begins that a command runs; nothing where none has begun.\n"
    "_loadcast_program() {\n"
    "    local i word\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $word == -- ]]; then\n"
    "            echo $((i + 1))\n"
    "            return\n"
    "        elif [[ $valued == *\" $word \"* ]]; then\n"
    "            [[ ${COMP_WORDS[i + 1]} == '=' ]] && ((i++))\n"
    "            ((i++))\n"
    "        elif [[ $runs == 1 && $word != -* && $word != '=' ]]; then\n"
    "            echo \"$i\"\n"
    "            return\n"
    "        fi\n"
    "    done\n"
    "}\n"
    "\n"
    "# Offer what the option $1 takes; without an answer, the shell would offer files.\n"
    "_loadcast_argument() {\n"
    "    if [[ $words ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "    elif [[ $kind ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -A \"$kind\" -- \"$cur\")\n"
    "    else\n"
    "        compopt +o default +o bashdefault 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "\n"
    "_loadcast() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command=${COMP_WORDS[1]} options='' valued='' words='' kind='' runs=0 program=''\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        COMPREPLY=($(compgen -W \"$_loadcast_commands help --help --version\" -- \"$cur\"))\n"
    "        # the first word of a launch line\n"
    "        ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -A command -- \"$cur\")\n"
    "        return\n"
    "    elif [[ $command == help ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$_loadcast_commands\" -- \"$cur\"))\n"
    "        return\n"
    "    elif [[ \" $_loadcast_commands \" != *\" $command \"* ]]; then\n"
    "        declare -F _command_offset >/dev/null && _command_offset 1\n"
    "        return\n"
    "    fi\n"
    "    if [[ $before == '=' ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    elif [[ $cur == '=' ]]; then\n"
    "        cur=''\n"
    "    fi\n"
    "    \"_loadcast_$command\" \"$before\"\n"
    "    ((runs)) && program=$(_loadcast_program)\n"
    "    if [[ $program ]] && ((program < COMP_CWORD)); then\n"
    "        return # its arguments: files\n"
    "    elif [[ ! $program && $valued == *\" $before \"* ]]; then\n"
    "        _loadcast_argument\n"
    "    elif [[ ! $program && $cur == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
    "    elif [[ $program || $runs == 1 ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -A command -- \"$cur\")\n"
    "    fi\n"
    "}\n"
    "complete -o bashdefault -o default -F _loadcast loadcast\n";

static const char zsh_head[] = "#compdef loadcast\n"
                               "# made by loadcast --completion zsh\n"
                               "\n"
                               "_loadcast() {\n"
                               "    local curcontext=$curcontext state line\n"
                               "    local -a commands\n"
                               "    commands=(\n";

static const char zsh_middle[] =
    "    )\n"
    "    _arguments -C '(- *)--help[list the commands]' '(- *)--version[print the version]' \\\n"
    "        '1:command:->command' '*::options:->options' && return\n"
    "    if [[ $state == command ]]; then\n"
    "        _describe command commands || _command_names -e\n"
    "        return\n"
    "    fi\n"
    "    case $line[1] in\n"
    "    (help)\n"
    "        _describe command commands\n"
    "        ;;\n";

static const char zsh_tail[] = "    (*)\n"
                               "        _normal\n"
                               "        ;;\n"
                               "    esac\n"
                               "}\n"
                               "\n"
                               "_loadcast \"$@\"\n";

/* Each command prints its own part, from its option table. */
static void print_parts(const struct lc_command *commands, char *how)
{
    for (; commands->name; commands++)
        commands->run(2, (char *[]){(char *)commands->name, how, NULL});
}

static void print_bash(const struct lc_command *commands)
{
    printf("# made by loadcast --completion bash\n_loadcast_commands='");
    for (const struct lc_command *c = commands; c->name; c++)
        printf("%s%s", c == commands ? "" : " ", c->name);
    printf("'\n\n");
    print_parts(commands, "--help=bash");
    fputs(bash_tail, stdout);
}

/* Print a text inside single quotes. */
static void print_quoted(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        putchar(*text);
    }
}

static void print_zsh(const struct lc_command *commands)
{
    fputs(zsh_head, stdout);
    for (const struct lc_command *c = commands; c->name; c++) {
        printf("        '%s:", c->name);
        print_quoted(c->summary);
        printf("'\n");
    }
    fputs(zsh_middle, stdout);
    print_parts(commands, "--help=zsh");
    fputs(zsh_tail, stdout);
}

int lc_completion(const char *shell, const struct lc_command *commands)
{
    if (shell && strcmp(shell, "bash") == 0)
        print_bash(commands);
    else if (shell && strcmp(shell, "zsh") == 0)
        print_zsh(commands);
    else {
        fprintf(stderr, "loadcast: --completion is for bash or zsh\n");
        return LC_EXIT_USAGE;
    }
    return LC_EXIT_OK;
}
