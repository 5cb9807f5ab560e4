/**
 * Does what a merchant's developer would do first, and shows it: `node sandbox/try.ts
 * deposit|held|withdraw|balances|page`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bursar, BursarError } from '@bursar/sdk'
import { PAGE_STATES } from './try-page.ts'

interface Sandbox {
  readonly api: string
  readonly control: string
  readonly inbox: string
  /** absent: nothing is screened */
  readonly screening?: object
  readonly merchants: readonly { readonly id: string; readonly privateKey: string }[]
}

const root = new URL('..', import.meta.url).pathname
const WAIT_MS = 120_000

process.exitCode = await run(process.argv.slice(2)).catch(refused)

async function run([
  command,
  ticker = 'USDT',
  blockchain = 'ETHEREUM',
  amount = '25',
  verdict = 'clean',
]: string[]): Promise<number> {
  const sandbox = JSON.parse(
    readFileSync(join(process.env['BURSAR_DIR'] ?? join(root, '.bursar'), 'sandbox.json'), 'utf8'),
  ) as Sandbox
  const { id, privateKey } = sandbox.merchants[0]!
  const client = new Bursar({ url: sandbox.api, merchantId: id, privateKey })
  if (command === 'balances') {
    console.table(await client.balances.list(['BTC', 'ETH', 'BNB', 'TRX', 'USDT', 'USDC']))
    return 0
  }
  if (command === 'deposit') return deposit(sandbox, client, { ticker, blockchain, amount })
  if (command === 'held') return held(sandbox, { ticker, blockchain, amount }, verdict)
  if (command === 'withdraw') return withdraw(sandbox, client, { ticker, blockchain, amount })
  if (command === 'page') return page(sandbox, client, ticker)
  console.error(
    'usage: node sandbox/try.ts deposit|withdraw TICKER BLOCKCHAIN AMOUNT, held TICKER BLOCKCHAIN AMOUNT clean|mixer|sanctioned, balances, or page STATE',
  )
  return 2
}

/** What the API refuses is told as it says it. */
function refused(error: unknown): number {
  if (!(error instanceof BursarError)) throw error
  console.error(error.message)
  return 1
}

interface Order {
  readonly ticker: string
  readonly blockchain: string
  readonly amount: string
}

async function deposit(sandbox: Sandbox, client: Bursar, { ticker, blockchain, amount }: Order): Promise<number> {
  const { address } = await client.addresses.create({ blockchain, meta: 'from sandbox/try.ts' })
  console.log(`address  ${address}`)
  const { hash } = await control<{ hash: string }>(sandbox, '/pay', { blockchain, ticker, to: address, amount })
  console.log(`paid     ${amount} ${ticker} in ${hash}`)
  return follow(
    sandbox,
    (body) => body['hash'] === hash,
    sandbox.screening === undefined ? ['Done', 'Failed'] : ['Verified', 'Failed'],
  )
}

/** A deposit of the second merchant, which has money screened before it is credited. */
async function held(sandbox: Sandbox, { ticker, blockchain, amount }: Order, verdict: string): Promise<number> {
  const { id, privateKey } = sandbox.merchants[1]!
  const client = new Bursar({ url: sandbox.api, merchantId: id, privateKey })
  const { address } = await client.addresses.create({ blockchain, meta: 'from sandbox/try.ts' })
  await control(sandbox, '/screening', { address, verdict })
  console.log(`address  ${address}, and what comes there is ${verdict}`)
  const { hash } = await control<{ hash: string }>(sandbox, '/pay', { blockchain, ticker, to: address, amount })
  console.log(`paid     ${amount} ${ticker} in ${hash}`)
  if (verdict !== 'clean')
    console.log('decide   npm run bursar -- screening list, then screening release ID why, or screening reject ID why')
  return follow(sandbox, (body) => body['hash'] === hash, ['Verified', 'Failed'])
}

async function withdraw(sandbox: Sandbox, client: Bursar, { ticker, blockchain, amount }: Order): Promise<number> {
  const { address } = await control<{ address: string }>(sandbox, '/address', { blockchain })
  const { id } = await client.withdrawals.crypto.create({
    ticker,
    blockchain,
    to: address,
    amount,
    meta: 'from sandbox/try.ts',
  })
  console.log(`withdrawal ${id} of ${amount} ${ticker} to ${address}`)
  return follow(sandbox, (body) => body['id'] === id)
}

async function page(sandbox: Sandbox, client: Bursar, state: string): Promise<number> {
  const make = PAGE_STATES[state]
  if (make === undefined) {
    console.error(`write one of ${Object.keys(PAGE_STATES).join(', ')}`)
    return 2
  }
  const mails = async (to: string): Promise<{ text?: string }[]> =>
    (await fetch(`${sandbox.control}/mail?to=${to}`)).json() as Promise<{ text?: string }[]>
  console.log(await make({ client, mails, control: (path, body) => control(sandbox, path, body) }))
  return 0
}

/** Shows the notifications of one object until its last. */
async function follow(
  sandbox: Sandbox,
  isIt: (body: Record<string, unknown>) => boolean,
  last = ['Done', 'Failed'],
): Promise<number> {
  const deadline = performance.now() + WAIT_MS
  let after = 0
  while (performance.now() < deadline) {
    const messages = (await (await fetch(`${sandbox.inbox}/messages?after=${after}`)).json()) as {
      seq: number
      body: string
    }[]
    for (const message of messages) {
      after = message.seq
      const body = JSON.parse(message.body) as Record<string, unknown>
      if (!isIt(body)) continue
      console.log(`notified ${String(body['kind'])} ${String(body['status'])}: ${message.body}`)
      if (last.includes(String(body['status']))) return 0
    }
    await sleep(250)
  }
  console.error(`no end of it within ${WAIT_MS / 1000} s: see .bursar/logs`)
  return 1
}

async function control<T>({ control: url }: Sandbox, path: string, body: object): Promise<T> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const value = (await answer.json()) as T & { description?: string }
  if (!answer.ok) throw new Error(`the control server refused: ${value.description}`)
  return value
}
