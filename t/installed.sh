# installed.sh - Loadcast as a user of a centre finds it. Source it after lib.sh.
#
#   install_once          installed in $prefix, the program is $installed; once in a file
#   with_module CMD...    with the module loaded that puts the launchers' stand-ins in front of PATH
install_once() {
    [ -d "$tmp/inst" ] || DESTDIR=$tmp/inst meson install -C "$build" --no-rebuild --quiet >install.log 2>&1 || skip 'cannot install'
    installed=$(find "$tmp/inst" -path '*/bin/loadcast' -type f)
    prefix=${installed%/bin/loadcast}
}
# The module names the prefix that it is installed to, not the directory that it was put in before it is packed.
with_module() {
    mkdir -p "$tmp/modules"
    sed "s,^set prefix .*,set prefix $prefix," "$prefix/share/loadcast/examples/modulefile-shims" >"$tmp/modules/loadcast"
    if [ -e /usr/share/modules/init/sh ]; then
        sh -c ". /usr/share/modules/init/sh; module use $tmp/modules; module load loadcast; exec \"\$@\"" sh "$@"
    else
        env PATH="$prefix/libexec/loadcast/shims:$prefix/bin:$PATH" "$@"
    fi
}
