# SPDX-License-Identifier: MIT
# A real package with many extensions.
import numpy, numpy.linalg, numpy.fft
print(numpy.__file__, numpy.linalg.inv([[2.0, 1.0], [1.0, 3.0]]).round(6).tolist(), numpy.fft.fft([1, 2, 3]).round(3).tolist())
numpy.savez
print(numpy.loadtxt("data/big", max_rows=3).tolist())
