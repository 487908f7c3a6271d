# SPDX-License-Identifier: MIT
# One rank of the case python-import: import_rank.py [--mpi] PACKAGE...
# Written to the target beside the environment. Imports nothing before its marks that the
# interpreter has not loaded already.
import os
import sys
from time import monotonic_ns


def mark(name):
    os.write(1, b"LOADCAST_MARK=%s %d\n" % (name, monotonic_ns()))


def wait_for_the_others():
    fd = os.environ.get("LOADCAST_BARRIER_FD")
    if fd:
        os.write(1, b"LOADCAST_BARRIER\n")
        os.read(int(fd), 1)
        mark(b"barrier")


names = [word for word in sys.argv[1:] if word != "--mpi"]
if len(names) < len(sys.argv) - 1:
    from mpi4py import MPI
mark(b"start")
wait_for_the_others()
for name in names:
    __import__(name)
mark(b"import")
here = os.path.dirname(os.path.abspath(__file__)) + "/"
for name in names:
    where = getattr(sys.modules[name], "__file__", None) or here
    if not where.startswith(here):
        sys.exit("%s was imported from '%s', not from '%s'" % (name, where, here))
