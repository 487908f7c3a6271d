#!/bin/sh
# Python's imports from node memory, with every other version of Python that stands in PATH.
. "$(dirname "$0")/lib.sh"
need_ptrace
. "$here/python/seam.sh"
number_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }
# A name in PATH may be a script of pyenv's that chooses: let it choose among all, and take the interpreter itself.
command -v pyenv >/dev/null 2>&1 && export PYENV_VERSION="$(pyenv versions --bare 2>/dev/null | paste -sd : -)"
found=
for version in 3.8 3.9 3.10 3.11 3.12 3.13; do
    path=$(command -v python$version) && [ "$(number_of "$path")" = $version ] &&
        found="$found $("$path" -c 'import sys; print(sys.executable)')"
done
others=$(for p in $found; do [ "$(readlink -f "$p")" = "$(readlink -f "$python")" ] || echo "$p"; done)
[ -n "$others" ] || skip_all 'no other Python in PATH'
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
    '
done
finish
