import * as fc from 'fast-check'
import { encodeFunctionData, getAddress, pad, toHex as toViemHex } from 'viem'
import type { Abi } from 'viem'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import batch from '../../contracts/artifacts/SweepBatch.json' with { type: 'json' }
import delegate from '../../contracts/artifacts/SweepDelegate.json' with { type: 'json' }
import relay from '../../contracts/artifacts/SweepRelay.json' with { type: 'json' }
import { toHex } from './hex.ts'
import { relayTransfers } from './relay-call.ts'
import type { Signature } from './signed.ts'
import { COIN, groupSweeps, sweepMany, sweepOne } from './sweep-call.ts'
import type { Call } from './words.ts'

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(toHex(bytes)))
const addresses = fc.array(address, { maxLength: 6 })
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const signature: fc.Arbitrary<Signature> = fc.record({
  r: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
  s: fc.bigInt({ min: 1n, max: 2n ** 255n - 1n }),
  yParity: fc.constantFrom(0 as const, 1 as const),
})
const word = (value: bigint) => pad(toViemHex(value), { size: 32 })
const signed = ({ r, s, yParity }: Signature) => ({ r: word(r), vs: word(s + (yParity === 1 ? 2n ** 255n : 0n)) })

const agree = <Values>(
  call: Call<Values>,
  values: fc.Arbitrary<NoInfer<Values>>,
  abi: unknown,
  name: string,
  args: (values: Values) => unknown[],
) => {
  fc.assert(
    fc.property(values, fc.nat(), fc.nat({ max: 255 }), (one, at, byte) => {
      const data = call.encode(one)
      expect(data).toBe(encodeFunctionData({ abi: abi as Abi, functionName: name, args: args(one) }))
      expect(call.decode(data)).toEqual(one)
      const changed = Uint8Array.from(Buffer.from(data.slice(2), 'hex'))
      changed[at % changed.length] = byte
      const read = call.decode(toHex(changed))
      if (read) expect(call.encode(read)).toBe(toHex(changed))
      expect(call.decode(`${data}00`)).toBeUndefined()
      expect(call.decode(data.slice(0, -2))).toBeUndefined()
    }),
    { numRuns: cases(300) },
  )
}

describe("calls equal viem's encoding, parse back, and have exactly one encoding", () => {
  test('sweep of one', () => agree(sweepOne, addresses, delegate.abi, 'sweep', (assets) => [assets]))

  test('sweep of many', () =>
    agree(
      sweepMany,
      fc.array(fc.record({ assets: addresses, accounts: addresses }), { maxLength: 4 }),
      batch.abi,
      'sweep',
      (groups) => [groups],
    ))

  test('transfers through the relay', () => {
    const transfer = fc.record({ from: address, units: uint, nonce: uint, signature })
    const values = fc.record({ token: address, validBefore: uint, transfers: fc.array(transfer, { maxLength: 4 }) })
    agree(relayTransfers, values, relay.abi, 'transferAll', ({ token, validBefore, transfers }) => [
      token,
      validBefore,
      transfers.map(({ from, units, nonce, signature }) => ({
        from,
        value: units,
        nonce: word(nonce),
        ...signed(signature!),
      })),
    ])
  })
})

test('a draft of transfers is read back without signatures', () => {
  const [token, from] = fc.sample(address, 2) as [`0x${string}`, `0x${string}`]
  const draft = { token, validBefore: 9n, transfers: [{ from, units: 5n, nonce: 1n }] }
  expect(relayTransfers.decode(relayTransfers.encode(draft))).toEqual(draft)
})

test.each(['', '0x', '0xzz', `0x${'00'.repeat(4)}`, sweepMany.encode([]).slice(0, 10)])('%j is no call', (data) => {
  for (const call of [sweepOne, sweepMany, relayTransfers] as Call<unknown>[]) expect(call.decode(data)).toBeUndefined()
})

test('addresses of the same assets share a group', () => {
  const [a, b, c, token] = fc.sample(address, 4) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`]
  const sweeps = [
    { account: a, assets: [token] },
    { account: b, assets: [token, COIN] },
    { account: c, assets: [token] },
  ]
  expect(groupSweeps(sweeps)).toEqual([
    { assets: [token], accounts: [a, c] },
    { assets: [token, COIN], accounts: [b] },
  ])
})
