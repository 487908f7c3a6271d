# shellcheck shell=sh
# package_forget: take the node package out of the environment, if it came in variables.
#
# shellcheck disable=SC2086 # lc_k is a number
package_forget() {
    lc_k=${LOADCAST_KITS:-0}
    unset LOADCAST_KITS
    while [ $lc_k -gt 0 ]; do
        unset LOADCAST_KIT$lc_k
        lc_k=$((lc_k - 1))
    done
}
