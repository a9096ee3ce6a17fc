// The way from a JavaScript plugin to the memory kit: one event's bytes to the daemon, the daemon's text back.
//
// Law: `ask` never throws and holds no prompt up beyond its deadline; on any trouble the answer is "". It speaks to
// the daemon's socket directly, with the frame of `kit/daemon/protocol.py`; without a daemon it runs `kit/hook.py`,
// which keeps what must not be lost and starts one. The paths are those of `kit/places.py`; a test holds them equal.
// Nothing but Node's own modules (Bun has them too).

import { spawn } from "node:child_process"
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

const DEADLINES_MS = { prompt: 300 }
const DEADLINE_MS = 2000
const PATIENCE_MS = 10_000
const PROGRAM_MS = 3000
const PAYLOAD_LIMIT = 30 * 1024 * 1024
const REPLY_LIMIT = 256 * 1024
const SECRET = /KEY|TOKEN|SECRET|PASSWORD/

/** Make the function with which one client's plugin asks: `ask(event, payload, folder)` gives the text to inject. */
export function open(client, kit) {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const places = [path.join(here, "../../kit/hook.py"), path.join(here, "../../../hook.py")]
  const hook = kit?.hook || places.find((each) => fs.existsSync(each))
  const python = process.env.MEMKIT_PYTHON || kit?.python || "python3"
  return async (event, payload, folder) => {
    try {
      if (isOff(process.env)) return ""
      const bytes = Buffer.from(JSON.stringify(payload) ?? "", "utf8")
      if (!bytes.length || bytes.length > PAYLOAD_LIMIT) return ""
      const begun = Date.now()
      const root = findVault(folder)
      if (!root) return ""
      const runtime = runtimePath(root)
      const [limit, told] = deadline(event, runtime)
      const end = begun + limit
      // An answer that the daemon is slow to take goes to disk as well: completing twice is the same as once.
      const reply = await throughSocket(runtime, frameOf(client, event, bytes, folder, told), end, event !== "answer")
      if (reply !== null) return reply
      return await throughProgram(python, hook, client, event, bytes, folder, end)
    } catch {
      return ""
    }
  }
}

function isOff(env) {
  const said = (env.MEMKIT_OFF ?? "").trim().toLowerCase()
  return !["", "0", "false", "no", "off"].includes(said) || !["", "0"].includes(env.MEMKIT_HOOK_DEPTH ?? "")
}

// How long an event may take, and what the daemon is told of it: a prompt gets more where a model is asked about it.
function deadline(event, runtime) {
  const told = process.env.MEMKIT_HOOK_DEADLINE_MS ?? ""
  const usual = /^\d+$/.test(told) ? Number(told) : (DEADLINES_MS[event] ?? DEADLINE_MS)
  if (event !== "prompt" || told) return [usual, {}]
  try {
    const more = Number.parseInt(fs.readFileSync(`${runtime}/prompt-ms`, "utf8"), 10)
    const limit = Math.max(usual, Math.min(more, PATIENCE_MS))
    return limit > 0 ? [limit, { MEMKIT_HOOK_DEADLINE_MS: limit }] : [usual, {}]
  } catch {
    return [usual, {}]
  }
}

function frameOf(client, event, payload, folder, told) {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => name.startsWith("MEMKIT_") && !SECRET.test(name) && value.length < 4096,
  )
  const zone = -new Date().getTimezoneOffset() * 60
  const all = { ...Object.fromEntries(kept), ...told, PWD: folder || process.cwd(), MEMKIT_ZONE: zone }
  const env = Buffer.from(Object.entries(all).map((pair) => pair.join("=")).join("\0"), "utf8")
  return Buffer.concat([Buffer.from(`HOOK ${client} ${event} ${payload.length} ${env.length}\n`), env, payload])
}

// The text; "" for nothing, or when the daemon has it but is slow; null when it has to go another way.
function throughSocket(folder, frame, end, isKept) {
  if (process.platform === "win32" || !isPrivate(folder)) return null
  return new Promise((resolve) => {
    let got = Buffer.alloc(0)
    let sent = false
    const socket = net.connect({ path: `${folder}/socket` })
    const timer = setTimeout(() => done(sent && isKept ? "" : null), Math.max(end - Date.now(), 1))
    const done = (value) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(value)
    }
    socket.on("error", () => done(null))
    socket.on("close", () => done(null))
    socket.on("connect", () => socket.write(frame, (error) => (sent = !error)))
    socket.on("data", (piece) => {
      got = Buffer.concat([got, piece])
      const at = got.indexOf(10)
      if (at < 0) return got.length > 64 ? done(null) : undefined
      const size = /^OK (\d+)$/.exec(got.subarray(0, at).toString())?.[1]
      if (size === undefined || Number(size) > REPLY_LIMIT) return done(null)
      const body = got.subarray(at + 1)
      if (body.length >= Number(size)) done(body.subarray(0, Number(size)).toString("utf8"))
    })
  })
}

