"""Entering folders of any machine safely, in POSIX sh: through no symlink, whoever swaps one in."""

# A shell opens no folder relative to another. So this changes into one after the other and asks
# the kernel then where it is; what follows is done in the current folder, under plain names.
ENTER = r"""
LC_ALL=C
export LC_ALL
unset CDPATH

# Change into the absolute path $1 ("" is the root), never through a symlink; with $2 make what is
# not there.
go() {
    cd / || return 1
    rest=${1#/}
    while [ -n "$rest" ]; do
        part=${rest%%/*}
        case $rest in
            */*) rest=${rest#*/} ;;
            *) rest= ;;
        esac
        if [ -n "${2-}" ] && [ ! -e "./$part" ] && [ ! -L "./$part" ]; then
            mkdir "./$part" 2>/dev/null
        fi
        if [ -L "./$part" ] || ! cd -P "./$part" 2>/dev/null; then
            return 1
        fi
    done
    # Not by the builtin: that of bash tells what it had resolved before it changed there.
    [ "$(env pwd -P; echo .)" = "${1:-/}
." ]
}
"""
NO_WAY = 9  # the exit code when a folder cannot be entered

# $1 a folder, then a program with its arguments, to be run in it.
RUN_IN = (
    ENTER
    + f"""
go "$1" || exit {NO_WAY}
shift
LC_ALL=C.UTF-8 exec "$@"
"""
)


def run_in(folder: bytes, *argv: str | bytes) -> list[str | bytes]:
    """Return what runs a program in an absolute folder, or ends with ``NO_WAY``."""
    return ["sh", "-c", RUN_IN, "sh", folder, *argv]
