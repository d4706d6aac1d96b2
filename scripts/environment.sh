# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the scripts beside this file, after they set $root. Sets $python: the interpreter of the repository's own environment,
# which scripts/environment.py makes the first time (any Python from 3.8 can do that).
for starter in python3 python3.11 python3.13 python; do
    if "$starter" -c 'import sys; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1; then
        break
    fi
    starter=
done
if [ -z "$starter" ]; then
    echo "levelwright: no Python found; install Python 3.11 (Debian, Ubuntu: apt-get install -y python3)" >&2
    exit 1
fi
python=$("$starter" "$root/scripts/environment.py") || exit 1
