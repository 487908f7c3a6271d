# SPDX-License-Identifier: MIT
# Which of two libraries a program gets: RPATH before LD_LIBRARY_PATH before RUNPATH.
bin/by-rpath; bin/by-runpath; bin/by-environment
LD_LIBRARY_PATH=$PWD/lib/two bin/by-rpath; LD_LIBRARY_PATH=$PWD/lib/two bin/by-runpath
LD_LIBRARY_PATH=$PWD/lib/two bin/by-environment; LD_LIBRARY_PATH=lib/none:lib/one bin/by-environment
(cd lib && LD_LIBRARY_PATH=two ../bin/by-environment); LD_LIBRARY_PATH=:lib/one bin/by-environment
LD_PRELOAD="$PWD/lib/two/libname.so $LD_PRELOAD" bin/by-rpath
LD_PRELOAD="$LD_PRELOAD:$PWD/lib/none.so" bin/by-rpath
ldd bin/by-rpath | grep -c libname
