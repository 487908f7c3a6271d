# SPDX-License-Identifier: MIT
# A build in a served tree: sources made, compiled, linked, run, cleaned.
command -v cc >/dev/null || exit 0
mkdir build && cd build
echo 'int answer(void); int main(void) { return answer() != 42; }' >main.c
echo 'int answer(void) { return 42; }' >answer.c
cc -c main.c answer.c && cc -shared -fPIC -o libanswer.so answer.c && cc -o program main.c -L. -lanswer -Wl,-rpath,'$ORIGIN'
./program; echo $?
echo 'int answer(void) { return 43; }' >answer.c; cc -shared -fPIC -o libanswer.so answer.c; ./program; echo $?
rm libanswer.so; ./program 2>/dev/null; echo $?; ls; cd ..; rm -r build; ls -d build
