/** The page's data of one payment: refunds of card payments, and exchanges by conversions, with their entries. */
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { fill } from '../../../../test/setup/filling.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { catalogue as fiatCatalogue, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'
import { catalogue as exchangeCatalogue } from '../../../../test/world/exchange.ts'
import { NOTIFIED_STATUS } from '../../../../test/world/listed.ts'
import { useConversions } from '../../exchange/conversions/test-conversions.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { WORDS } from '../frame/words/index.ts'
import type { PaymentPagesDeps } from './deps.ts'
import { readDetail } from './detail.ts'
import { explorersOf } from './explorers.ts'
import { stepsOf } from './timeline.ts'

const scope = { words: WORDS.en, language: 'en', notificationUrl: () => null } as const
const depsOf = (db: Db, catalogue: Catalogue): PaymentPagesDeps =>
  ({
    db,
    catalogue,
    publicUrl: 'https://pay.example',
    explorers: explorersOf('regtest', new Map()),
  }) as PaymentPagesDeps

describe('a card invoice', () => {
  const world = useFiatInvoices()

  test('has its refund with the lines of the ledger, and a step of its own', async () => {
    const { id, reference } = await world.paidInvoice()
    await world.refund(reference, 4_000n)
    const read = async () => (await readDetail(depsOf(world.db, fiatCatalogue), world.merchantId, 'card', id))!
    const stepOf = async (): Promise<string[]> =>
      stepsOf(await read(), { ...scope, catalogue: fiatCatalogue })
        .map(({ text }) => text)
        .filter((text) => text.startsWith('Refund'))
    const held = await read()
    expect(held.refunds).toEqual([expect.objectContaining({ paymentId: reference, units: 4_000n, state: 'requested' })])
    expect(held.entries.filter((entry) => entry.causeKind === 'refund')).toEqual([
      expect.objectContaining({ kind: 'hold', account: 'merchant', held: 4_000n }),
    ])
    expect(await stepOf()).toEqual([expect.stringMatching(/^Refund of .*40.*: requested, not sent yet$/)])
    await world.work()
    await world.later(3_600_000)
    const done = await read()
    expect(done.refunds[0]!.state).toBe('done')
    expect(done.entries.filter((entry) => entry.causeKind === 'refund').map(({ kind }) => kind)).toContain('capture')
    expect(await stepOf()).toEqual([expect.stringMatching(/: done$/)])
    // Refunds of another merchant's payments are not there.
    expect(
      await readDetail(depsOf(world.db, fiatCatalogue), '00000000-0000-4000-8000-000000000009', 'card', id),
    ).toBeUndefined()
  })
})

describe('a converted deposit', () => {
  const { db, world, received, target, run } = useConversions()

  // Deposits that are inserted raw are of no block.
  afterAll(() => emptyTables(db))

  test.each([
    ['exchanged', { ticker: 'USDT' }],
    [
      'exchanged and sent on',
      { ticker: 'USDT', address: '0x1111111111111111111111111111111111111111', blockchain: 'ETHEREUM' },
    ],
  ] as const)('that is %s has the lines of the exchange, which are no credits of its own', async (_name, wanted) => {
    const addressId = await target({ ...wanted })
    const stored = (id: string): Promise<void> =>
      // Raw: the deposit of the world is of no block.
      withoutTriggers(db, async (tx) => {
        await fill(tx, 'deposits', 1, 1, {
          id: `'${id}'::uuid`,
          merchant_id: `'${world.merchant}'::uuid`,
          address_id: `'${addressId}'::uuid`,
          network: "'ETHEREUM'",
          asset: "'ETH'",
          state: "'credited'",
          [NOTIFIED_STATUS]: "'Done'",
          transaction: "'tx'",
          index: "'0'",
          address: "'0xa'",
          senders: "array['0xb']",
          fee_units: '0',
          block_height: '1',
          units: '1000000000000000000',
          created_at: `to_timestamp(${world.now / 1_000})`,
        })
        await fill(tx, 'addresses', 1, 1, {
          id: `'${addressId}'::uuid`,
          merchant_id: `'${world.merchant}'::uuid`,
          family: "'EVM'",
          blockchain: "'ETHEREUM'",
          address: "'0xa'",
        })
      })
    const id = await received('ETH', 10n ** 18n, addressId, 0n, stored)
    await run()
    const { rows } = await sql<{ id: string }>`select id from exchanges where merchant_id = ${world.merchant}`.execute(
      db,
    )
    expect(rows.length).toBeGreaterThan(0)
    const detail = (await readDetail(depsOf(db, exchangeCatalogue), world.merchant, 'deposit', id))!
    expect(detail.conversions).toMatchObject([{ state: 'done', targetTicker: 'USDT' }])
    const lines = detail.entries.filter((entry) => entry.causeKind === 'exchange' && entry.account === 'merchant')
    expect(new Set(lines.map(({ causeId }) => causeId))).toEqual(new Set(rows.map((row) => row.id)))
    expect(new Set(lines.map(({ asset }) => asset))).toEqual(new Set(['USDT', 'ETH']))
    const texts = stepsOf(detail, { ...scope, catalogue: exchangeCatalogue }).map(({ text }) => text)
    expect(texts).toContain('Exchange of ETH to USDT: done')
    expect(texts.filter((text) => text.startsWith('Confirmed and credited') && text.includes('USDT'))).toEqual([])
    expect(texts.filter((text) => text.startsWith('Taken back'))).toEqual([])
  })
})
