#!/bin/sh
# make check is green only if nothing failed: a file that fails and passes alone is named, and is a failure.
. "$(dirname "$0")/lib.sh"
# A small tree with the tools as they are, and two legs of three test files each. A test file does what the
# first word of do/LEG/NAME says, and when it is run again what the second says.
mkdir -p tree/tools tree/.ci tree/do/build/unit tree/do/build-san/unit
cp "$src/tools/check" "$src/tools/tally" tree/tools/
[ ! -e "$src/.ci/run" ] || cp "$src/.ci/run" tree/.ci/
printf 'check:\n\t@tools/check\n' >tree/Makefile
printf '#!/bin/sh\n[ -d "$1" ] || meson setup "$1" >/dev/null; rm -f "$1"/build.ninja\n' >tree/tools/build
cat >tree/meson.build <<'EOF'
project('loadcast')
foreach name, suite : {'one': 'e2e', 'two': 'e2e', 'unit/three': 'unit'}
  test(name, files('case.t'), args: [name, meson.project_build_root()], suite: suite, protocol: 'tap', timeout: 4)
endforeach
EOF
cat >tree/case.t <<'EOF'
#!/bin/sh
at=$(dirname "$0")/do/$(basename "$2")/$1
read -r now then 2>/dev/null <"$at"
[ ! -e "$at" ] || echo "$then" >"$at"
echo "ok 1 - first"
case ${now:-pass} in
pass) echo "ok 2 - second" ;;
fail) echo "not ok 2 - second" ;;
die) kill -SEGV $$ ;;
hang) exec sleep 60 ;;
esac
echo 1..2
EOF
chmod +x tree/tools/build tree/case.t

# Two test cases in each of three files, and two legs where clang is.
total=6 clang=
if command -v clang >/dev/null; then total=12 clang=1; fi
last() { is "$(tail -1 out)" "$1"; }
is() { [ "$1" = "$2" ] || { echo "is '$1', expected '$2'"; cat out; return 1; }; }
unset LOADCAST_UNSTEADY_FILES MAKELEVEL MAKEFLAGS MFLAGS # of a make check that this is part of

t 'all passed' '
    code 0 make -s -C tree check
    last "$total passed, 0 failed, 0 skipped"
'
t 'what failed and passes alone is UNSTEADY and fails the check' '
    echo "fail pass" >tree/do/build/one
    code 2 make -s -C tree check
    says "FAILED: loadcast:e2e / one: 2 - second" out
    says "UNSTEADY: build one: failed, passed alone" out
    last "$((total - 1)) passed, 1 failed, 0 skipped"
'
t 'so does a file that timed out or crashed the first time' '
    echo "hang pass" >tree/do/build/one
    echo "die pass" >tree/do/build/two
    code 2 make -s -C tree check
    says "FAILED: build one: TIMEOUT" out
    says "FAILED: build two: ERROR" out
    says "UNSTEADY: build one: failed, passed alone" out
    says "UNSTEADY: build two: failed, passed alone" out
    last "$total passed, 2 failed, 0 skipped"
'
t 'what fails alone, too, is not called UNSTEADY' '
    echo "fail fail" >tree/do/build/one
    code 2 make -s -C tree check
    lacks UNSTEADY out
    last "$((total - 1)) passed, 1 failed, 0 skipped"
'
t 'where one such file is tolerated, it passes and is named in the last lines' '
    [ -e tree/.ci/run ] || skip "no .ci/run in this copy of the source"
    for first in fail die; do
        echo "$first pass" >tree/do/build/two
        code 0 tree/.ci/run
        is "$(tail -2 out | head -1)" "UNSTEADY: build two: failed, passed alone; tolerated, look for the cause"
        last "$total passed, 0 failed, 0 skipped"
    done
'
t 'a second one is not, in whichever leg' '
    [ -n "$clang" ] || skip "no clang: there is one leg only"
    echo "fail pass" >tree/do/build/one
    echo "fail pass" >tree/do/build-san/two
    LOADCAST_UNSTEADY_FILES=1 code 2 make -s -C tree check
    says "UNSTEADY: build one: failed, passed alone" out
    says "UNSTEADY: build-san two: failed, passed alone" out
    lacks tolerated out
    last "$((total - 2)) passed, 2 failed, 0 skipped"
'
t 'a failure beside a tolerated file is a failure' '
    echo "fail pass" >tree/do/build/one
    echo "fail fail" >tree/do/build/unit/three
    LOADCAST_UNSTEADY_FILES=1 code 2 make -s -C tree check
    says "FAILED: loadcast:unit / unit/three: 2 - second" out
    says "UNSTEADY: build one: failed, passed alone; tolerated" out
    last "$((total - 1)) passed, 1 failed, 0 skipped"
'
t 'a leg that cannot be built is a failure' '
    printf "#!/bin/sh\nexit 1\n" >tree/tools/build
    code 2 make -s -C tree check
    last "0 passed, 1 failed, 0 skipped"
'
finish
