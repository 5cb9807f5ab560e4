/** The package in which a miner takes a transaction, as nodes before Bitcoin Core 31 and from 31 on show it. */
import { expect, test } from 'vitest'
import type { Rpc, RpcCall } from '../rpc.ts'
import { readPoolCost } from './pool-cost.ts'
import { poolEntry as entry, type Sum } from '../../../../../test/world/dialects/bitcoin.ts'

const HASH = 'aa'.repeat(32)
const OWN: Sum = { vsize: 141, fee: '0.00000144' }
const NOT_FOUND = { ok: false, code: -5, message: 'Transaction not in mempool' }

const read = (answers: Record<string, object>) => {
  const rpc = {
    ask: async ({ method }: RpcCall) =>
      answers[method] === undefined ? NOT_FOUND : { ok: true, result: answers[method] },
    believe: (_method: string, decode: () => unknown) => decode(),
  } as unknown as Rpc
  return readPoolCost(rpc, HASH)
}

test('audit D-B3, row B-2: a descendant pays for it when it does so together with all its ancestors', async () => {
  const getmempoolentry = entry(OWN, OWN, { vsize: 251, fee: '0.00020144', count: 2 })
  const child = entry(
    { vsize: 110, fee: '0.00020000' },
    { vsize: 251, fee: '0.00020144' },
    { vsize: 110, fee: '0.00020000', count: 1 },
  )
  expect(await read({ getmempoolentry, getmempooldescendants: { ['bb'.repeat(32)]: child } })).toEqual({
    vsize: 141,
    fee: 144n,
    ancestors: { vsize: 0, fee: 0n },
    descendants: { count: 1, vsize: 110, fee: 20_000n },
    package: { vsize: 251, fee: 20_144n },
  })
})

test('audit D-B3, row B-2: an expensive descendant that also has a large cheap ancestor does not pay for it', async () => {
  const getmempoolentry = entry(OWN, OWN, { vsize: 251, fee: '0.00020144', count: 2 })
  const child = entry(
    { vsize: 110, fee: '0.00020000' },
    { vsize: 100_251, fee: '0.00030000' },
    { vsize: 110, fee: '0.00020000', count: 1 },
  )
  expect(await read({ getmempoolentry, getmempooldescendants: { ['bb'.repeat(32)]: child } })).toMatchObject({
    package: { vsize: 141, fee: 144n },
  })
})

test('audit D-B3, row B-29: the chunk that Bitcoin Core 31 reports is the package of the transaction', async () => {
  const getmempoolentry = entry(
    OWN,
    OWN,
    { vsize: 251, fee: '0.00020144', count: 2 },
    { chunkweight: 1_001, chunk: '0.00020144' },
  )
  expect(await read({ getmempoolentry })).toMatchObject({ package: { vsize: 251, fee: 20_144n } })
})

// doc/release-notes-32800.md: `vsize` is deprecated, `vsize_adjusted` is what the policy goes by.
test('row B-29: the size by which the pool judges is read by its new name, and by its old one', async () => {
  const { vsize: _old, ...others } = entry(OWN, OWN, { ...OWN, count: 1 }) as Record<string, unknown>
  expect(await read({ getmempoolentry: { ...others, vsize_adjusted: 141, vsize_bip141: 130 } })).toMatchObject({
    vsize: 141,
    ancestors: { vsize: 0 },
  })
  expect(await read({ getmempoolentry: { ...others, vsize: 150, vsize_adjusted: 141 } })).toMatchObject({ vsize: 141 })
})

// src/rpc/mempool.cpp, `entryToJSON`: `base` is the fee itself, the sums are of `GetModifiedFee`.
test('row B-31: a fee that the operator of the node counts as less is read, and the sums are those of the node', async () => {
  const less: Sum = { ...OWN, fee: '0.00000100' }
  const cost = await read({ getmempoolentry: entry(OWN, less, { ...less, count: 1 }) })
  expect(cost).toMatchObject({ fee: 144n, ancestors: { vsize: 0, fee: -44n }, descendants: { fee: -44n } })
  expect(cost).toMatchObject({ package: { vsize: 141, fee: 100n } })
})

test('a transaction that leaves the pool between two requests is not in it', async () => {
  expect(await read({ getmempoolentry: entry(OWN, OWN, { vsize: 251, fee: '0.00020144', count: 2 }) })).toBeNull()
  expect(await read({})).toBeNull()
})
