# evil.sh - code that the attacker plants. Source it after users.sh.
#
#   $tmp/evil        a program, and $tmp/evil.so a library: they leave a mark that tells as whom they ran
#   flip A B         the attacker makes names A and B change places, as fast as he can, until 'still'
#   $mkimage, and app.lcast: an image of app/true, made by root
#   unmarked         fails if anything of it ever ran as the victim
cat >evil.c <<EOS
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void leave_mark(void)
{
    char name[200];
    snprintf(name, sizeof(name), "$tmp/mark.%d", (int)geteuid());
    close(open(name, O_CREAT | O_WRONLY, 0644));
}
unsigned la_version(unsigned version) { return version; }
int main(int argc, char **argv)
{
    if (argc > 1)
        execvp(argv[1], argv + 1);
    return 0;
}
EOS
${CC:-cc} -o evil evil.c && ${CC:-cc} -shared -fPIC -o evil.so evil.c || skip_all 'no compiler'
cat >flip.c <<'EOS'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    while (argc == 3 && renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE) == 0)
        ;
    perror("flip");
    return 1;
}
EOS
${CC:-cc} -O2 -o flip flip.c || skip_all 'no renameat2'
chmod 755 evil evil.so flip
mkimage=${PROGRAMS:-$build/t}/mkimage
mkdir app && cp /bin/true app/ && "$mkimage" app.lcast app && chmod 644 app.lcast || exit 1
at_exit "rm -rf /dev/shm/loadcast-$victim_uid* /tmp/loadcast-$victim_uid* /dev/shm/.loadcast-kit.$victim_uid.*"
flip() { (exec setpriv --reuid $attacker_uid --regid $attacker_uid --clear-groups "$tmp/flip" "$@" 2>/dev/null) & flipping=$!; }
still() { kill $flipping && wait $flipping 2>/dev/null || :; }
unmarked() {
    [ ! -e "$tmp/mark.$victim_uid" ] && [ ! -e "$tmp/mark.65534" ] && return
    rm -f "$tmp"/mark.*
    echo 'code of the attacker ran as the victim'
    return 1
}
