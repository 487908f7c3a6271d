# C++ exceptions and typeinfo across libraries.
cat >x.h <<'E'
struct Oops { virtual ~Oops(); int n; };
void raise_it(int);
E
echo '#include "x.h"
Oops::~Oops() {} void raise_it(int n) { Oops o; o.n = n; throw o; }' >x.cc
cat >m.cc <<'E'
#include "x.h"
#include <cstdio>
#include <stdexcept>
int main() { try { raise_it(6); } catch (const Oops &o) { std::printf("%d\n", o.n); }
    try { throw std::runtime_error("std"); } catch (const std::exception &e) { std::puts(e.what()); } }
E
need_cxx
lib libx.so x.cc
prog main m.cc -lx
