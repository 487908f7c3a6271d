#!/bin/sh
# The module 'mpi' that is built into pyMPI.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"
needs_mpi

loadcast gen 2 2 --modes pyMPI --out w >gen.log 2>&1 || {
    sed 's/^/# /' gen.log
    skip_all 'gen failed'
}
python_in() { # TASKS, script on standard input: every task must end well
    cat >script.py
    mpi "$1" w/pyMPI script.py
}
t 'rank, procs and size' '
    python_in 3 <<EOF
import mpi
assert mpi.procs == mpi.size == 3 and 0 <= mpi.rank < 3
assert sorted(mpi.allgather(mpi.rank)) == [0, 1, 2]
assert mpi.name and mpi.wtime() >= 0
EOF
    w/pyMPI -c "import mpi; assert (mpi.rank, mpi.procs) == (0, 1)" 2>e
    [ ! -s e ]
'
cat >collective.py <<'EOF'
import mpi
n, r = mpi.procs, mpi.rank
mpi.barrier()
for root in range(n):
    for thing in (None, True, 7, -1 << 80, 2.5, "text \u00e9", b"bytes", bytearray(b"ba"), [1, "a", (2,)],
                  {"k": {3}}, object, complex(1, 2), b"", "", []):
        got = mpi.bcast(thing if r == root else None, root)
        assert got == thing and type(got) is type(thing), (got, thing)
    assert mpi.gather((r, "x" * r), root) == ([(i, "x" * i) for i in range(n)] if r == root else None)
    assert mpi.scatter([[i] for i in range(n)] if r == root else None, root) == [r]
    assert mpi.reduce(r + 1, mpi.SUM, root) == (n * (n + 1) // 2 if r == root else None)
    assert mpi.reduce([r], root=root) == (list(range(n)) if r == root else None)
assert mpi.allgather(r * r) == [i * i for i in range(n)]
fold = mpi.allreduce
fact = 1
for i in range(n): fact *= i + 1
assert fold(r + 1, mpi.PROD) == fact
assert fold(r, mpi.MIN) == 0 and fold(r, mpi.MAX) == n - 1
assert fold((r % 2, r), mpi.MINLOC) == (0, 0)
assert fold((-(r % 2), r), mpi.MAXLOC) == (0, 0)
assert fold(r > 0, mpi.LOR) is (n > 1) and fold(True, mpi.LAND) is True and fold(r > 0, mpi.LAND) is False
assert fold(r == 0, mpi.LXOR) is True
assert fold(1 << r, mpi.BOR) == (1 << n) - 1 and fold(-1 ^ 1 << r, mpi.BAND) == -1 << n
assert fold(1 << r, mpi.BXOR) == (1 << n) - 1
assert fold(2.5) == 2.5 * n and fold("a%d" % r) == "".join("a%d" % i for i in range(n))
# order of ranks is kept, so an operator need not be commutative; any function will do
assert fold([r], lambda a, b: a + b) == list(range(n))
assert fold(1 << 70) == n << 70
mpi.barrier()
EOF
for n in 1 2 3 4; do
    t "collective operations, $n tasks" "mpi $n w/pyMPI collective.py"
done
t 'send and recv: tags, any source, status, large' '
    python_in 3 <<EOF
import mpi
if mpi.rank == 0:
    got = sorted(mpi.recv(tag=tag)[0] for tag in (6, 5, 5, 6))
    assert got == [("hello", 1, 5), ("hello", 1, 6), ("hello", 2, 5), ("hello", 2, 6)], got
    text, status = mpi.recv(2, 9)
    assert text == "from 2" and status == {"source": 2, "tag": 9}, (text, status)
    big, status = mpi.recv(tag=11, source=1)
    assert len(big) == 3 << 20 and big[-1] == 7
    mpi.send({"all": "well"}, 1)
else:
    for tag in 5, 6:
        mpi.send(("hello", mpi.rank, tag), 0, tag)
    if mpi.rank == 2: mpi.send("from 2", dest=0, tag=9)
    if mpi.rank == 1:
        mpi.send(bytes(3 << 20)[:-1] + b"\7", 0, 11)
        assert mpi.recv(0)[0] == {"all": "well"}
EOF
'
t 'buffers: received in place, also numpy arrays' '
    python_in 2 <<EOF
import mpi
if mpi.rank == 0:
    mpi.send(memoryview(b"0123456789"), 1)
    mpi.send(b"too long for it", 1)
    mpi.send(b"next", 1)
else:
    room = bytearray(b"." * 12)
    got, _ = mpi.recv(0, into=room)
    assert got is room and room == b"0123456789..", room
    try:
        mpi.recv(0, into=bytearray(3))
        raise SystemExit("a message that does not fit was taken")
    except ValueError as e:
        assert "does not fit" in str(e)
    assert mpi.recv(0)[0] == b"next"
room = bytearray(4)
mpi.bcast(b"four" if mpi.rank == 0 else None, 0, into=room)
assert mpi.rank == 0 or room == b"four"
try:
    import numpy
except ImportError:
    raise SystemExit(0)
a = mpi.bcast(numpy.arange(100000.0).reshape(100, 1000) if mpi.rank == 0 else None)
assert a.shape == (100, 1000) and a[99, 999] == 99999 and a.flags.writeable
assert mpi.allreduce(numpy.ones(5) * (mpi.rank + 1)).tolist() == [3.0] * 5
target = numpy.zeros(1000)
if mpi.rank == 0: mpi.send(memoryview(numpy.arange(1000.0)), 1)
else:
    mpi.recv(0, into=target)
    assert target[999] == 999
EOF
'
t 'sending large buffers takes no second copy of them' '
    python_in 2 <<EOF
import mpi, resource
size = 200 << 20
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
if mpi.rank == 0:
    data = bytearray(size)
    data[::4096] = b"x" * len(data[::4096])
    before = peak()
    mpi.send(data, 1)
else:
    before = peak()
    got, _ = mpi.recv(0)
    assert len(got) == size
    before += size
assert peak() - before < size // 2, (mpi.rank, peak() - before)
EOF
'
t 'mistakes raise, and do not hang' '
    cat >script.py <<EOF
import mpi
def raises(kind, function, *args, **kwargs):
    try: function(*args, **kwargs)
    except kind: return
    raise SystemExit("%s%s did not raise %s" % (function, args, kind))
raises(ValueError, mpi.send, 1, 99)
raises(ValueError, mpi.send, 1, -1)
raises(ValueError, mpi.send, 1, 0, -5)
raises(ValueError, mpi.recv, 99)
raises(ValueError, mpi.bcast, 1, 9)
raises(ValueError, mpi.gather, 1, -1)
raises(ValueError, mpi.scatter, [1, 2, 3])
raises(TypeError, mpi.scatter, 5)
raises(TypeError, mpi.reduce, 1, 5)
raises(TypeError, mpi.allreduce)
raises(Exception, mpi.allreduce, 1, mpi.SUM, 7)
EOF
    code 0 timeout 30 w/pyMPI script.py
'
t 'what cannot be pickled is refused where it is sent' '
    code 1 mpi 2 w/pyMPI -c "
import mpi
if mpi.rank == 0: mpi.send(lambda: 0, 1)
else: mpi.recv(0)"
    says "ickle" err
'
t 'one task with an exception ends all' '
    code 1 mpi 3 w/pyMPI -c "
import mpi
if mpi.rank == 1: raise KeyError(5)
mpi.barrier()"
    says "KeyError: 5" err
'
t 'abort and exit codes come through' '
    code 7 mpi 2 w/pyMPI -c "import mpi; mpi.abort(7)"
    code 4 w/pyMPI -c "import sys; sys.exit(4)"
    code 0 mpi 2 w/pyMPI -c "import sys; sys.exit(0)"
    code 1 w/pyMPI nosuchfile.py || code 2 w/pyMPI nosuchfile.py
'
t 'the modules declare Python'\''s structures as Python does' '
    cat >abi.c <<EOF
#include <Python.h>
#include <stddef.h>
#define SAME(a, b) _Static_assert((a) == (b), #a)
SAME(offsetof(PyModuleDef, m_name), 5 * sizeof(long));
SAME(offsetof(PyModuleDef, m_size), 7 * sizeof(long));
SAME(offsetof(PyModuleDef, m_methods), 8 * sizeof(long));
SAME(sizeof(PyModuleDef), 13 * sizeof(long));
SAME(offsetof(PyMethodDef, ml_meth), sizeof(long));
SAME(offsetof(PyMethodDef, ml_flags), 2 * sizeof(long));
SAME(sizeof(PyMethodDef), 4 * sizeof(long));
SAME(METH_NOARGS, 4);
EOF
    mpicc -fsyntax-only $($python -c "import sysconfig as s; print(\"-I\" + s.get_path(\"include\"))") abi.c
'
t 'a Python that has only an archive can be embedded as well' '
    cat >archive.py <<EOF
#!$python
# Answers like a Python that was built without a shared library.
import io, contextlib, sys, sysconfig
v = sysconfig.get_config_var
name = "%s/libpython%s.a" % (v("LIBPL"), v("LDVERSION"))
print("I -I" + sysconfig.get_path("include"))
for word in [name] + (v("LIBS") + " " + v("SYSLIBS") + " -lm -lz -lexpat").split():
    print("L", word)
print("S 1")
EOF
    chmod +x archive.py
    [ -e "$(./archive.py | sed -n "s/^L \(.*\.a\)$/\1/p")" ] || skip "no archive of libpython"
    code 0 loadcast gen 5 5 -u 2 5 --with-python=./archive.py --modes pyMPI,pynamic-sdb-pyMPI --out ar ||
        { grep -q "cannot find -l\|libpython3[^ ]*\.a(" err && skip "libraries of the archive, or parts of it, are missing"; }
    for m in pyMPI pynamic-sdb-pyMPI; do
        readelf -d ar/$m | grep libpython | nothing
        ar/$m ar/pynamic_driver.py >o && says "mpi test passed!" o
        ar/$m -c "import ctypes, decimal"
    done
'
t 'it is an interpreter like any other' '
    [ "$(echo "print(6 * 7)" | w/pyMPI)" = 42 ]
    w/pyMPI -V | grep -q "^Python 3"
    w/pyMPI -m json.tool --help >o && says usage o
    echo "import sys; print(sys.argv[1:])" >args.py
    [ "$(w/pyMPI args.py a "b c")" = "['\''a'\'', '\''b c'\'']" ]
'
finish
