/** Requests of tests of hedging in the whole sandbox to its database, its venue and the operator's command. */
import { expect } from 'vitest'
import type { Sandbox } from '../system/sandbox.ts'

/** A price is not there at once, nor is the owner's money in the position: a refused request is repeated. */
export const eventually = <T>(sandbox: Sandbox, what: string, find: () => Promise<T | undefined>): Promise<T> =>
  sandbox.until(what, () => find().catch(() => undefined))

/** In whole BTC. */
export const exposureOf = async (sandbox: Sandbox, asset: string, decimals: number): Promise<number> => {
  const rows = await sandbox.query<{
    units: string
  }>(`select (select sum(units + reserved) from exchange_inventory where asset = '${asset}')
    - (select funded from position_limits where asset = '${asset}') as units`)
  return Number(rows[0]!.units) / 10 ** decimals
}

export const hedgeOrders = (sandbox: Sandbox): Promise<{ id: string; state: string; asset: string }[]> =>
  sandbox.query(`select replace(id::text, '-', '') as id, state, asset from hedge_orders order by created_at`)

export const openAlerts = async (sandbox: Sandbox): Promise<string[]> =>
  (await sandbox.query<{ kind: string }>('select kind from alerts where resolved_at is null')).map(({ kind }) => kind)

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

export const buyBtc = (sandbox: Sandbox, amount: string): Promise<string> =>
  eventually(sandbox, 'an exchange', async () => {
    const { client } = sandbox.merchants[0]
    const { price } = await client.exchange.estimate({
      spendTicker: 'USDT',
      targetTicker: 'BTC',
      amount,
      side: 'target',
    })
    return (
      await client.exchange.create({
        spendTicker: 'USDT',
        targetTicker: 'BTC',
        amount,
        side: 'target',
        price: price.value,
      })
    ).id
  })
