# shellcheck shell=sh
# Make the directory of this user's, $0 = DIR/loadcast-UID, on a node, and report "+" if an image is staged in
# it. sbcast writes by name: no step of the path may be a link, or another user's to change.
#
# shellcheck disable=SC2034,SC2012 # unused fields of ls; ls -n is POSIX, stat is not
umask 077
PATH=/usr/bin:/bin:$PATH lc_uid=$(id -u)
# shellcheck source=trusted_path.sh
. ./trusted_path.sh
directory_is_ours() {
    [ "$(trusted_path "${0%/*}")" = "${0%/*}" ] || return 1
    mkdir "$0" 2>/dev/null
    LC_ALL=C ls -ldn "$0" 2>/dev/null | {
        read -r mode links owner rest || exit 1
        case $mode in drwx------*) [ "$owner" = "$lc_uid" ] ;; *) exit 1 ;; esac
    }
}
if directory_is_ours; then
    echo '@loadcast .'
    for i in "$0"/*/index; do
        [ ! -f "$i" ] || {
            echo '@loadcast +'
            break
        }
    done
else
    why='is not ours'
    [ -e "$0" ] || why='cannot be made'
    printf '@loadcast {"ok":false,"error":"%s %s","host":"%s"}\n' "$(printf %s "$0" | tr -d '\\"')" "$why" "$(uname -n)"
fi
