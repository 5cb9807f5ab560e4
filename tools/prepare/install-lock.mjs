/** One installer at a time. */
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Refusal } from './refusal.mjs'

const heartbeatMs = 1_000
const abandonedMs = 10_000
/** Longer than any install takes: then even a process with npm's pid is another one. */
const hopelessMs = 600_000

/**
 * The holder touches the lock while it lives; a lock that is not touched is broken once the npm that its holder had
 * started is gone too. `work` is handed a function to say which process that is.
 */
export async function withInstallLock(root, work) {
  checkWritable(root)
  const lock = join(root, '.bursar', 'install.lock')
  mkdirSync(dirname(lock), { recursive: true, mode: 0o711 })
  for (let waits = 0; !take(lock); waits++) {
    if (waits === 10) console.log('bursar: another process is installing packages; waiting for it')
    if (isAbandoned(lock)) breakLock(lock)
    else await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const heartbeat = setInterval(() => utimesSync(lock, new Date(), new Date()), heartbeatMs)
  try {
    await work((npm) => writeFileSync(lock, String(npm)))
  } finally {
    clearInterval(heartbeat)
    rmSync(lock, { force: true })
  }
}

function checkWritable(root) {
  for (const folder of [root, join(root, 'node_modules')].filter(existsSync)) {
    try {
      accessSync(folder, constants.W_OK)
    } catch {
      throw new Refusal(
        `packages must be installed, but ${folder} is read-only for this user; run as its owner or copy the project`,
      )
    }
  }
}

function take(lock) {
  try {
    writeFileSync(lock, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isAbandoned(lock) {
  try {
    const silentMs = Date.now() - statSync(lock).mtimeMs
    const npm = Number(readFileSync(lock, 'utf8'))
    return silentMs > abandonedMs && (npm === 0 || !existsProcess(npm) || silentMs > hopelessMs)
  } catch {
    return false
  }
}

/** Of two that break a lock at once, one renames it away and the other finds nothing; a fresh lock is put back. */
function breakLock(lock) {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
    if (Date.now() - statSync(aside).mtimeMs < abandonedMs) linkSync(aside, lock)
    rmSync(aside)
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  }
}

function existsProcess(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
