/** Runs npm's installer and says in plain words why it failed. */
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Refusal } from './refusal.mjs'

/**
 * `npm install` without saving installs the lock file's versions, as `npm ci` does. `npm ci` itself refuses a lock file
 * that was written where the registry lacked some packages of other machines. Install scripts stay off: nothing here
 * needs one. `onStart` gets npm's pid.
 */
const installArguments = [
  'install',
  '--no-save',
  '--ignore-scripts',
  '--include=dev',
  '--include=optional',
  '--loglevel=error',
]

export async function runNpm(root, onStart) {
  const [file, ...first] = npmCommand(root)
  const { code, errors } = await new Promise((resolve, reject) => {
    const child = spawn(file, [...first, ...installArguments], { cwd: root, stdio: ['ignore', 'inherit', 'pipe'] })
    let text = ''
    child.stderr.on('data', (chunk) => (text += chunk))
    child.on('error', (error) =>
      reject(new Refusal(`npm cannot be started (${error.message}); install npm, then run this again`)),
    )
    child.on('close', (status) => resolve({ code: status, errors: text }))
    if (child.pid !== undefined) onStart(child.pid)
  })
  if (code !== 0) throw new Refusal(explain(errors, root))
}

/** The npm that runs us, on a Node that the installation doesn't replace under it; else the machine's npm. */
function npmCommand(root) {
  const cli = process.env['npm_execpath']
  const inside = join(root, 'node_modules') + sep
  const node = [process.env['npm_node_execpath'], process.execPath].find(
    (path) => path !== undefined && existsSync(path) && !realpathSync(path).startsWith(inside),
  )
  return cli?.endsWith('.js') && node !== undefined ? [node, cli] : ['npm']
}

function explain(errors, root) {
  const reasons = [
    [
      /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT/,
      'the npm registry cannot be reached; check the network or the proxy settings of npm',
    ],
    [/EACCES|EPERM|EROFS/, `npm may not write to ${root} or to its cache; make both yours`],
    [/ENOSPC/, 'the disk is full'],
  ]
  const reason = reasons.find(([pattern]) => pattern.test(errors))?.[1]
  const shown = errors.trim().split('\n').slice(0, 12).join('\n')
  return `npm install failed${reason === undefined ? '' : `: ${reason}`}\n${shown}`
}
