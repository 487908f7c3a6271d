# SPDX-License-Identifier: MIT
# The variant for this processor, and the plain one when told so.
bin/by-hwcaps; GLIBC_TUNABLES=glibc.cpu.hwcap_mask=0 bin/by-hwcaps
LD_LIBRARY_PATH=$PWD/lib/one bin/by-hwcaps; mv lib/hw/glibc-hwcaps lib/hw/away; bin/by-hwcaps
