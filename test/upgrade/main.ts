/**
 * `npm run upgrade -- [--seconds S] [--from COMMIT]`
 *
 * Upgrades an installation of the previous release under load, without a stop. The sandbox of the previous release
 * starts with its programs. Orders, deposits and notifications go on while `bursar migrate` of this build runs, while
 * the old roles serve on the new schema for S seconds, and while each process is replaced. Then everything must come to
 * its end and agree: no answer with 5xx, nothing lost, nothing twice, no right that a role lacks.
 */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { fastFolder } from '../setup/fast-folder.ts'
import { reservePorts } from '../setup/ports.ts'
import { makeOwnedFolder } from '../setup/scratch.ts'
import { check, startOf } from '../crash/run/checking.ts'
import { createLoad, type Load } from '../crash/run/load.ts'
import { endGently, install, loadPrevious, startFurtherApi } from './installation.ts'
import { checkOut, PREVIOUS } from './previous.ts'
import { createProxy } from './proxy.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, from: { type: 'string', default: PREVIOUS } },
})
const seconds = Number(values.seconds)
process.env['TMPDIR'] ??= fastFolder() ?? '/tmp'

/** The money that the merchants can spend. */
const CREDITS = [
  ['BTC', '5'],
  ['USDT', '100000'],
  ['USDC', '1000'],
] as const
/** Time between two orders of each kind, ms. */
const ORDER_EVERY_MS = 700
const ASK_EVERY_MS = 100

const say = (line: string): void => console.log(line)
const folder = makeOwnedFolder('previous')
checkOut(values.from, folder)
const previous = await loadPrevious(folder)
const { buildPrograms } = await import('../../tools/build.ts')
const next = await buildPrograms()
const sandbox = await previous.startSandbox({
  BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
  BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
  BURSAR_BLOCK_SECONDS_BSC: '0.5',
})

const stop = (): void => void sandbox.stop().finally(() => process.exit(130))
process.once('SIGINT', stop).once('SIGTERM', stop)

const [secondPort] = await reservePorts(1)
const proxy = createProxy([sandbox.api])
for (const merchant of sandbox.merchants)
  merchant.client = new previous.Bursar({
    url: sandbox.api,
    merchantId: merchant.id,
    privateKey: merchant.privateKey,
    fetch: proxy.fetch,
  })

const run = async (): Promise<string[]> => {
  for (const merchant of sandbox.merchants)
    for (const [ticker, amount] of CREDITS) await sandbox.credit(merchant, ticker, amount)
  const start = await startOf(sandbox, 0)
  const load = createLoad(sandbox)
  const loading = startLoad(load)
  await sleep(2_000)

  install(previous.programs, next)
  const migrating = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, [next.bursar, 'migrate'], {
    env: { ...sandbox.environment, DATABASE_URL: sandbox.database },
  })
  const ran = stdout.match(/[\w-]+\.sql/g)?.length ?? 0
  say(`${ran} migrations under load in ${Math.round(performance.now() - migrating)} ms`)
  const lines = stdout.split('\n').filter((line) => line.includes('for a lock') || line.includes('waits for'))
  for (const line of lines) say(line)
  await sleep(seconds * 1_000)

  // The documented order: worker, watcher, signer, api.
  for (const role of ['worker', 'watcher', 'signer'] as const) {
    const ms = await endGently(sandbox.pid(role))
    await sandbox.start(role)
    say(`${role} replaced: it ended in ${ms} ms`)
    await sleep(seconds * 200)
  }
  const oldApi = sandbox.pid('api')
  const further = await startFurtherApi(next.bursar, oldApi, secondPort!)
  proxy.upstreams.push(`http://127.0.0.1:${secondPort}`)
  say(`api replaced: it ended in ${await endGently(oldApi)} ms`)
  await sandbox.start('api')
  await sleep(seconds * 200)
  await endGently(further.pid!)
  await loading.stop()

  const wrong = await check(sandbox, load, start)
  const orders = load.withdrawals.length + load.deposits.length + load.exchanges.length
  const counts = [...proxy.statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  say(`${orders} orders came to their end; answers: ${counts.join(', ')}`)
  return [...wrong, ...proxy.faults, ...(await twiceDelivered())]
}

/** Orders on each network in turn, deposits, exchanges, and questions, until it is stopped. */
const startLoad = (load: Load): { stop(): Promise<void> } => {
  const networks = ['ETHEREUM', 'BITCOIN', 'BINANCE_SMART_CHAIN', 'TRON'] as const
  const [shop] = sandbox.merchants
  let isRunning = true
  const order = async (): Promise<void> => {
    for (let at = 0; isRunning; at += 1) {
      await load.withdraw(networks[at % networks.length]!)
      load.deposit(networks[(at + 1) % networks.length]!)
      load.exchange()
      await sleep(ORDER_EVERY_MS)
    }
  }
  const ask = async (): Promise<void> => {
    while (isRunning) {
      // The proxy counts requests without an answer.
      await shop.client.balances.list(['USDT']).catch(() => {})
      await sleep(ASK_EVERY_MS)
    }
  }
  const both = Promise.all([order(), ask()])
  return {
    stop: async () => {
      isRunning = false
      await both
    },
  }
}

/** Notifications that were delivered more than once: processes that end by SIGTERM repeat none. */
const twiceDelivered = async (): Promise<string[]> => {
  const wrong: string[] = []
  for (const { id } of sandbox.merchants) {
    const response = await fetch(`${sandbox.place.inbox}/messages?after=0&merchantId=${id}`)
    const all = (await response.json()) as { headers: Record<string, string> }[]
    const seen = new Map<string, number>()
    for (const { headers } of all) seen.set(headers['webhook-id']!, (seen.get(headers['webhook-id']!) ?? 0) + 1)
    for (const [webhook, count] of seen)
      if (count > 1) wrong.push(`notification ${webhook} was delivered ${count} times`)
    say(`${seen.size} notifications of merchant ${id.slice(0, 8)}`)
  }
  return wrong
}

const wrong = await run().catch((error: unknown) => [String((error as Error).stack ?? error)])
await sandbox.stop().catch((error: unknown) => wrong.push(String(error)))
rmSync(join(folder), { recursive: true, force: true })
for (const line of wrong) console.error(`- ${line}`)
process.exit(wrong.length === 0 ? 0 : 1)
