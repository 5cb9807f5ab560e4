import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalogue } from '../../market/assets/index.ts'
import { ownCosts } from './costs.ts'
import type { OutgoingChange } from './transaction.ts'

const catalogue = createCatalogue({
  crypto: [
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, minDeposit: '0', minWithdrawal: '0' } } },
  ],
  fiat: [],
})
let n = 0
const moment = { at: new Date(0), newId: () => `id-${(n += 1)}` }
const change = (event: OutgoingChange['event'], networkFee: bigint): OutgoingChange =>
  ({
    event,
    hash: '0x1',
    outgoing: { id: 'o', network: 'ETHEREUM', senders: ['hot'], networkFee, minedHeight: 7 },
  }) as unknown as OutgoingChange

test('a filler costs the platform the network fee and nothing else', () => {
  const { items, moves } = ownCosts(catalogue, change('mined', 21n), ['platform'], moment)
  expect(items.map(({ transfer }) => transfer.entries.map((l) => [l.account.kind, l.posted]))).toEqual([
    [
      ['custody:ETHEREUM', 21n],
      ['network-costs', -21n],
    ],
  ])
  expect(moves).toEqual([{ network: 'ETHEREUM', asset: 'ETH', address: 'hot', units: -21n, height: 7 }])
})

test('a cost is shared to the last unit, leaves custody whole, and a lost block takes exactly that back', () => {
  fc.assert(
    fc.property(
      fc.bigInt(0n, 10n ** 20n),
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 9 }),
      (fee, payers) => {
        const [out, back] = [
          ownCosts(catalogue, change('mined', fee), payers, moment),
          ownCosts(catalogue, change('reorganized', fee), payers, moment),
        ]
        const costs = (effects: typeof out) =>
          effects.items.map(
            ({ transfer: { merchantId, entries } }) =>
              [merchantId, entries.find((l) => l.account.kind === 'network-costs')!.posted] as const,
          )
        expect(costs(out).reduce((sum, [, units]) => sum + units, 0n)).toBe(-fee)
        expect(costs(back)).toEqual(costs(out).map(([who, units]) => [who, -units]))
        expect(new Set(costs(out).map(([who]) => who)).size).toBe(costs(out).length)
        expect(out.moves!.reduce((sum, move) => sum + move.units, 0n)).toBe(-fee)
      },
    ),
  )
})

test('nothing else that happens to a transaction costs anything', () => {
  for (const event of ['refused', 'accepted', 'final', 'reverted'] as const) {
    expect(ownCosts(catalogue, change(event, 21n), ['platform'], moment).items).toEqual([])
  }
})
