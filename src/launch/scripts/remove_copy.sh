# shellcheck shell=sh
# Remove $0, a file that sbcast has brought into a directory that make_user_directory.sh has judged.
rm -f "$0"
echo '@loadcast .'
