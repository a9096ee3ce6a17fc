#!/bin/sh
# Installs the coding agents the end-to-end tests drive, from the npm registry, into a folder that can be thrown away.
#   tests/clients/install.sh [client ...]      default: all of them, 2.9 GB
# The folder is $MEMKIT_CLIENTS, else ~/.cache/memkit-clients; each client has a folder of its own in it.
# A client that does not install is reported, and the tests skip it.
set -u
folder=${MEMKIT_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/memkit-clients}
clients=${*:-node claude codex gemini pi qwen opencode dsh copilot openclaw}
failed=0

install() { # name, npm arguments...
    name=$1
    shift
    mkdir -p "$folder/$name" || exit 1
    [ -f "$folder/$name/package.json" ] || printf '{"private": true}\n' >"$folder/$name/package.json"
    if (cd "$folder/$name" && npm install --no-audit --no-fund "$@" >install.log 2>&1); then
        echo "$name: installed"
    else
        echo "$name: FAILED, see $folder/$name/install.log" >&2
        failed=1
    fi
}

PATH="$folder/node/node_modules/.bin:$PATH" # Qwen, Pi, dsh and OpenClaw want a newer Node than many systems have
export PATH
for client in $clients; do
    case $client in
    node) install node node@24 ;;
    claude) install claude @anthropic-ai/claude-code@2.1.332 ;;
    codex) install codex @openai/codex@0.171.0 ;;
    gemini) install gemini @google/gemini-cli@0.61.0 ;;
    pi) install pi @earendil-works/pi-coding-agent@1.6.0 ;;
    qwen) install qwen @qwen-code/qwen-code@0.24.4 ;;
    opencode) install opencode opencode-ai@1.18.33 ;;
    copilot) install copilot @github/copilot@1.0.102 ;;
    openclaw) install openclaw openclaw@2026.9.6 ;;
    dsh)
        # npm does not get to the end with dsh's peers by itself: they are named here.
        peers=
        for part in anonymous-user-id atomic-write bash-local code-runtime compaction fs invariants \
            output-retention sandbox scope session-telemetry session-title-llm shell spill \
            subagent-in-process-driver timeout workflow; do
            peers="$peers @deepseek-ai/dsh-$part@^0.1.0-rc.8"
        done
        # shellcheck disable=SC2086 # a list of words
        install dsh --legacy-peer-deps @deepseek-ai/dsh@0.1.0-rc.8 @deepseek-ai/cordis-plugin-group@^1.0.1 $peers \
            @deepseek-ai/cordis-plugin-hmr@1.0.17
        ;;
    *)
        echo "$client: not one of node claude codex gemini pi qwen opencode dsh copilot openclaw" >&2
        failed=1
        ;;
    esac
done
exit $failed
