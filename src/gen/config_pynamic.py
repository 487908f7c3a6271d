#!/bin/sh
''':'
# config_pynamic.py - the name Pynamic's instructions use: loadcast gen into the current directory
# (Also valid Python, for those who type 'python config_pynamic.py'.)
here=$(dirname "$(readlink -f "$0")")
[ -x "$here/loadcast" ] && exec "$here/loadcast" gen --beside "$@"
exec loadcast gen --beside "$@"
'''
import os
import sys

beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), "loadcast")
program = beside if os.access(beside, os.X_OK) else "loadcast"
os.execvp(program, ["loadcast", "gen", "--beside"] + sys.argv[1:])
