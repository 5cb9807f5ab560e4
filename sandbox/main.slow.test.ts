import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endProcess } from './process/end.ts'
import { inspectProcess } from './process/identity.ts'
import type { ProcessIdentity } from './process/identity.ts'
import { recordedProcess } from './process/record.ts'
import { rpcClient } from './rpc.ts'
import { portVariables, readSettings } from './settings.ts'
import { reservePorts } from '../test/setup/ports.ts'

interface Sandbox {
  readonly child: ChildProcess
  output(): string
  /** The exit code. */
  readonly ended: Promise<number | null>
}

interface Description {
  readonly control: string
  readonly inbox: string
  readonly chains: readonly { readonly blockchain: string; readonly url: string }[]
}

const program = (file: string): string => new URL(file, import.meta.url).pathname
let dir: string
let env: NodeJS.ProcessEnv
let current: Sandbox | undefined

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-main-'))
  chmodSync(dir, 0o711)
  env = {
    ...process.env,
    BURSAR_DIR: join(dir, 'data'),
    DATABASE_URL: '',
    BURSAR_BLOCK_SECONDS_BITCOIN: '0.2',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.2',
    BURSAR_BLOCK_SECONDS_TRON: '0.2',
  }
  const variables = Object.values(portVariables)
  const ports = await reservePorts(variables.length)
  for (const [at, variable] of variables.entries()) env[variable] = String(ports[at])
})

afterAll(async () => {
  current?.child.kill('SIGKILL')
  await current?.ended
  await killNodes()
  rmSync(dir, { recursive: true, force: true })
})

