/**
 * A signer in the place of the sandbox's own that is killed, -9, once a signature is in its log and before its answer
 * has left. It is an entry of the signer's tests (`signer/src/server/test-crash-main.ts`), which gives `startSigner` a
 * function as an argument: the released signer has no setting and no environment variable that makes it wait or end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPILE_CACHE } from '../../server/src/platform/process/compile-cache.ts'
import type { ConnectedSandbox, Network } from '../system/connected.ts'

const MAIN = new URL('../../signer/src/server/test-crash-main.ts', import.meta.url).pathname

/**
 * Starts it, once the sandbox's signer has ended. `ended` resolves with its exit code, or with the signal that killed
 * it.
 * @param network whose first signature kills it; any if absent
 */
export const startDyingSigner = async (
  { dir, environment }: Pick<ConnectedSandbox, 'dir' | 'environment'>,
  network?: Network,
): Promise<{ ended: Promise<number | string> }> => {
  const passphrase = readFileSync(join(dir, 'keys', 'passphrase'), 'utf8').trim()
  const files = [['keys', 'seed.json'], ['settings', 'signer-policy.json'], ['signer.log.jsonl']].map((path) =>
    join(dir, ...path),
  )
  const socket = environment['BURSAR_SIGNER']!.replace(/^unix:/, '')
  const args = [MAIN, passphrase, ...files, socket, ...(network === undefined ? [] : [network])]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
  })
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  const ready = once(child.stdout, 'data')
  const first = await Promise.race([ready.then(() => 'ready'), ended])
  if (first !== 'ready') throw new Error(`the signer ended before it was ready: ${first}`)
  return { ended }
}
