/**
 * Runs before every npm script: makes node_modules what package-lock.json says, Node 24 included, and does nothing when it
 * is. Depends on nothing but Node 20 and npm, because it runs before anything is installed.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync,
  writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A condition the user can change; its message says how. */
class Refusal extends Error {}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
/** npm writes this last of all, so that its presence means that an install came to its end. */
const installedLock = join(modules, '.package-lock.json')
const lockFile = join(root, '.bursar', 'install.lock')

const oldestNode = 20
/** The first version line that runs the project's TypeScript as it is. */
const projectNode = 24
const heartbeatMs = 1_000
const abandonedMs = 10_000
/** Longer than any install takes: then even a process with npm's pid is somebody else. */
const hopelessMs = 600_000

try {
  checkNode()
  if (whyStale() !== undefined) await withInstallLock(install)
  checkProjectNode()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(`bursar: ${error.message}`)
  process.exitCode = 1
}

function checkNode() {
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) return
  throw new Refusal(`Node ${process.versions.node} is too old; install Node ${oldestNode} or newer, then run this again`)
}

/** npm scripts run the `node` of node_modules/.bin when there is one, else the machine's own. */
function checkProjectNode() {
  if (existsSync(join(modules, '.bin', 'node')) || Number(process.versions.node.split('.')[0]) >= projectNode) return
  throw new Refusal(
    `npm has no Node ${projectNode} for ${process.platform} ${process.arch} and this is Node ${process.versions.node}; ` +
      `install Node ${projectNode}, then run this again`,
  )
}

/** Why node_modules is not what the lock file says, or undefined when it is. */
function whyStale() {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const present = readInstalled()
  if (present === undefined) return 'no complete installation'
  const direct = wanted['']?.optionalDependencies ?? {}
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) continue
    if (entry.optional && !(path.slice('node_modules/'.length) in direct && fitsMachine(entry))) continue
    const found = present[path]
    if (found === undefined || found.version !== entry.version) return `${path} differs from the lock file`
    if (!existsSync(join(root, path, 'package.json'))) return `${path} is missing`
  }
  return undefined
}

function readInstalled() {
  try {
    return JSON.parse(readFileSync(installedLock, 'utf8')).packages
  } catch {
    return undefined
  }
}

function fitsMachine({ os = [process.platform], cpu = [process.arch] }) {
  return os.includes(process.platform) && cpu.includes(process.arch)
}

async function install(heldBy) {
  if (whyStale() === undefined) return
  console.log('bursar: installing packages; the first time this takes a minute or two')
  const started = Date.now()
  // npm removes packages in no set order: without this file an install killed meanwhile cannot pass for a complete one.
  rmSync(installedLock, { force: true })
  const { code, errors } = await runNpm(['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--loglevel=error'], heldBy)
  if (code !== 0) throw new Refusal(explain(errors))
  const stale = whyStale()
  if (stale !== undefined) throw new Refusal(`npm ci reported success, but ${stale}; is a package for this machine missing?`)
  console.log(`bursar: packages installed in ${Math.round((Date.now() - started) / 1000)} s`)
}

function runNpm(args, onStart) {
  const cli = process.env['npm_execpath']
  const [file, first] = cli?.endsWith('.js') ? [process.execPath, [cli]] : ['npm', []]
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...first, ...args], { cwd: root, stdio: ['ignore', 'inherit', 'pipe'] })
    let errors = ''
    child.stderr.on('data', (chunk) => (errors += chunk))
    child.on('error', (error) => reject(new Refusal(`npm cannot be started (${error.message}); install npm, then run this again`)))
    child.on('close', (code) => resolve({ code, errors }))
    if (child.pid !== undefined) onStart(child.pid)
  })
}

function explain(errors) {
  const last = errors.trim().split('\n').slice(-12).join('\n')
  const reason = [
    [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT/, 'the npm registry cannot be reached; check the network or the proxy settings of npm'],
    [/EACCES|EPERM|EROFS/, `npm may not write to ${root}; make the folder and what is in it yours`],
    [/ENOSPC/, 'the disk is full'],
    [/EUSAGE/, 'package-lock.json does not fit package.json; run npm install and commit the lock file'],
  ].find(([pattern]) => pattern.test(errors))?.[1]
  return `npm ci failed${reason === undefined ? '' : `: ${reason}`}\n${last}`
}

/**
 * One installer at a time. The holder touches the lock while it lives; a lock nobody touches is broken once the npm that
 * its holder had started is gone too. `work` is handed a function to say which process that is.
 */
async function withInstallLock(work) {
  checkWritable()
  mkdirSync(dirname(lockFile), { recursive: true, mode: 0o711 })
  for (let waits = 0; !takeLock(); waits++) {
    if (waits === 10) console.log('bursar: another process is installing packages; waiting for it')
    if (isAbandoned()) breakLock()
    else await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const heartbeat = setInterval(() => utimesSync(lockFile, new Date(), new Date()), heartbeatMs)
  try {
    await work((npm) => writeFileSync(lockFile, String(npm)))
  } finally {
    clearInterval(heartbeat)
    rmSync(lockFile, { force: true })
  }
}

function checkWritable() {
  for (const folder of [root, modules].filter(existsSync)) {
    try {
      accessSync(folder, constants.W_OK)
    } catch {
      throw new Refusal(`packages must be installed, but ${folder} is read-only for this user; run as its owner or copy the project`)
    }
  }
}

function takeLock() {
  try {
    writeFileSync(lockFile, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isAbandoned() {
  try {
    const silentMs = Date.now() - statSync(lockFile).mtimeMs
    const npm = Number(readFileSync(lockFile, 'utf8'))
    return silentMs > abandonedMs && (npm === 0 || !existsProcess(npm) || silentMs > hopelessMs)
  } catch {
    return false
  }
}

/** Of two that break a lock at once, one renames it away and the other finds nothing; a fresh lock is put back. */
function breakLock() {
  const aside = `${lockFile}.${process.pid}`
  try {
    renameSync(lockFile, aside)
    if (Date.now() - statSync(aside).mtimeMs < abandonedMs) linkSync(aside, lockFile)
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
