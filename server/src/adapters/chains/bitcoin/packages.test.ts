/** Answers of `submitpackage`, as Bitcoin Knots 29.4.3 gave them to a parent and its child. */
import { expect, test } from 'vitest'
import { parseTransaction } from '@bursar/chainkit/bitcoin'
import { isRefused } from '@bursar/chainkit'
import type { Rpc } from '../rpc.ts'
import { broadcastPackage } from './packages.ts'
import { serialize } from '../../../../../test/world/bitcoin-transaction.ts'

const output = { script: Uint8Array.of(0x00, 0x14, ...new Uint8Array(20).fill(7)), units: 90_000n }
const PARENT = serialize({ txid: '11'.repeat(32), vout: 0, units: 0n }, [output])
const CHILD = serialize({ txid: '22'.repeat(32), vout: 0, units: 0n }, [output])
const txidOf = (raw: string): string => {
  const parsed = parseTransaction(Buffer.from(raw, 'hex'))
  if (isRefused(parsed)) throw new Error(parsed.message)
  return parsed.txid
}

const submit = (above: string | undefined, below: string | undefined) => {
  const resultOf = (raw: string, error: string | undefined) => ({
    txid: txidOf(raw),
    ...(error === undefined ? { vsize: 110 } : { error }),
  })
  const result = {
    package_msg: below === undefined ? 'success' : 'transaction failed',
    'tx-results': { a: resultOf(PARENT, above), b: resultOf(CHILD, below) },
    'replaced-transactions': [],
  }
  return ask({ ok: true, result })
}
const ask = (answer: object) => {
  const rpc = {
    ask: async () => answer,
    believe: (_method: string, decode: () => unknown) => decode(),
    unavailable: (_method: string, why: string) => new Error(why),
  } as unknown as Rpc
  return broadcastPackage(rpc, PARENT, CHILD)
}
const MISSING = 'bad-txns-inputs-missingorspent'

test('audit D-B9, row B-9: both are taken', async () => {
  expect(await submit(undefined, undefined)).toEqual({ kind: 'accepted' })
})

test('audit D-B9, row B-9: a child that waits only for its parent is refused for the reason of the parent', async () => {
  expect(await submit('min relay fee not met, 10 < 11', MISSING)).toEqual({
    kind: 'refused',
    reason: 'fee-too-low',
    message: 'min relay fee not met, 10 < 11',
  })
})

test('audit D-B9, row B-9: mined with its parent, it is known', async () => {
  expect(await submit(MISSING, 'txn-already-known')).toEqual({ kind: 'accepted' })
})

test('audit D-B9, row B-9: a parent whose coins are spent takes its child with it', async () => {
  expect(await submit(MISSING, MISSING)).toEqual({ kind: 'conflict', message: MISSING })
})

// src/rpc/mempool.cpp submitpackage of Bitcoin Core 30: a package that is refused as a whole names none of its parts.
test('row B-9: a package that was not looked at is handed over later, and one refused for its parent as the parent', async () => {
  const unlooked = 'package-not-validated'
  expect(await submit(unlooked, unlooked)).toEqual({ kind: 'refused', reason: 'later', message: 'transaction failed' })
  expect(await submit('min relay fee not met, 10 < 11', unlooked)).toMatchObject({ reason: 'fee-too-low' })
  expect(await submit('bad-txns-in-belowout', unlooked)).toMatchObject({ kind: 'refused', reason: 'invalid' })
})

test('audit D-B9, row B-9: a node that takes no packages is no reason to give up', async () => {
  expect(await ask({ ok: false, code: -32_601, message: 'Method not found' })).toMatchObject({
    kind: 'refused',
    reason: 'later',
  })
})
