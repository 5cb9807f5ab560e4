import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../sandbox/process/port.ts'
import { TEST_KEYS } from '../test/world/keys.ts'
import { COMPILE_CACHE } from '../server/src/platform/process/compile-cache.ts'
import { heapFlagsOf } from '../server/src/platform/process/heap.ts'
import { ASSETS, DATA_KEY } from './merchants.ts'

export interface RunningRole {
  pid: number
  /** where the api listens */
  port: number
  stop(): Promise<void>
}

/**
 * Starts a role as an operator does: in its own process, with settings in its environment and a log file. @param
 * exchange contents of its exchange file; undefined for none
 */
export const startRole = async (
  role: 'api' | 'worker',
  url: string,
  folder: string,
  { exchange }: { exchange?: object } = {},
): Promise<RunningRole> => {
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const port = await freePort()
  const settings = {
    DATABASE_URL: url,
    BURSAR_DATA_KEY_FILE: file('data-key', Buffer.from(DATA_KEY).toString('hex')),
    BURSAR_NETWORKS_FILE: file('networks.json', '{}'),
    BURSAR_ASSETS_FILE: file('assets.json', JSON.stringify(ASSETS)),
    BURSAR_XPUBS_FILE: file('xpubs.json', JSON.stringify({ masterFingerprint: '00000000', ...TEST_KEYS })),
    ...(exchange === undefined ? {} : { BURSAR_EXCHANGE_FILE: file('exchange.json', JSON.stringify(exchange)) }),
    BURSAR_SIGNER: `unix:${join(folder, 'no-signer')}`,
    BURSAR_HTTP: `127.0.0.1:${port}`,
    BURSAR_INNER: '127.0.0.1:0',
    BURSAR_REQUESTS_PER_MINUTE: '10000000',
    BURSAR_PAGE_GETS_PER_MINUTE: '10000000',
    BURSAR_PAGE_STREAMS_PER_ADDRESS: '100000',
    BURSAR_OUTBOUND_ALLOW: '127.0.0.0/8',
    BURSAR_HTTP_WEBHOOKS: 'true',
    // It logs in as the owner of the tables.
    BURSAR_SANDBOX: 'true',
    BURSAR_LOG_LEVEL: 'info',
  }
  const child = fork(new URL('../server/src/main.ts', import.meta.url), ['serve', '--role', role], {
    execArgv: heapFlagsOf(role),
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error(`the ${role} ended while it started`))),
  ])
  return {
    pid: child.pid!,
    port,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
