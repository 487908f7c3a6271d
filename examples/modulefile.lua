-- modulefile.lua - Loadcast for Lmod; the same in Tcl is examples/modulefile
help([[loadcast srun -n 24000 python3 app.py
'man loadcast-run' tells the rest.]])
whatis("Starts dynamically linked and Python programs on many nodes as fast as on one")
local prefix = "/opt/loadcast/0.2.0"
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
-- An empty element stands for the manuals of the system.
append_path("MANPATH", "")
-- Where nodes' /dev/shm is small or mounted noexec:
-- setenv("LOADCAST_DIR", "/local/scratch")
-- Where homes are small, or not there on the nodes:
-- setenv("LOADCAST_STORE", pathJoin("/scratch", os.getenv("USER"), "loadcast"))
