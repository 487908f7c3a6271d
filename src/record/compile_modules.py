# SPDX-License-Identifier: MIT
# Judge and compile Python modules: run as 'python -S -B -c THIS' by the interpreter that will load them.
#
# Standard input: strings, each ended by a NUL: the cache tag of the bytecode, then per module the optimisation
# level, the path of the source, the path of the bytecode that is there ("" if none is).
# Standard output: version and cache tag, each ended by a NUL; then, if that is the tag asked for, per module G (the bytecode is good), F (the
# module cannot be compiled, or its compilation warns) or M with the length of new bytecode (8 bytes, little
# endian) and the bytecode.
#
# Only modules that are built into every interpreter are used.
import sys, posix, _io, _warnings

_warnings.filters.insert(0, ('error', None, Warning, None, 0))
importer = sys.modules['_frozen_importlib_external']


def read(path):
    with _io.FileIO(path) as f:
        return f.readall()


def is_good(path, source, mtime, size):
    try:
        data = read(path)
        flags = importer._classify_pyc(data, 'm', {})
        if not flags & 1:
            importer._validate_timestamp_pyc(data, mtime, size, 'm', {})
        elif flags & 2:
            import _imp
            wanted = _imp.source_hash(importer._RAW_MAGIC_NUMBER, read(source))
            importer._validate_hash_pyc(data, wanted, 'm', {})
        return True
    except Exception:
        return False


def answer(level, source, target):
    st = posix.stat(source)
    mtime, size = int(st.st_mtime), st.st_size & 0xffffffff
    if target and is_good(target, source, mtime, size):
        return b'G'
    name = source.decode(sys.getfilesystemencoding(), 'surrogateescape')
    code = compile(read(source), name, 'exec', dont_inherit=True, optimize=int(level))
    now = posix.stat(source)
    if (now.st_mtime_ns, now.st_size) != (st.st_mtime_ns, st.st_size):
        return b'F'
    data = bytes(importer._code_to_timestamp_pyc(code, mtime, size))
    return b'M' + len(data).to_bytes(8, 'little') + data


out = sys.stdout.buffer
own_tag = sys.implementation.cache_tag or ''
out.write(('%d.%d.%d\0%s\0' % (sys.version_info[:3] + (own_tag,))).encode())
asked = sys.stdin.buffer.read().split(b'\0')
for i in range(1, len(asked) - 1 if asked[0] == own_tag.encode() else 0, 3):
    try:
        out.write(answer(*asked[i:i + 3]))
    except Exception:
        out.write(b'F')
out.flush()
