#!/usr/bin/env python3
"""Run a command on a terminal of its own and type: pty_run.py WAIT-FOR KEYS CMD...

Starts CMD, waits until its output contains WAIT-FOR, types KEYS (\\x03 is Ctrl-C), and prints all
output. Exit status: CMD's, 128 + signal if one ended it, 99 if it did not end within 60 s.
"""
import os
import pty
import select
import signal
import sys
import time

wait_for, keys, command = sys.argv[1].encode(), sys.argv[2].encode().decode("unicode_escape"), sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
output, typed, deadline = b"", False, time.time() + 60
while time.time() < deadline:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        output += data
    if not typed and wait_for in output:
        os.write(fd, keys.encode("latin-1"))
        typed = True
else:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    sys.exit(99)
sys.stdout.buffer.write(output)
status = os.waitpid(pid, 0)[1]
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