// The hook program finds the daemon or starts it, and keeps on disk what must not be lost meanwhile. A prompt need not
// wait for it: where there are sockets, a daemon that could answer has been asked already.
function throughProgram(python, hook, client, event, payload, folder, end) {
  if (!hook || !fs.existsSync(hook)) return ""
  const cwd = folder && fs.existsSync(folder) ? folder : undefined
  const least = event === "prompt" && process.platform !== "win32" ? 1 : PROGRAM_MS
  return new Promise((resolve) => {
    const child = spawn(python, ["-I", "-S", hook, client, event], { cwd, stdio: ["pipe", "pipe", "ignore"] })
    const pieces = []
    const timer = setTimeout(() => resolve(""), Math.max(end - Date.now(), least))
    const done = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    child.on("error", () => done(""))
    child.on("close", (code) => done(code === 0 ? Buffer.concat(pieces).toString("utf8") : ""))
    child.stdout.on("data", (piece) => pieces.push(piece))
    child.stdin.on("error", () => {})
    child.stdin.end(payload)
  })
}

// -- the same places as kit/places.py

/** Find the vault: `MEMKIT_VAULT`, the nearest folder above with `memkit.toml`, the person's own. "" for none. */
export function findVault(folder) {
  if (process.env.MEMKIT_VAULT) return real(process.env.MEMKIT_VAULT)
  let here = path.resolve(folder || process.cwd())
  for (;;) {
    if (fs.existsSync(path.join(here, "memkit.toml"))) return real(here)
    const above = path.dirname(here)
    if (above === here) break
    here = above
  }
  try {
    const named = fs.readFileSync(path.join(configBase(), "vault"), "utf8").split("\n")[0].trim()
    return named ? real(named) : ""
  } catch {
    return ""
  }
}

/** Name the folder of a vault's socket. */
export function runtimePath(root) {
  const key = blake2b8(Buffer.from(root, "utf8"))
  const named = absolute("MEMKIT_RUNTIME")
  if (named) return `${named}/memkit-${key}`
  const uid = process.getuid?.() ?? -1 // os.userInfo() throws for a user without an entry
  for (const base of [absolute("XDG_RUNTIME_DIR"), `/run/user/${uid}`]) {
    const folder = `${base}/memkit-${key}`
    if (base && owner(base) === uid && Buffer.byteLength(`${folder}/socket`) <= 100) return folder
  }
  return `/tmp/memkit-${uid}-${key}`
}

function real(named) {
  const whole = path.resolve(named === "~" || named.startsWith("~/") ? os.homedir() + named.slice(1) : named)
  try {
    return fs.realpathSync(whole)
  } catch {
    return whole
  }
}

function configBase() {
  const named = absolute("MEMKIT_CONFIG")
  if (named) return named
  const home = os.homedir()
  if (process.platform === "win32") return path.join(absolute("APPDATA") || `${home}/AppData/Roaming`, "memkit")
  if (process.platform === "darwin") return `${home}/Library/Application Support/memkit`
  return path.join(absolute("XDG_CONFIG_HOME") || `${home}/.config`, "memkit")
}

function absolute(name) {
  const value = process.env[name] ?? ""
  return path.isAbsolute(value) ? value : ""
}

function owner(folder) {
  try {
    const found = fs.statSync(folder)
    return found.isDirectory() ? found.uid : -1
  } catch {
    return -1
  }
}

// What is said there is private: a folder of another's, or one that others can enter, is not spoken to.
function isPrivate(folder) {
  try {
    const found = fs.lstatSync(folder)
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
  } catch {
    return false
  }
}

// BLAKE2b with a digest of 8 bytes (RFC 7693), which Node's crypto does not offer.
const MASK = (1n << 64n) - 1n
const START = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
]
const ORDER = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((row) => [...row].map((digit) => parseInt(digit, 16)))
const MIXES = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
]

/** Hash bytes to 16 hex digits, as `places.vault_key` does. */
export function blake2b8(bytes) {
  const state = [...START]
  state[0] ^= 0x01010000n ^ 8n
  const blocks = Math.max(1, Math.ceil(bytes.length / 128))
  for (let block = 0; block < blocks; block++) {
    const piece = Buffer.alloc(128)
    bytes.copy(piece, 0, block * 128)
    const words = Array.from({ length: 16 }, (_, at) => piece.readBigUInt64LE(at * 8))
    const v = [...state, ...START]
    v[12] ^= BigInt(Math.min((block + 1) * 128, bytes.length))
    if (block === blocks - 1) v[14] ^= MASK
    for (let round = 0; round < 12; round++) {
      const order = ORDER[round % 10]
      MIXES.forEach((four, at) => mix(v, ...four, words[order[2 * at]], words[order[2 * at + 1]]))
    }
    for (let at = 0; at < 8; at++) state[at] ^= v[at] ^ v[at + 8]
  }
  const digest = Buffer.alloc(8)
  digest.writeBigUInt64LE(state[0])
  return digest.toString("hex")
}

function mix(v, a, b, c, d, x, y) {
  v[a] = (v[a] + v[b] + x) & MASK
  v[d] = turn(v[d] ^ v[a], 32n)
  v[c] = (v[c] + v[d]) & MASK
  v[b] = turn(v[b] ^ v[c], 24n)
  v[a] = (v[a] + v[b] + y) & MASK
  v[d] = turn(v[d] ^ v[a], 16n)
  v[c] = (v[c] + v[d]) & MASK
  v[b] = turn(v[b] ^ v[c], 63n)
}

function turn(word, by) {
  return ((word >> by) | (word << (64n - by))) & MASK
}
