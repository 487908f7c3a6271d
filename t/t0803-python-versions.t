#!/bin/sh
# Python's imports from node memory, with every other version of Python on this machine: in PATH, of pyenv, and
# where deadsnakes, /opt and /usr/local have them.
. "$(dirname "$0")/lib.sh"
need_ptrace
. "$here/python/seam.sh"
number_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }
# The interpreter itself: a name in PATH may be a script of pyenv's that chooses.
find_python() {
    for path in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python$1 /usr/bin/python$1 /usr/local/bin/python$1 \
        /opt/*/bin/python$1 /opt/*/*/bin/python$1 "$(command -v python$1)"; do
        [ -x "$path" ] && [ "$(number_of "$path")" = $1 ] || continue
        "$path" -c 'import sys; print(sys.executable)'
        return
    done
}
found=$(for version in 3.8 3.9 3.10 3.11 3.12 3.13; do find_python $version; done)
others=$(for p in $found; do [ "$(readlink -f "$p")" = "$(readlink -f "$python")" ] || echo "$p"; done)
[ -n "$others" ] || skip_all 'no other Python on this machine'
for other in $others; do
    t "Python $(number_of "$other"): a program sees nothing of it" '
        rm -rf "$APP"; "$here/python/make_app" "$APP" "$other"
        prefix=$("$other" -c "import sys; print(sys.base_prefix)")
        record_options="--manage $prefix"
        recorded "$(basename "$other")" "$other" "$here/python/look.py"
        "$other" "$here/python/look.py" 2>plain.err | tidy >plain
        served "$other" "$here/python/look.py" 2>served.err | sed "s,(self\, /\, ,(self\, ,g" | tidy >served
        same plain served
        same plain.err served.err
        test "$(modules)" -gt 30
        "$other" "$here/conformance/py-import-steps.py" >plain 2>&1
        served "$other" "$here/conformance/py-import-steps.py" >served 2>&1
        same plain served
    '
done
finish
