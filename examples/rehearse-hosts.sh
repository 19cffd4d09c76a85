#!/usr/bin/env bash
# A rehearsal of --hosts on one machine: the same command in three processes.
#
#   examples/rehearse-hosts.sh states model.pnml
#   examples/rehearse-hosts.sh check model.pnml --ltl 'G F p'
#   NAMESPACES=1 examples/rehearse-hosts.sh states model.pnml    # as root: each in a network of its own
#
# DALSEGNO is the program (default: dalsegno), HOSTS how many processes there are (default: 3).
set -euo pipefail
program=${DALSEGNO:-dalsegno}
count=${HOSTS:-3}
place=$(mktemp -d)
bridge=dalsegno-br

clean() {
    if [ -n "${NAMESPACES:-}" ]; then
        for ((i = 0; i < count; i++)); do ip netns del "dalsegno-$i" 2>/dev/null || true; done
        ip link del "$bridge" 2>/dev/null || true
    fi
    rm -rf "$place"
}
trap clean EXIT

if [ -n "${NAMESPACES:-}" ]; then
    ip link add "$bridge" type bridge
    ip link set "$bridge" up
    for ((i = 0; i < count; i++)); do
        ip netns add "dalsegno-$i"
        ip link add "dalsegno-v$i" type veth peer name eth0 netns "dalsegno-$i"
        ip link set "dalsegno-v$i" master "$bridge" up
        ip -n "dalsegno-$i" addr add "10.77.0.$((i + 1))/24" dev eth0
        ip -n "dalsegno-$i" link set eth0 up
        ip -n "dalsegno-$i" link set lo up
        echo "10.77.0.$((i + 1)):7700" >>"$place/hosts"
    done
else
    for ((i = 0; i < count; i++)); do echo "127.0.0.1:$((7700 + i))" >>"$place/hosts"; done
fi

run() {
    local within=()
    if [ -n "${NAMESPACES:-}" ]; then within=(ip netns exec "dalsegno-$1"); fi
    "${within[@]}" "$program" "${@:2}" --threads "${THREADS:-1}" --hosts "$place/hosts" --process "$1"
}

pids=()
for ((i = 1; i < count; i++)); do
    run "$i" "$@" >"$place/out.$i" 2>&1 &
    pids+=($!)
done
code=0
run 0 "$@" || code=$?
echo "host 0: exit code $code"
for ((i = 1; i < count; i++)); do
    code=0
    wait "${pids[$((i - 1))]}" || code=$?
    echo "host $i: exit code $code; $(head -n 1 "$place/out.$i")"
done