function launch(): Sandbox {
  const child = spawn(process.execPath, [program('main.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, output: () => output, ended }
}

async function start(): Promise<Description> {
  const sandbox = (current = launch())
  const ready = async (): Promise<void> => {
    while (!sandbox.output().includes('ready in')) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await Promise.race([ready(), sandbox.ended.then(() => Promise.reject(new Error(sandbox.output())))])
  return JSON.parse(readFileSync(join(dir, 'data', 'sandbox.json'), 'utf8')) as Description
}

async function stop(): Promise<number | null> {
  current?.child.kill('SIGINT')
  return (await current?.ended) ?? null
}

/** The processes that outlive a killed supervisor. */
function nodes(): ProcessIdentity[] {
  const at = (file: string) => join(dir, 'data', file)
  const files = [
    'bitcoin/process.json',
    'ethereum/state.json.process.json',
    'bsc/state.json.process.json',
    'tron/process.json',
  ]
  const recorded = files.map((file) => recordedProcess(at(file)))
  const lock = at('postgres/postmaster.pid')
  const postmaster = existsSync(lock) ? inspectProcess(Number(readFileSync(lock, 'utf8').split('\n')[0])) : undefined
  return [...recorded, postmaster].filter((node) => node !== undefined)
}

async function killNodes(): Promise<number> {
  const found = nodes()
  for (const node of found) await endProcess(node, [{ signal: 'SIGKILL', waitMs: 5_000 }])
  return found.length
}

async function ask(url: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })
  const answer = (await response.json()) as Record<string, unknown>
  expect({ status: response.status, answer }).toMatchObject({ status: 200 })
  return answer
}

const paid = new Map<string, { blockchain: string; ticker: string; address: string }>()

/** Blocks come by themselves. */
async function payEverywhere({ control, chains }: Description): Promise<void> {
  for (const { blockchain } of chains) {
    const ticker = blockchain === 'BITCOIN' ? 'BTC' : 'USDT'
    const { address } = await ask(`${control}/address`, { blockchain })
    const { hash } = await ask(`${control}/pay`, { blockchain, ticker, to: address, amount: '0.75' })
    const find = () => ask(`${control}/transaction?${new URLSearchParams({ blockchain, hash: String(hash) })}`)
    await expect.poll(find).toMatchObject({ status: 'confirmed' })
    paid.set(blockchain, { blockchain, ticker, address: String(address) })
  }
}

async function expectPaid({ control }: Description): Promise<void> {
  expect(paid.size).toBeGreaterThanOrEqual(3)
  for (const asked of paid.values())
    expect(await ask(`${control}/balance?${new URLSearchParams(asked)}`)).toEqual({ value: '0.75' })
}

test('starts everything, moves money, and stops everything', async () => {
  const world = await start()
  await payEverywhere(world)
  await fetch(`${world.inbox}/merchant/shop`, { method: 'POST', body: 'hello' })
  expect(nodes().length).toBeGreaterThanOrEqual(4)
  expect(await stop()).toBe(0)
  expect(current?.output()).toContain('stopping: SIGINT')
  expect(nodes()).toEqual([])
})

test('continues with the same data', async () => {
  const world = await start()
  await expectPaid(world)
  const messages = (await (await fetch(`${world.inbox}/messages`)).json()) as { body: string }[]
  expect(messages.map(({ body }) => body)).toEqual(['hello'])
})

test('a second start beside it is refused', async () => {
  const second = launch()
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain(`process ${current?.child.pid} already runs the sandbox in ${join(dir, 'data')}`)
})

test('after kill -9 of the supervisor the nodes are taken over', async () => {
  const before = nodes()
  current?.child.kill('SIGKILL')
  await current?.ended
  const world = await start()
  expect(nodes()).toEqual(before)
  expect(current?.output().match(/was still running/g)).toHaveLength(before.length)
  await expectPaid(world)
})

/**
 * Waits until the file of each EVM chain has its newest block. A busy machine writes it later, and a chain that comes
 * back with fewer blocks has replaced final ones: only two blocks are not final.
 */
async function dumped({ chains }: Description): Promise<void> {
  for (const [blockchain, folder] of [
    ['ETHEREUM', 'ethereum'],
    ['BINANCE_SMART_CHAIN', 'bsc'],
  ] as const) {
    const { url } = chains.find((chain) => chain.blockchain === blockchain)!
    const behind = async (): Promise<number> => {
      const newest = await rpcClient(url)<string>('eth_blockNumber')
      const state = JSON.parse(readFileSync(join(dir, 'data', folder, 'state.json'), 'utf8')) as {
        best_block_number: number
      }
      return Number(newest) - state.best_block_number
    }
    await expect.poll(behind, { timeout: 120_000 }).toBe(0)
  }
}

test('after kill -9 of everything nothing is lost', async () => {
  // TRON is dumped within a second of a change.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  await dumped(JSON.parse(readFileSync(join(dir, 'data', 'sandbox.json'), 'utf8')) as Description)
  current?.child.kill('SIGKILL')
  await current?.ended
  expect(await killNodes()).toBeGreaterThanOrEqual(4)
  // A judgement that a killed worker had begun is repeated after three minutes of real time, and the next tests wait.
  env['BURSAR_SCREENING'] = 'off'
  await expectPaid(await start())
})

const ROLES = ['signer', 'api', 'worker', 'watcher']

test('roles and PostgreSQL that end are named, and started again', async () => {
  const before = ROLES.map((role) => recordedProcess(join(dir, 'data', `${role}.process.json`)))
  for (const role of [...before, nodes().at(-1)]) process.kill(role!.pid, 'SIGKILL')
  const output = () => current!.output()
  for (const name of [...ROLES, 'postgres']) {
    await expect.poll(output, { timeout: 280_000 }).toMatch(new RegExp(`^${name} .* s {2}started again$`, 'm'))
    expect(output()).toContain(`${name} ended (signal SIGKILL) and is started again at once\n  the last line of ${dir}`)
  }
  const after = ROLES.map((role) => recordedProcess(join(dir, 'data', `${role}.process.json`)))
  expect(after.every((role, at) => role !== undefined && role.pid !== before[at]?.pid)).toBe(true)
})

test('`npm run try -- chaos` kills roles under load, and finds nothing lost and nothing double', async () => {
  const tried = spawn(process.execPath, [program('try.ts'), 'chaos', '--kills', '3', '--seed', '1'], { env })
  let output = ''
  for (const stream of [tried.stdout, tried.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = (await once(tried, 'close')) as [number | null]
  expect(output).toMatch(/^Nothing lost, nothing double: \d+ orders, 3 kills\.$/m)
  expect(code).toBe(0)
  expect(output.split('\n').filter((line) => line.length > 100)).toEqual([])
}, 1_800_000)

test('a node that ends is named, and the rest stops', async () => {
  const bsc = recordedProcess(join(dir, 'data', 'bsc/state.json.process.json'))
  expect(bsc).toBeDefined()
  process.kill(bsc?.pid as number, 'SIGKILL')
  expect(await current?.ended).toBe(1)
  expect(current?.output()).toContain('anvil-bsc ended by itself; the last lines of')
  expect(nodes()).toEqual([])
})

test('a port in use is reported with the process that has it and the setting to change, and nothing is left running', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(Number(env['BURSAR_PORT_CONTROL']), '127.0.0.1', resolve))
  try {
    const sandbox = launch()
    expect(await sandbox.ended).toBe(1)
    expect(sandbox.output()).toMatch(
      /control: port \d+, wanted by the control server, is in use by process \d+ .* BURSAR_PORT_CONTROL/,
    )
    expect(nodes()).toEqual([])
  } finally {
    server.close()
  }
})

test('settings that cannot be used are all reported', () => {
  const bad = { BURSAR_PORT_INBOX: '80.5', BURSAR_BLOCK_SECONDS_BSC: 'fast', BURSAR_TRON_SOLID_LAG: '1000' }
  expect(() => readSettings(bad, '/')).toThrow(
    /BURSAR_PORT_INBOX=80.5: set a whole number[^]*BURSAR_BLOCK_SECONDS_BSC=fast: set a number[^]*BURSAR_TRON_SOLID_LAG=1000: set a whole number from 0 to 100/,
  )
  expect(readSettings({}, '/srv')).toMatchObject({ dir: '/srv/.bursar', ports: { control: 8090, inbox: 8091 } })
})
