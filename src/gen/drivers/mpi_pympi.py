# SPDX-License-Identifier: MIT
# How this driver reaches MPI: the interpreter's built-in module.
import os
import sys
import time

try:
    import mpi
except ImportError:
    sys.exit("Pynamic: this driver runs in pyMPI; for a plain python there is pynamic_driver_mpi4py.py")

WITHOUT_MPI_NS = time.time_ns() - mpi.init_ns  # when this driver began, had MPI_Init taken no time
MODE = os.path.basename(sys.executable or "pyMPI")
rank, size = mpi.rank, mpi.procs
barrier, bcast, gather, abort = mpi.barrier, mpi.bcast, mpi.gather, mpi.abort


def reduce_sum(value):
    return mpi.reduce(value, mpi.SUM)


