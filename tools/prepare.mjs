/**
 * Runs before every npm script: installs into node_modules the packages of package-lock.json, Node 24 included, and
 * does nothing when it is. Depends on nothing but Node 20 and npm, because it runs before anything is installed.
 */
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withInstallLock } from './prepare/install-lock.mjs'
import { runNpm } from './prepare/npm.mjs'
import { Refusal } from './prepare/refusal.mjs'
import { installedLockOf, whyLockDoesNotFit, whyStale, workspacesOf } from './prepare/state.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const oldestNode = 20
/** The first version line that runs the project's TypeScript as it is. */
const projectNode = 24

try {
  checkNode()
  if (whyStale(root) !== undefined) await withInstallLock(root, install)
  checkProjectNode()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(`bursar: ${error.message}`)
  process.exitCode = 1
}

function checkNode() {
  if (majorOf(process.versions.node) >= oldestNode) return
  throw new Refusal(
    `Node ${process.versions.node} is too old; install Node ${oldestNode} or newer, then run this again`,
  )
}

/** npm scripts run the `node` of node_modules/.bin when there is one, else the machine's own. */
function checkProjectNode() {
  if (existsSync(join(modules, '.bin', 'node')) || majorOf(process.versions.node) >= projectNode) return
  throw new Refusal(
    `npm has no Node ${projectNode} for ${process.platform} ${process.arch}, and this is ${process.version}; ` +
      `install Node ${projectNode}, then run this again`,
  )
}

async function install(onStart) {
  if (whyStale(root) === undefined) return
  const unfit = whyLockDoesNotFit(root)
  if (unfit !== undefined)
    throw new Refusal(`package-lock.json does not fit: ${unfit}; run npm install and commit the lock file`)
  console.log('bursar: installing packages; the first time this takes a minute or two')
  const started = Date.now()
  if (existsSync(installedLockOf(root))) {
    // Gone until npm writes it anew, so that an install killed meanwhile cannot pass for a complete one.
    rmSync(installedLockOf(root))
  } else {
    // Begun and not finished: the folder may contain half a package.
    for (const folder of [root, ...workspacesOf(root)])
      rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  }
  await runNpm(root, onStart)
  const stale = whyStale(root)
  if (stale !== undefined) throw new Refusal(`npm reported success, but ${stale}; has npm a package for this machine?`)
  console.log(`bursar: packages installed in ${Math.round((Date.now() - started) / 1000)} s`)
}

function majorOf(version) {
  return Number(version.split('.')[0])
}
