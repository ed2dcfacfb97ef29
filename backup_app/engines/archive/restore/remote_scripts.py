"""Scripts that a restore runs on a client: POSIX sh, with GNU coreutils and find.

They are less safe than a restore on this machine in these points:

- The private folder is named by its path. It is in the topmost folder of its file system, where
  usually only root may rename; anyone else who may could substitute another folder.
- A file in the way of a folder is moved aside first: for a moment neither is there.
- On file systems other than that of the first restored path, files are first copied under a
  private name, one by one, so that hard links become separate files.
- An existing folder keeps the extended attributes that the restored one lacks.
"""

from ..transport.shell import ENTER

COMMON = (
    ENTER
    + r"""
umask 022

# Run the remaining arguments, then reset the times of folder $1.
keeping_times() {
    kept=$1
    shift
    touch -r "$kept" "$private/times"
    "$@"
    result=$?
    touch -r "$private/times" "$kept"
    return $result
}
"""
)

# $1: path to restore to, $2: name of the private folder. Creates it in the topmost folder of the
# same file system; prints that folder, the private folders of earlier restores in it, and a dot.
# Stays inside until its input ends, then empties it: so renaming it meanwhile has no effect.
MAKE = (
    COMMON
    + r"""
cd / || exit 1
device=$(stat -c %d .) || exit 1
here= top= rest=${1#/}
while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in
        */*) rest=${rest#*/} ;;
        *) rest= ;;
    esac
    if [ -L "./$part" ] || ! cd -P "./$part" 2>/dev/null; then
        break
    fi
    here=$here/$part
    now=$(stat -c %d .)
    if [ "$now" != "$device" ]; then
        device=$now top=$here
    fi
done
go "${top:-/}" || exit 1
umask 077
times=$(stat -c %y .)
mkdir "./$2" || exit 1
touch -m -d "$times" .
printf '%s\0' "$top"
for name in .restore-*; do
    [ -O "./$name" ] && [ "$name" != "$2" ] && printf '%s\0' "$name"
done
cd -P "./$2" && [ -O . ] && [ -z "$(ls -A)" ] && mkdir tree passed || exit 1
printf '.\0'
cat >/dev/null
find . -xdev -mindepth 1 -delete
"""
)

# $1: private folder. The folder above keeps its times, which the restore may have set.
REMOVE = r"""
cd "${1%/*}/" || exit 0
times=$(stat -c %y .)
rm -rf --one-file-system "./${1##*/}"
touch -m -d "$times" .
exit 0
"""

# Removes files and empty folders. $1: private folder, then their paths relative to its tree.
DROP = (
    COMMON
    + r"""
private=$1
shift
for path; do
    file=$private/tree/$path
    if [ -d "$file" ] && [ ! -L "$file" ]; then
        keeping_times "${file%/*}" rmdir "$file" 2>/dev/null
    else
        keeping_times "${file%/*}" rm -f "$file"
    fi
done
exit 0
"""
)

PLACING = (
    COMMON
    + r"""
private=$1 base=$2 path=${3#.}
from=$private/tree$path
say() { printf '%s%s\0' "$1" "${2#/}"; }
other_disk() { [ "$(stat -c %d .)" != "$(stat -c %d "$private")" ]; }

# Put $1 into the current folder under the name $2.
put() {
    if other_disk; then
        mine=${private##*/}.copy
        cp -a -T -- "$1" "./$mine" && mv "$MOVE" -T -- "./$mine" "./$2" || return 1
        if [ -e "./$mine" ]; then rm -rf "./$mine"; else rm -rf -- "$1"; fi
    else
        mv "$MOVE" -T -- "$1" "./$2"
    fi
}
"""
)

# $1: private folder, $2: destination ("" is the original location), $3: a folder of the tree as
# find names it, $4: the script for files. Exits with 0 when the folder is finished, and with 1 when
# find is to descend into it.
PLACE = (
    PLACING
    + r"""
one_by_one=$4
place_folder() {
    name=${path##*/}
    go "$base${path%/*}" || { say w "$path"; return 0; }
    if [ -L "./$name" ] || { [ -e "./$name" ] && [ ! -d "./$name" ]; }; then
        if [ -d "$private/passed$path" ]; then say w "$path"; return 0; fi
        if [ "$MOVE" != -f ]; then say k "$path"; return 0; fi
        mv -f -T -- "./$name" "$private/aside" || { say o "$path"; return 0; }
    elif [ -d "./$name" ]; then
        return 1
    fi
    if keeping_times "${from%/*}" put "$from" "$name"; then
        say + "$path"
    else
        say o "$path"
        [ ! -e "$private/aside" ] || mv -n -T -- "$private/aside" "./$name"
    fi
    rm -f "$private/aside"
    return 0
}

place_files() {
    go "$base$path" || { say w "$path"; return 0; }
    touch -r "$from" "$private/times"
    if [ -n "$(find "$from" -mindepth 1 -maxdepth 1 ! -type d -print -quit)" ]; then
        say + "$path"
    fi
    # Two braces side by side would be replaced by the find that runs this script.
    here='{' && here=$here'}'
    if ! other_disk; then
        find "$from" -mindepth 1 -maxdepth 1 ! -type d \
            -exec mv "$MOVE" -t . -- "$here" + 2>/dev/null
    fi
    find "$from" -mindepth 1 -maxdepth 1 ! -type d \
        -exec sh -c "$one_by_one" sh "$private" "$base" "$path" "$here" +
    touch -r "$private/times" "$from"
    return 1
}

if [ -n "$path" ]; then
    place_folder && exit 0
fi
place_files && exit 0
exit 1
"""
)

# $1 and $2: as for PLACE, $3: path of a folder, then its files that mv could not place all at once.
# They are not found by a glob, since some shells mishandle names with bytes above 127.
FILES = (
    PLACING
    + r"""
shift 3
go "$base$path" || exit 0
for file; do
    name=${file##*/}
    if [ -d "./$name" ] && [ ! -L "./$name" ] && ! rmdir "./$name" 2>/dev/null; then
        say e "$path/$name"
    elif ! put "$file" "$name"; then
        say o "$path/$name"
    elif [ -e "$file" ] || [ -L "$file" ]; then
        say k "$path/$name"
    fi
done
exit 0
"""
)

# As PLACE, for the folders that remain, deepest first: sets the metadata of each and removes it.
FINISH = (
    COMMON
    + r"""
private=$1 base=$2 path=${3#.}
from=$private/tree$path
if [ ! -d "$private/passed${path:-.root}" ]; then
    keeping_times "$from" find "$from" -mindepth 1 -delete
    { go "$base$path" && cp -a -T -- "$from" . 2>/dev/null; } || printf 'm%s\0' "${path#/}"
fi
if [ -n "$path" ]; then
    keeping_times "${from%/*}" rm -rf "$from"
fi
exit 0
"""
)

# $1: private folder, $2: destination, created if missing, $3 to $5: PLACE, FILES and FINISH. Exits
# with ``CANNOT_ENTER`` when the destination leads through a symlink. $6: an option of mv: -f
# replaces what is there, -u what is older, -n nothing.
ALL = (
    COMMON
    + r"""
export MOVE="${6:--f}"
go "$2" make || exit 9
cd "$1/tree" || exit 1
find . -type d -exec sh -c "$3" sh "$1" "$2" {} "$4" \; -prune
find . -depth -type d -exec sh -c "$5" sh "$1" "$2" {} \;
"""
)
