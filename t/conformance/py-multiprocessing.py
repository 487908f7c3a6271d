# SPDX-License-Identifier: MIT
# multiprocessing by fork, spawn and forkserver.
import multiprocessing, os
def see(x):
    import package
    return x, os.path.exists("data/none"), open("data/file").read(), package.__file__
if __name__ == "__main__":
    for way in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(2) as pool:
            print(way, sorted(pool.map(see, range(4))))
