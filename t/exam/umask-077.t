#!/bin/sh
# A site where everything is made under umask 077: software that only its owner may read is served all the same.
. "$(dirname "$0")/../lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
umask 077
"$here/python_tree" "$tmp/tree" matplotlib mpl_toolkits PIL dateutil kiwisolver packaging pyparsing contourpy fontTools ||
    skip_all 'no Python to copy'
for module in six cycler pylab; do cp "/usr/lib/python3/dist-packages/$module.py" tree/lib/python3/dist-packages/; done 2>/dev/null
# Debian keeps the data of matplotlib apart; here it lies in its tree.
data=lib/python3/dist-packages/matplotlib/mpl-data
cp -rL /usr/share/matplotlib/mpl-data "tree/$data" 2>/dev/null && cp -L /etc/matplotlibrc "tree/$data/" 2>/dev/null &&
    sed -i "s,/usr/share/matplotlib/mpl-data,$tmp/mnt/$data," tree/lib/python3/dist-packages/matplotlib/__init__.py
zero_disk "$tmp/tree"
chmod -R go= "$tmp/tree" # copies keep the modes of the originals
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MPLBACKEND=Agg MPLCONFIGDIR="$tmp/work"

t 'numpy and matplotlib: nothing is asked, and the image is its owner'"'"'s' '
    test -d tree/lib/python3/dist-packages/matplotlib || skip "no matplotlib"
    find tree ! -type l -perm /077 | nothing
    cat >tree/figure.py <<P
import io, matplotlib, numpy, matplotlib.pyplot as plt
out = io.BytesIO()
plt.plot(numpy.arange(5), numpy.arange(5) ** 2)
plt.title("squares")
plt.savefig(out, format="png")
print(out.getvalue()[1:4], matplotlib.__file__, matplotlib.get_data_path())
P
    chmod 600 tree/figure.py
    zero "$m/bin/python3" "$m/figure.py"
    says "$m/lib/python3/dist-packages/matplotlib/__init__.py" served
    lacks "left to the file system" record.err
    [ "$(stat -c %a "$written")" = 600 ]
'
finish
