/** Compares the installed packages with the lock file and the package files. Reads only. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** npm writes this last of all, so that its presence means that an install came to its end. */
export function installedLockOf(root) {
  return join(root, 'node_modules', '.package-lock.json')
}

/** Why node_modules differs from the lock file, or undefined if it does not. */
export function whyStale(root) {
  const wanted = readJson(join(root, 'package-lock.json')).packages
  const present = readInstalled(root)
  if (present === undefined) return 'there is no complete installation'
  const direct = wanted['']?.optionalDependencies ?? {}
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/')) continue
    // npm goes on without an optional package; of those we need the ones that we name ourselves.
    if (entry.optional && !(path.slice('node_modules/'.length) in direct && fitsMachine(entry))) continue
    if (present[path]?.version !== entry.version) return `${path} differs from the lock file`
    if (!existsSync(join(root, path, 'package.json'))) return `${path} is missing`
  }
  return undefined
}

/** Why the lock file belongs to other package files than these, or undefined when it fits them. */
export function whyLockDoesNotFit(root) {
  const locked = readJson(join(root, 'package-lock.json')).packages
  for (const folder of [root, ...workspacesOf(root)]) {
    const entry = locked[folder.slice(root.length + 1)]
    const asked = readJson(join(folder, 'package.json'))
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      if (inOrder(entry?.[kind]) !== inOrder(asked[kind]))
        return `${kind} of ${join(folder, 'package.json')} have changed`
    }
  }
  return undefined
}

/** The folders of the workspaces; their patterns are plain paths here. */
export function workspacesOf(root) {
  return (readJson(join(root, 'package.json')).workspaces ?? []).map((path) => join(root, path))
}

function readInstalled(root) {
  try {
    return readJson(installedLockOf(root)).packages
  } catch {
    return undefined
  }
}

function fitsMachine({ os = [process.platform], cpu = [process.arch] }) {
  return os.includes(process.platform) && cpu.includes(process.arch)
}

function inOrder(dependencies = {}) {
  return JSON.stringify(Object.entries(dependencies).sort())
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
