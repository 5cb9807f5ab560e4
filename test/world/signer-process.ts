import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { buildPrograms } from '../../tools/build.ts'
import { SignerClient } from '../../signer/src/client.ts'
import { sealSeed } from '../../signer/src/keys/seed-file.ts'
import { policyFile, seed, temporaryDirectory } from './signer.ts'

/** Runs the signer as it runs for real: a process of its own, real files, a real socket. */

export const PASSPHRASE = 'correct horse battery staple'
const { 'bursar-signer': MAIN } = await buildPrograms()
const sealed = sealSeed(seed(), Buffer.from(PASSPHRASE))

export interface Files {
  seed: string
  passphrase: string
  policy: string
  log: string
  socket: string
}

export async function makeFiles(policy: object = policyFile): Promise<Files> {
  const directory = temporaryDirectory()
  const at = (name: string): string => join(directory, name)
  const files = { seed: at('seed'), passphrase: at('pass'), policy: at('policy'), log: at('log'), socket: at('socket') }
  writeFileSync(files.seed, await sealed, { mode: 0o600 })
  writeFileSync(files.passphrase, `${PASSPHRASE}\n`, { mode: 0o600 })
  writeFileSync(files.policy, JSON.stringify(policy), { mode: 0o600 })
  return files
}

export interface Run {
  child: ChildProcess
  /** Everything it wrote so far */
  output(): string
  /** Resolves with the exit code, or the signal */
  ended: Promise<number | string>
}

/** Starts `node main.ts …`, or another script; it is killed when the test ends. */
export function run(args: readonly string[], script = MAIN): Run {
  const child = spawn(process.execPath, [script, ...args], { stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  return { child, output: () => output, ended }
}

export function serveArguments({ seed: seedFile, passphrase, policy, log, socket }: Files): string[] {
  const secrets = ['--seed', seedFile, '--passphrase-file', passphrase]
  return ['serve', ...secrets, '--policy', policy, '--log', log, '--socket', socket]
}

/** Waits until its output matches; fails when it ends before. */
export async function written(process_: Run, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(process_.output())
    if (match) return match
    const ended = await Promise.race([process_.ended, new Promise((resolve) => setTimeout(resolve, 10))])
    if (ended !== undefined && !pattern.test(process_.output())) throw new Error(`It ended: ${process_.output()}`)
  }
}

export function clientOf(socketPath: string): SignerClient {
  const client = new SignerClient({ socketPath })
  onTestFinished(() => client.close())
  return client
}

export async function serve(files: Files, more: readonly string[] = []): Promise<Run & { client: SignerClient }> {
  const running = run([...serveArguments(files), ...more])
  await written(running, /"ready":true/)
  return { ...running, client: clientOf(files.socket) }
}
