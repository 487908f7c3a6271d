-- modulefile-shims.lua - as examples/modulefile.lua, and job scripts need not be changed: srun, mpiexec and
-- mpirun go through Loadcast. Users switch it off by LOADCAST=0, the site by loadcast.conf(5).
help([[srun, mpiexec and mpirun start programs through Loadcast, where an image of them is known.
LOADCAST=0 srun ... starts one without it. 'man loadcast-run' tells the rest.]])
whatis("Starts dynamically linked and Python programs on many nodes as fast as on one")
local prefix = "/opt/loadcast/0.2.0"
prepend_path("PATH", pathJoin(prefix, "bin"))
-- In front of every other launcher: load this module after that of the MPI.
prepend_path("PATH", pathJoin(prefix, "libexec/loadcast/shims"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
-- An empty element stands for the manuals of the system.
append_path("MANPATH", "")
