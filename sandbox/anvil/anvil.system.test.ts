import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endProcess, waitUntilGone } from '../process/end.ts'
import { isRunning } from '../process/identity.ts'
import { freePort } from '../process/port.ts'
import { startAnvil } from './index.ts'
import type { Anvil, AnvilOptions } from './index.ts'

const rich = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const friend = '0x00000000000000000000000000000000000000aa'

let dir: string
let started: Anvil[] = []

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-anvil-'))
})

afterEach(async () => {
  for (const node of started) await node.stop()
  started = []
  rmSync(dir, { recursive: true, force: true })
})

async function start(options: Partial<AnvilOptions> = {}): Promise<Anvil> {
  const node = await startAnvil({
    name: 'anvil-test',
    chainId: 31_337,
    port: 0,
    slotsInEpoch: 1,
    logFile: join(dir, 'anvil.log'),
    ...options,
  })
  started.push(node)
  return node
}

async function pay(node: Anvil): Promise<void> {
  await node.rpc('eth_sendTransaction', { from: rich, to: friend, value: '0x5' })
  await node.rpc('evm_mine')
}

const balance = async (node: Anvil) => BigInt(await node.rpc<string>('eth_getBalance', friend, 'latest'))
const height = async (node: Anvil) => Number(await node.rpc<string>('eth_blockNumber'))

test('mines by hand, and finality follows at two epochs', async () => {
  const node = await start()
  await pay(node)
  expect(await height(node)).toBe(1)
  await node.rpc('anvil_mine', '0x4')
  const finalized = await node.rpc<{ number: string }>('eth_getBlockByNumber', 'finalized', false)
  expect(Number(finalized.number)).toBe(3)
})

test('is BSC-like with a base fee of zero and its own chain id', async () => {
  const node = await start({ chainId: 31_356, baseFee: 0n })
  await node.rpc('evm_mine')
  const block = await node.rpc<{ baseFeePerGas: string }>('eth_getBlockByNumber', 'latest', false)
  expect(block.baseFeePerGas).toBe('0x0')
  expect(Number(await node.rpc('eth_chainId'))).toBe(31_356)
})

test('mines at an interval when asked to', async () => {
  const node = await start({ blockTime: 0.2 })
  await expect.poll(() => height(node)).toBeGreaterThan(2)
})

test('the chain continues after a stop', async () => {
  const stateFile = join(dir, 'state.json')
  const first = await start({ stateFile })
  await pay(first)
  await first.stop()
  expect(isRunning(first)).toBe(false)
  const second = await start({ stateFile })
  expect(await balance(second)).toBe(5n)
  await pay(second)
  expect(await height(second)).toBe(2)
})

test('blocks from before an orderly stop can still be traced and reorganised', async () => {
  const stateFile = join(dir, 'state.json')
  const first = await start({ stateFile })
  await pay(first)
  await first.stop()
  const second = await start({ stateFile })
  const trace = await second.rpc<{ result?: object }[]>('debug_traceBlockByNumber', '0x1', { tracer: 'callTracer' })
  expect(trace[0]?.result).toMatchObject({ to: friend, value: '0x5' })
  await second.rpc('anvil_reorg', 1, [])
  expect(await balance(second)).toBe(0n)
})

test('the chain survives kill -9 of the node', async () => {
  const stateFile = join(dir, 'state.json')
  const first = await start({ stateFile })
  await pay(first)
  const block = await first.rpc<{ hash: string }>('eth_getBlockByNumber', '0x1', false)
  const savedHeight = () =>
    existsSync(stateFile) ? Number(JSON.parse(readFileSync(stateFile, 'utf8')).best_block_number) : undefined
  await expect.poll(savedHeight).toBe(1)
  await endProcess(first, [{ signal: 'SIGKILL', waitMs: 5_000 }])
  // The file that a kill in the middle of a dump leaves.
  writeFileSync(`${stateFile}.new`, '{"half":')
  const second = await start({ stateFile })
  expect(second.adopted).toBe(false)
  expect(await balance(second)).toBe(5n)
  expect(await second.rpc('eth_getBlockByNumber', '0x1', false)).toMatchObject({ hash: block.hash })
})

test('a node that still runs is adopted by its port and record', async () => {
  const options = { stateFile: join(dir, 'state.json'), port: await freePort() }
  const first = await start(options)
  await pay(first)
  const second = await start(options)
  expect(second).toMatchObject({ adopted: true, pid: first.pid })
  await second.stop()
  expect(await waitUntilGone(first, 1_000)).toBe(true)
})

test('a port in use is reported with the process that has it and the setting to change', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const inUse = `port ${port}, wanted by anvil-test, is in use by process ${process.pid} \\(.+\\); end it`
    const expected = new RegExp(`${inUse}, or choose another port by setting BURSAR_PORT_ETHEREUM`)
    await expect(start({ port, portSetting: 'BURSAR_PORT_ETHEREUM' })).rejects.toThrow(expected)
  } finally {
    server.close()
  }
})

test("a state file that cannot be read ends with the node's own words", async () => {
  const stateFile = join(dir, 'state.json')
  writeFileSync(stateFile, '{"half":')
  await expect(start({ stateFile })).rejects.toThrow(/anvil-test ended while starting:\n.*\S/s)
})
