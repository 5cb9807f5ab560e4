/** The installation that is upgraded: the sandbox of the previous release, with its settings files and its nodes. */
import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { startSandbox } from '../system/sandbox.ts'
import type { Programs } from '../../tools/build.ts'
import type { Bursar } from '@bursar/sdk'

interface Previous {
  startSandbox: typeof startSandbox
  Bursar: typeof Bursar
  programs: Programs
}

/** Loads the sandbox, the client and the programs of a checkout. */
export const loadPrevious = async (folder: string): Promise<Previous> => {
  const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(folder, file)).href)) as T
  const { startSandbox } = await load<{ startSandbox: Previous['startSandbox'] }>('test/system/sandbox.ts')
  const { Bursar } = await load<{ Bursar: Previous['Bursar'] }>('sdk/src/index.ts')
  const { buildPrograms } = await load<{ buildPrograms: () => Promise<Programs> }>('tools/build.ts')
  return { startSandbox, Bursar, programs: await buildPrograms() }
}

/**
 * Writes the files of the new programs over those of the previous ones, as the Debian package does. Running processes
 * continue with the files that they have loaded.
 */
export const install = (previous: Programs, next: Programs): void => {
  for (const program of ['bursar', 'bursar-signer'] as const)
    cpSync(dirname(next[program]), dirname(previous[program]), { recursive: true })
}

/** Ends a process as a service manager does, and waits for its end. Returns ms. */
export const endGently = async (pid: number): Promise<number> => {
  const began = performance.now()
  process.kill(pid, 'SIGTERM')
  while (isAlive(pid)) await sleep(20)
  return Math.round(performance.now() - began)
}

const isAlive = (pid: number): boolean => {
  try {
    // A child whose parent has not waited for it is a zombie: state Z in proc(5).
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/**
 * Starts a further api with the environment of a running one, on another port and without an inner address.
 * @param pid of the running api
 * @throws Error if it ends before it answers
 */
export const startFurtherApi = async (program: string, pid: number, port: number): Promise<ChildProcess> => {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  const env = Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
  const further = { ...env, BURSAR_HTTP: `127.0.0.1:${port}`, BURSAR_INNER: '127.0.0.1:0' }
  const child = spawn(process.execPath, [program, 'serve', '--role', 'api'], { env: further, stdio: 'ignore' })
  while (child.exitCode === null) {
    const answers = await fetch(`http://127.0.0.1:${port}/docs`).then(
      () => true,
      () => false,
    )
    if (answers) return child
    await sleep(50)
  }
  throw new Error(`the further api ended with ${child.exitCode}`)
}
