import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTron } from '../chains/tron.ts'
import { endProcess } from '../process/end.ts'
import { isRunning } from '../process/identity.ts'
import { freePort } from '../process/port.ts'
import { startTronNode } from './node.ts'
import type { TronNode, TronNodeOptions } from './node.ts'

let options: TronNodeOptions
let node: TronNode | undefined

beforeEach(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bursar-tron-'))
  options = {
    port: await freePort(),
    portSetting: 'BURSAR_PORT_TRON',
    dataDir,
    logFile: join(dataDir, 'log'),
    solidLag: 4,
  }
})

afterEach(async () => {
  await node?.stop()
  node = undefined
  rmSync(options.dataDir, { recursive: true, force: true })
})

const start = async (more: Partial<TronNodeOptions> = {}): Promise<TronNode> =>
  (node = await startTronNode({ ...options, ...more }))

/** Pays a person on the chain, and says how to ask later whether it still stands. */
async function pay(): Promise<() => Promise<void>> {
  const { chain, genesis } = await openTron(node?.url ?? '')
  const address = await chain.newAddress()
  const hash = await chain.pay({ ticker: 'USDT', to: address, amount: '12.5' })
  await chain.mine(2)
  return async () => {
    const again = await openTron(node?.url ?? '')
    expect(again.genesis).toBe(genesis)
    expect(await again.chain.balance({ ticker: 'USDT', address })).toBe('12.5')
    expect(await again.chain.transaction(hash)).toMatchObject({ status: 'confirmed', confirmations: 2 })
  }
}

test('the chain is the same after a stop, and after kill -9', async () => {
  await start()
  const stands = await pay()
  await node?.stop()
  expect(isRunning(node as TronNode)).toBe(false)
  expect((await start()).adopted).toBe(false)
  await stands()
  await endProcess(node as TronNode, [{ signal: 'SIGKILL', waitMs: 5_000 }])
  expect((await start()).adopted).toBe(false)
  await stands()
})

test('a node that was left running is taken over with its waiting payments', async () => {
  const left = await start()
  const stands = await pay()
  const { chain } = await openTron(left.url)
  const hash = await chain.pay({ ticker: 'TRX', to: await chain.newAddress(), amount: '1' })
  expect(await start()).toMatchObject({ adopted: true, pid: left.pid })
  await stands()
  expect(await chain.transaction(hash)).toMatchObject({ status: 'pending' })
})

test('one that was left running with other settings is started anew', async () => {
  const left = await start()
  await (await openTron(left.url)).chain.mine(10)
  expect((await start({ solidLag: 2 })).adopted).toBe(false)
  expect(isRunning(left)).toBe(false)
  expect(await (await openTron(node?.url ?? '')).chain.isBusy()).toBe(false)
})

test('blocks found on demand do not run ahead of the clock', async () => {
  const { url } = await start()
  await (await openTron(url)).chain.mine(1_000)
  const { timestamp } = (await (await fetch(`${url}/sandbox/status`)).json()) as { timestamp: number }
  expect(timestamp - Date.now()).toBeLessThan(2_000)
})

test('a port in use is reported with the setting to change, and nothing is left running', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))
  try {
    await expect(start()).rejects.toThrow(
      new RegExp(
        `port ${options.port}, wanted by the TRON chain, is in use by process ${process.pid} .* setting BURSAR_PORT_TRON`,
      ),
    )
  } finally {
    server.close()
  }
})
