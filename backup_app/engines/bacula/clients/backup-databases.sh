#!/bin/sh
# Dumps and loads databases of this machine for its backups by Bacula.
#
#   backup-databases list KIND              print the names of the databases, one a line
#   backup-databases dump KIND NAME         write a dump to the standard output
#   backup-databases load KIND NAME [WHERE] take a dump from the standard input
#
# KIND is mysql or postgresql. It belongs to root, mode 0755, and is started by bacula-fd.
#
# Credentials of the database server: [client] in /etc/backup-databases/mysql.cnf or in
# /etc/backup-databases/pg_service.conf, whose password is in pgpass beside it. They must be owned
# by root, mode 0600. Without them the script logs in as root to mysql, as postgres to postgresql.
#
# WHERE /dev/null/load-database/TARGET replaces the content of the database TARGET, once it is saved
# and the whole dump has arrived undamaged. Any other folder gets a file, WHERE/.databases/KIND/NAME.sql.

CONFIG=${BACKUP_DATABASES_CONFIG:-/etc/backup-databases}
STATE=${BACKUP_DATABASES_STATE:-/var/lib/backup-databases}
LOAD=/dev/null/load-database
SEAL='-- Whole, sha256'
LONGEST=510 # bytes of WHERE, which bpipe cuts off

LC_ALL=C
HOME=${HOME:-/root}
PATH=${PATH:-/bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL HOME PATH
unset CDPATH
umask 077
verb=${1-} kind=${2-} name=${3-}
cd / || exit 1

say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "$@"
    # Otherwise Bacula would restore nothing that comes after this dump.
    [ "$verb" != load ] || cat >/dev/null
    exit 1
}

# --- The tools of the servers -----------------------------------------------------------------

# Set tool to the first program that is installed.
pick() {
    for tool; do
        command -v "$tool" >/dev/null && return
    done
    fail "'$1' is not installed on this machine: install its package."
}

# Return whether there is a credentials file; fail for one that others can read.
given() {
    file=$CONFIG/$1
    [ -e "$file" ] || return 1
    set -- $(ls -ldnL "$file")
    case $1:$3 in
        -r??------*:0 | -r??------*:"$(id -u)") ;;
        *) fail "The credentials '$file' can be read by others, so they are not used." ;;
    esac
}

mysql_run() {
    if given mysql.cnf; then
        set -- "--defaults-file=$file" "$@"
    fi
    "$tool" "$@"
}

mysql_list() {
    pick mariadb mysql
    mysql_run --batch --skip-column-names --connect-timeout=10 --execute='SHOW DATABASES'
}

mysql_dump() {
    pick mariadb-dump mysqldump
    mysql_run --single-transaction --quick --routines --triggers --events --hex-blob --comments \
        --no-tablespaces --default-character-set=utf8mb4 -- "$1"
}

mysql_load() {
    pick mariadb mysql
    # In binary mode the client ignores its own commands in the dump.
    mysql_run --batch --binary-mode --local-infile=0 --default-character-set=utf8mb4 \
        "--database=$1"
}

# Return whether this is the end of a complete dump.
mysql_complete() {
    tail -n 1 | grep -q '^-- Dump completed'
}

# A bare name could be taken for a whole connection string; a valid one has no quote.
postgresql_run() {
    name_of=$1
    shift
    if given pg_service.conf; then
        PGSERVICEFILE=$file
        export PGSERVICEFILE
        if given pgpass; then
            PGPASSFILE=$file
            export PGPASSFILE
        fi
        "$tool" --no-password "--dbname=dbname='$name_of' connect_timeout='10' service='client'" "$@"
        return
    fi
    set -- "$tool" --no-password "--dbname=dbname='$name_of' connect_timeout='10'" "$@"
    if [ "$(id -u)" = 0 ] && id postgres >/dev/null 2>&1; then
        set -- runuser -u postgres -- "$@"
    fi
    "$@"
}

postgresql_list() {
    pick psql
    postgresql_run postgres --no-psqlrc --tuples-only --no-align --command="
        SELECT datname FROM pg_database
        WHERE datallowconn AND has_database_privilege(datname, 'CONNECT')"
}

postgresql_dump() {
    pick pg_dump
    postgresql_run "$1" --format=plain --clean --if-exists
}

postgresql_load() {
    pick psql
    # All or nothing. An end of the input is not enough: a lost connection looks the same.
    { echo 'BEGIN;' && cat && echo 'COMMIT;'; } |
        postgresql_run "$1" --no-psqlrc --quiet --set=ON_ERROR_STOP=1
}

# Newer versions end their restriction of psql after the line that says so.
postgresql_complete() {
    awk '/^-- PostgreSQL database dump complete$/ { whole = 1; next }
        !/^(--)?$/ && !/^\\unrestrict / { whole = 0 }
        END { exit !whole }'
}

# --- Work in progress -------------------------------------------------------------------------

work=
part=

begin() {
    [ ! -L "$STATE" ] && mkdir -p -m 0700 "$STATE" || fail "The folder '$STATE' cannot be created."
    for old in "$STATE"/work.*; do
        [ ! -d "$old" ] || kill -0 "${old##*.}" 2>/dev/null || rm -rf "$old"
    done
    work=$STATE/work.$$
    trap end EXIT
    trap 'exit 1' HUP INT PIPE TERM
    mkdir "$work" || fail "The folder '$work' cannot be created."
}

end() {
    rm -rf "$work" ${part:+"$part"}
}

