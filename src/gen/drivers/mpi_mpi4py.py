# SPDX-License-Identifier: MIT
# How this driver reaches MPI: the mpi4py package.
import os
import sys
import time

WITHOUT_MPI_NS = time.time_ns()  # when this driver began; importing mpi4py is MPI_Init
try:
    from mpi4py import MPI
except ImportError as reason:
    sys.exit("Pynamic: this driver needs mpi4py in %s: %s" % (sys.executable, reason))

MODE = "mpi4py"
_comm = MPI.COMM_WORLD
rank, size = _comm.Get_rank(), _comm.Get_size()
barrier, bcast, gather, abort = _comm.Barrier, _comm.bcast, _comm.gather, _comm.Abort


def reduce_sum(value):
    return _comm.reduce(value, op=MPI.SUM)


