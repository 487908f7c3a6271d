#!/usr/bin/env python3
"""Lines of documentation and examples that show a command: said_lines.py FILE...

Prints FILE:LINE and the words of 'loadcast COMMAND ...' up to "--" or where the command ends, with tabs between
them: what a shell would make of it, variables left as they are.
"""
import re
import shlex
import sys

COMMAND = re.compile(r"(?:\bloadcast|\$LOADCAST) ((?:[a-z]+|--?[a-z]+)\b.*)", re.S)
END = {"--", "|", "||", "&&", ";", "&", ">", ">>", "<", "2>", ">&2", "2>/dev/null", "..."}


def pieces(name, text):
    """(line number, text) of what is meant as commands."""
    if name.endswith((".sh", ".cron", ".service", ".lua", "modulefile")):
        text = re.sub(r"\\\n\s*", lambda m: " " * len(m.group()), text)
        lines = [(n, l) for n, l in enumerate(text.split("\n"), 1) if not l.lstrip().startswith("#")]
        return [(n, re.sub(r'^puts stderr "(.*)"$|^help\(\[\[', r"\1", l.strip())) for n, l in lines]
    if name.endswith(".scd"):
        # What stands alone on its line; "++" is scdoc's line break.
        return [(n, re.sub(r"\+\+$", "", l).replace("\\", "").strip()) for n, l in enumerate(text.split("\n"), 1)
                if re.match(r"\t?loadcast [a-z]", l) and "_" not in re.sub(r"\w_\w", "", l)]
    found = []
    for n, line in enumerate(text.split("\n"), 1):
        if line.startswith("    "):
            found.append((n, re.sub(r"\s+#.*", "", line)))
        found += [(n, span) for span in re.findall(r"`([^`]+)`", line)]
    return found


def words(text):
    out = []
    try:
        split = shlex.split(text)
    except ValueError:
        split = text.split()
    for word in split:
        if word in END:
            break
        stop = word.endswith((";", ")"))
        out.append(word.rstrip(";)"))
        if stop:
            break
    return out


# The first word of a launch line, which Loadcast starts as it is: no command of ours to be looked up.
LAUNCHERS = {"srun", "mpiexec", "mpirun"}

for name in sys.argv[1:]:
    for number, text in pieces(name, open(name, encoding="utf-8").read()):
        match = COMMAND.search(text)
        if match and match.group(1).split()[0] not in LAUNCHERS:
            print("%s:%d" % (name, number), *words(match.group(1)), sep="\t")