sum() {
    if command -v sha256sum >/dev/null; then
        sha256sum
    else
        shasum -a 256
    fi | cut -d ' ' -f 1
}

# --- The verbs --------------------------------------------------------------------------------

dump() {
    begin
    mkfifo "$work/sums" "$work/ends" || exit 1
    sum <"$work/sums" >"$work/sum" &
    tail -c 4096 <"$work/ends" >"$work/end" &
    { ("${kind}_dump" "$name") || echo $? >"$work/failed"; } | tee "$work/sums" "$work/ends" || exit 1
    wait
    require_complete "$name" "$work/end"
    # Bacula would not notice missing or damaged parts when it restores this.
    printf '%s %s\n' "$SEAL" "$(cat "$work/sum")"
}

require_complete() {
    [ ! -e "$work/failed" ] || fail "The dump of the $kind database '$1' failed."
    "${kind}_complete" <"$2" || fail "The dump of the $kind database '$1' was cut off."
}

load() {
    # Loading must not stop because the messages are no longer read.
    begin
    trap '' PIPE
    case $1 in
        "$LOAD"/*) replace "${1#"$LOAD"/}" ;;
        *) save "$1" ;;
    esac
}

replace() {
    require_name "$1"
    receive "$work/dump.sql"
    ("${kind}_dump" "$1") >"$work/safety.sql" || echo $? >"$work/failed"
    tail -c 4096 "$work/safety.sql" >"$work/end"
    require_complete "$1" "$work/end"
    safety=$STATE/$kind-$1-$(date -u +%Y%m%dT%H%M%SZ)-$$.sql
    mv "$work/safety.sql" "$safety" || fail "The file '$safety' cannot be written."
    # Printed beforehand, since a killed script cannot print it afterwards.
    say "Saved the current $kind database '$1' to '$safety'."
    if "${kind}_load" "$1" <"$work/dump.sql" >/dev/null 2>"$work/words"; then
        # Printing fails if the job was canceled meanwhile: then the file stays.
        say "Loaded the $kind database '$1': $(wc -c <"$work/dump.sql") bytes." && rm -f "$safety"
    else
        tail -c 2000 "$work/words" >&2
        fail "Loading the $kind database '$1' failed. Its former content is in '$safety'."
    fi
}

# Save the dump below a folder, following no symlink below that.
save() {
    case $1 in
        '' | /) base= ;;
        /*) base=${1%/} ;;
        *) fail "The folder '$1' is not an absolute path." ;;
    esac
    (umask 022 && mkdir -p "$base/") && cd -P "$base/" || fail "The folder '$base' cannot be created."
    enter .databases
    enter "$kind"
    file=$base/.databases/$kind/$name.sql
    [ ! -d "./$name.sql" ] || fail "There is a folder '$file'."
    part=$(mktemp "$(pwd -P)/.$name.sql.XXXXXX") || fail "The file '$file' cannot be written."
    receive "$part"
    mv -f "$part" "./$name.sql" || fail "The file '$file' cannot be written."
    part=
    say "Wrote the dump of the $kind database '$name' to '$file'; it is loaded into no database."
}

enter() {
    above=$(pwd -P)
    [ -d "./$1" ] || mkdir "./$1" || fail "The folder '${above%/}/$1' cannot be created."
    if [ -L "./$1" ] || ! cd -P "./$1" || [ "$(pwd -P)" != "${above%/}/$1" ]; then
        fail "'${above%/}/$1' is not a folder."
    fi
}

receive() {
    cat >"$1" || fail "The dump of the $kind database '$name' cannot be written; it is not loaded."
    seal=$(tail -n 1 "$1" | head -c 200 | tr -d '\0')
    case $seal in
        "$SEAL "*) ;;
        *) fail "The dump of the $kind database '$name' is cut off; it is not loaded." ;;
    esac
    size=$(($(wc -c <"$1") - ${#seal} - 1))
    if [ "$(head -c "$size" "$1" | sum)" != "${seal##* }" ]; then
        fail "The dump of the $kind database '$name' is damaged; it is not loaded."
    fi
}

# --- Arguments --------------------------------------------------------------------------------

require_name() {
    case $1 in
        '' | [-\$]* | *[!A-Za-z0-9_\$-]*) fail "'$1' is not a valid name of a database." ;;
    esac
}

# Bacula has put WHERE into a comment of the shell command that started this, unquoted: no shell
# reads it there, whatever is in it.
asked_where() {
    if [ -r "/proc/$PPID/cmdline" ]; then
        line=$(tr '\0' '\n' <"/proc/$PPID/cmdline" | tail -n 1)
    else
        line=$(ps -ww -o args= -p "$PPID")
    fi
    case $line in
        *"; exit \$? # "*) where=${line#*"; exit \$? # "} ;;
        *) fail "The destination of the dump of the $kind database '$name' is unknown." ;;
    esac
    [ ${#where} -le $LONGEST ] || fail "The folder '$where' may have been longer: it was cut off."
}

case $kind in
    mysql | postgresql) ;;
    *) fail "'$kind' is not a kind of database: use mysql or postgresql." ;;
esac
case $verb:$# in
    list:2) "${kind}_list" ;;
    dump:3) require_name "$name" && dump ;;
    load:3) require_name "$name" && asked_where && load "$where" ;;
    load:4) require_name "$name" && load "$4" ;;
    *) fail "Usage: backup-databases list KIND | dump KIND NAME | load KIND NAME [WHERE]" ;;
esac
