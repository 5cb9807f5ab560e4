/**
 * The adapter against a real node of TRON, read-only: off unless `BURSAR_TRON_SMOKE_URL` names one, with
 * `BURSAR_TRON_SMOKE_TOKEN` a TRC-20 contract there and `BURSAR_TRON_SMOKE_HOLDER` an address that holds some of it.
 * docs/operating/tron-smoke.md.
 */
import { isRefused } from '@bursar/chainkit'
import {
  encodeTokenTransfer,
  parseAddress,
  parseUnsigned,
  serializeUnsigned,
  transactionId,
} from '@bursar/chainkit/tron'
import { afterAll, describe, expect, test } from 'vitest'
import { createTronAdapter } from './index.ts'

const { BURSAR_TRON_SMOKE_URL: url, BURSAR_TRON_SMOKE_TOKEN: token, BURSAR_TRON_SMOKE_HOLDER: holder } = process.env
/** Blocks of a public network that are read. */
const BLOCKS = 5
/** Until one has a transaction of a kind we make. */
const MOST_LOOKED_AT = 100

describe.skipIf(url === undefined)('a public node of TRON', () => {
  const adapter = createTronAdapter({
    url: url ?? 'http://127.0.0.1:9',
    tokens: token === undefined ? [] : [token],
    internalTransactions: false,
    random: Math.random,
  })
  afterAll(() => adapter.close())

  test('says which chain it is, and its solidified head is behind its head', async () => {
    expect(await adapter.identity()).toMatch(/^[0-9a-f]{64}$/)
    const [head, final] = await Promise.all([adapter.head(), adapter.finalized()])
    expect(final!.height).toBeLessThan(head.height)
    expect(head.height - final!.height).toBeLessThan(100)
  })

  test('whole blocks are read, each standing on the one before', async () => {
    const { height } = (await adapter.finalized())!
    let before: string | undefined
    for (let at = height - BLOCKS; at <= height; at += 1) {
      const block = (await adapter.blockAt(at))!
      expect(block.parent).toBe(before ?? block.parent)
      before = block.hash
    }
  })

  test('transactions that we build have the bytes and the ids of the network', async () => {
    const { height } = (await adapter.finalized())!
    const known = []
    for (let at = height; at > height - MOST_LOOKED_AT && known.length === 0; at -= 1) {
      const answer = await fetch(new URL('/wallet/getblockbynum', url), {
        method: 'POST',
        body: JSON.stringify({ num: at }),
      })
      const { transactions = [] } = (await answer.json()) as {
        transactions?: { txID: string; raw_data_hex: string }[]
      }
      for (const { txID, raw_data_hex: hex } of transactions) {
        const parsed = parseUnsigned(Buffer.from(hex, 'hex'))
        if (!isRefused(parsed)) known.push({ txID, hex, parsed })
      }
    }
    expect(known.length).toBeGreaterThan(0)
    for (const { txID, hex, parsed } of known) {
      expect(Buffer.from(serializeUnsigned(parsed)).toString('hex')).toBe(hex)
      expect(transactionId(parsed)).toBe(txID)
    }
  })

  test('prices and sources of energy are shown', async () => {
    const rate = await adapter.feeRate()
    if (rate.kind !== 'resources') throw new Error(rate.kind)
    expect(rate.energy).toBeGreaterThan(0n)
    expect(rate.bandwidth).toBeGreaterThan(0n)
    const { time } = await adapter.reference()
    expect(Math.abs(Date.now() - time)).toBeLessThan(10 * 60_000)
  })

  test.skipIf(token === undefined || holder === undefined)(
    'the transfer of a token is estimated, and refused beyond the balance',
    async () => {
      const address = parseAddress(holder!)
      if (isRefused(address)) throw new Error(address.message)
      const { units } = await adapter.balancesAtFinal([{ address: holder!, contract: token! }])
      expect(units[0]).toBeGreaterThan(0n)
      const call = (amount: bigint) =>
        ({
          kind: 'TriggerSmartContract',
          owner: holder!,
          contract: token!,
          callValue: 0n,
          data: encodeTokenTransfer(token!, amount),
        }) as const
      const one = await adapter.estimateCost(call(1n))
      expect(one.ok && one.usage.energy > 10_000n).toBe(true)
      expect((await adapter.estimateCost(call(units[0]! * 2n + 10n ** 30n))).ok).toBe(false)
    },
  )
})
