# package.py - Loadcast for Spack: spack repo add examples/spack && spack install loadcast
# SPDX-License-Identifier: MIT
from spack.package import *


class Loadcast(MesonPackage):
    """Starts dynamically linked and Python programs on ten thousand nodes as fast as on one."""

    homepage = "https://example.org/loadcast"
    # Point this at your copy of the repository.
    git = "file:///path/to/loadcast"

    license("MIT")

    version("main", branch="main")

    requires(
        "target=x86_64:",
        "target=aarch64:",
        policy="one_of",
        msg="the objects in users' processes exist for these machines",
    )

    variant("mpi", default=True, description="Build stage-mpi, the broadcast over MPI")
    variant("stormfs", default=True, description="Build stormfs, the slow disk to test on")

    depends_on("c", type="build")
    depends_on("meson@0.56:", type="build")
    depends_on("scdoc", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson@2.11:")
    depends_on("elfutils")
    depends_on("xxhash@0.8.0:")
    depends_on("zstd")
    depends_on("sqlite")
    depends_on("libcyaml")
    depends_on("libyaml")
    depends_on("libfuse@3.10:", when="+stormfs")
    depends_on("mpi", when="+mpi")

    @run_after("install")
    def build_stage_mpi(self):
        # The one part that depends on the MPI.
        if self.spec.satisfies("+mpi"):
            libexec = join_path(self.prefix, "libexec", "loadcast")
            mpicc = Executable(self.spec["mpi"].mpicc)
            mpicc("-O2", "-o", join_path(libexec, "stage-mpi"), join_path(libexec, "stage-mpi.c"))
