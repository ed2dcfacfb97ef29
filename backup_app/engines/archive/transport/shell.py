"""Entering a folder in POSIX sh without following symlinks, whatever is swapped meanwhile."""

# A shell cannot open a folder relative to another. So this changes into one after the other, and
# then asks the kernel where it is; all else is done in the current folder, under plain names.
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
    # Not the builtin pwd: that of bash prints the path it resolved before it changed there.
    [ "$(env pwd -P; echo .)" = "${1:-/}
." ]
}
"""
CANNOT_ENTER = 9  # exit code

# $1 a folder, then a program with its arguments, to be run in it.
RUN_IN = (
    ENTER
    + f"""
go "$1" || exit {CANNOT_ENTER}
shift
LC_ALL=C.UTF-8 exec "$@"
"""
)


def run_in(folder: bytes, *argv: str | bytes) -> list[str | bytes]:
    """Return the command that runs a program in a folder, or exits with CANNOT_ENTER."""
    return ["sh", "-c", RUN_IN, "sh", folder, *argv]
