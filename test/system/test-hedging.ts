/** What tests of hedging in the whole sandbox ask of its database, its venue and the operator's command. */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { withClient } from '../../sandbox/postgres/connection.ts'
import type { Sandbox } from './sandbox.ts'

export const eventually = async <T>(sandbox: Sandbox, what: string, find: () => Promise<T | undefined>, withinMs = 90_000): Promise<T> => {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await find().catch(() => undefined)
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`never came: ${what}\n${sandbox.logs()}`)
    await sleep(200)
  }
}

const query = <T extends object>(sandbox: Sandbox, text: string): Promise<T[]> => withClient(sandbox.database, async (client) => (await client.query<T>(text)).rows)

/** In whole BTC. */
export const exposureOf = async (sandbox: Sandbox, asset: string, decimals: number): Promise<number> => {
  const rows = await query<{ units: string }>(sandbox, `select (select sum(units + reserved) from exchange_inventory where asset = '${asset}')
    - (select funded from position_limits where asset = '${asset}') as units`)
  return Number(rows[0]!.units) / 10 ** decimals
}

export const hedgeOrders = (sandbox: Sandbox): Promise<{ id: string; state: string; asset: string }[]> =>
  query(sandbox, `select replace(id::text, '-', '') as id, state, asset from hedge_orders order by created_at`)

export const openAlerts = async (sandbox: Sandbox): Promise<string[]> =>
  (await query<{ kind: string }>(sandbox, 'select kind from alerts where resolved_at is null')).map(({ kind }) => kind)

/** Nothing is under way, and nothing is left that could be hedged. */
export const hedged = (sandbox: Sandbox, asset: string, decimals: number, least: number): Promise<true> =>
  eventually(sandbox, `${asset} is hedged`, async () => {
    const open = (await hedgeOrders(sandbox)).filter(({ state }) => state === 'sending' || state === 'open')
    return open.length === 0 && Math.abs(await exposureOf(sandbox, asset, decimals)) < least ? true : undefined
  })

/** Each client id has at most one order on the venue, and the venue has none that is not written down. */
export const placedOnce = async (sandbox: Sandbox): Promise<void> => {
  const { orders } = await sandbox.venueFind()
  const ids = orders.map(({ clientOrderId }) => clientOrderId!)
  expect(ids).toHaveLength(new Set(ids).size)
  const written = new Set((await hedgeOrders(sandbox)).map(({ id }) => id))
  expect(ids.filter((id) => !written.has(id))).toEqual([])
}

export const bursar = async (sandbox: Sandbox, ...args: string[]): Promise<{ text: string; code: number }> =>
  promisify(execFile)(process.execPath, ['server/src/main.ts', ...args], { env: sandbox.environment, cwd: new URL('../../', import.meta.url) })
    .then(({ stdout }) => ({ text: stdout, code: 0 }), (error: { stdout: string; stderr: string; code: number }) => ({ text: error.stdout + error.stderr, code: error.code }))

/** Once there is a price, and the owner's money is in the position. */
export const buyBtc = (sandbox: Sandbox, amount: string): Promise<string> =>
  eventually(sandbox, 'an exchange', async () => {
    const { client } = sandbox.merchants[0]
    const { price } = await client.exchange.estimate({ spendTicker: 'USDT', targetTicker: 'BTC', amount, side: 'target' })
    return (await client.exchange.create({ spendTicker: 'USDT', targetTicker: 'BTC', amount, side: 'target', price: price.value })).id
  })
