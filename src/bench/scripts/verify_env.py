# SPDX-License-Identifier: MIT
# Is an environment what it should be, where it is now? verify_env.py DIR PACKAGE...
# Prints what it found; ends with 1 when the interpreter or a module comes from elsewhere.
import os
import sys

here = os.path.realpath(sys.argv[1]) + "/"
bad = False


def check(what, path):
    global bad
    is_here = os.path.realpath(path).startswith(here)
    bad |= not is_here
    print("%s: %s%s" % (what, path, "" if is_here else " (NOT in the environment)"))


check("interpreter", sys.executable)
check("library", os.__file__)
for name in sys.argv[2:]:
    __import__(name)
    check(name, getattr(sys.modules[name], "__file__", None) or list(sys.modules[name].__path__)[0])
sys.exit(1 if bad else 0)
