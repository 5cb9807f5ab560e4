/** Rows that an intruder writes with the password of a role. They are inserted raw: no command writes them. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { inTransaction } from '../../platform/db/index.ts'
import { applyAll, PLATFORM } from '../../ledger/postings/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { grantCapital } from '../reconciliation/index.ts'
import { listOpenFindings, provedPayments } from './index.ts'
import { useForgery, type Forged, type ForgedEntry } from '../../../../test/world/forgery.ts'

/** Forgeries with the password of the api's role, and whether a payment leaves by them. */
const { runtime, forge, withdrawal, asApi, urlOf } = useForgery()
const { newId } = runtime

const isPlanned = async (payment: { id: string; merchantId: string; ticker: string }) =>
  (await provedPayments(runtime, 'withdrawal', [payment])).length === 1
const grant = (merchantId: string, units: bigint, asset = 'USDT') =>
  inTransaction(runtime.db, (tx) => grantCapital(tx, { merchantId, asset, units }, momentOf(runtime)))
/**
 * Whether a forgery that credits a merchant is refused by the database, or keeps the payment from it from being
 * planned.
 */
const isStopped = async (forged: Forged, units = 1_000): Promise<boolean> => {
  if ((await forge(forged)) !== 'written') return true
  return !(await isPlanned(await withdrawal(forged.merchantId, units)))
}

describe('with the password of the api', () => {
  test('audit S-3: a merchant is credited against its own debt, and no payment leaves', async () => {
    const merchantId = randomUUID()
    const causeId = (await withdrawalRow(merchantId)).id
    expect(
      await isStopped({
        transfer: { kind: 'hold', cause: 'withdrawal' },
        causeId,
        merchantId,
        entries: [
          ['receivable', -1_000],
          ['merchant', 1_000],
        ],
      }),
    ).toBe(true)
  })

  test('audit S-3: quarantined money is given to its merchant, and no payment leaves', async () => {
    const merchantId = randomUUID()
    const deposit = randomUUID()
    await sql`insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, internal, late, keys, hold_until_verified, created_at, updated_at)
      values (${merchantId}, ${deposit}, 'ETHEREUM', 'USDT', ${randomUUID()}, '0', 'a', ${randomUUID()}, '{}', 1000, 0, 'held', 'Pending', false, false, '{}', true, now(), now())`.execute(
      runtime.db,
    )
    await inTransaction(runtime.db, (tx) =>
      applyAll(tx, [
        {
          transfer: {
            id: newId(),
            merchantId,
            kind: 'post',
            cause: { kind: 'deposit', id: deposit },
            at: new Date(),
            entries: [
              { account: { merchantId, asset: 'USDT', kind: 'capital' }, posted: -1_000n, held: 0n },
              { account: { merchantId, asset: 'USDT', kind: 'quarantine' }, posted: 1_000n, held: 0n },
            ],
          },
        },
      ]),
    )
    const { rows } = await sql<{ id: string }>`select id from ledger_transfers where cause_id = ${deposit}`.execute(
      runtime.db,
    )
    expect(
      await forge({
        transfer: null,
        id: rows[0]!.id,
        merchantId,
        entries: [
          ['quarantine', -1_000],
          ['merchant', 1_000],
        ],
      }),
      'entries added to a transfer that is there',
    ).toBe('23000')
    const causeId = (await withdrawalRow(merchantId)).id
    expect(
      await isStopped({
        transfer: { kind: 'hold', cause: 'withdrawal' },
        causeId,
        merchantId,
        entries: [
          ['quarantine', -1_000],
          ['merchant', 1_000],
        ],
      }),
    ).toBe(true)
  })

  test('audit S-3: the hold of a payment that was planned is not freed for a second one', async () => {
    const merchantId = randomUUID()
    await grant(merchantId, 1_000n)
    const first = await withdrawal(merchantId, 1_000)
    expect(await isPlanned(first)).toBe(true)
    expect(
      await forge({
        transfer: { kind: 'hold', cause: 'withdrawal', closes: first.hold },
        causeId: first.id,
        merchantId,
        entries: [['merchant', 0, -1_000]],
      }),
    ).toBe('42501')
  })

  test('audit S-3: a release that ended one hold ends no other', async () => {
    const merchantId = randomUUID()
    await grant(merchantId, 2_000n)
    const [over, first] = [await withdrawal(merchantId, 1_000), await withdrawal(merchantId, 1_000)]
    const release = newId()
    await inTransaction(runtime.db, (tx) =>
      applyAll(tx, [
        {
          transfer: {
            id: release,
            merchantId,
            kind: 'release',
            cause: { kind: 'withdrawal', id: over.id },
            closes: over.hold,
            at: new Date(),
            entries: [{ account: { merchantId, asset: 'USDT', kind: 'merchant' }, posted: 0n, held: -1_000n }],
          },
        },
      ]),
    )
    expect(await isPlanned(first)).toBe(true)
    expect(await forge({ transfer: null, id: release, merchantId, entries: [['merchant', 0, -1_000]] })).toBe('23000')
  })

  test('audit S-3: a withdrawal that is given back frees its own hold only, or nothing leaves any more', async () => {
    const merchantId = randomUUID()
    await grant(merchantId, 1_000n)
    const first = await withdrawal(merchantId, 1_000)
    expect(await isPlanned(first)).toBe(true)
    const forged = await withdrawal(merchantId, 1_000, first.hold)
    await inTransaction(runtime.db, (tx) =>
      applyAll(tx, [
        {
          transfer: {
            id: newId(),
            merchantId,
            kind: 'release',
            cause: { kind: 'withdrawal', id: forged.id },
            closes: first.hold,
            at: new Date(),
            entries: [{ account: { merchantId, asset: 'USDT', kind: 'merchant' }, posted: 0n, held: -1_000n }],
          },
        },
      ]),
    )
    expect(await isPlanned(await withdrawal(merchantId, 1_000))).toBe(false)
  })

  test.each([
    [
      'that nothing was spent for',
      [
        ['position', -1_000],
        ['merchant', 1_000],
      ],
    ],
    [
      'for less than it says was spent',
      [
        ['merchant', -1, 0, 'UAH'],
        ['position', 1, 0, 'UAH'],
        ['position', -1_000],
        ['merchant', 1_000],
      ],
    ],
    [
      'of which the owner gives what was received',
      [
        ['merchant', -10, 0, 'UAH'],
        ['position', 10, 0, 'UAH'],
        ['capital', -1_000],
        ['merchant', 1_000],
      ],
    ],
    [
      'that a position which has nothing gives',
      [
        ['merchant', -10, 0, 'UAH'],
        ['position', 10, 0, 'UAH'],
        ['position', -1_000],
        ['merchant', 1_000],
      ],
    ],
  ] as [string, ForgedEntry[]][])('audit S-3: an exchange %s pays for nothing', async (_, entries) => {
    const merchantId = randomUUID()
    await grant(merchantId, 10n, 'UAH')
    const [causeId, id] = [randomUUID(), newId()]
    await asApi(
      `insert into exchanges(merchant_id, id, spend_ticker, target_ticker, side, exchange_units, fee_units, target_units, pair_first, pair_second, price, market_price, basis, state, transfer_id, created_at)
      values ($1, $2, 'UAH', 'USDT', 'spend', 10, 0, 1000, 'USDT', 'UAH', 1, 1, '[]', 'done', $3, now())`,
      [merchantId, causeId, id],
    )
    expect(await isStopped({ transfer: { kind: 'post', cause: 'exchange' }, causeId, id, merchantId, entries })).toBe(
      true,
    )
  })

  test('audit S-3: the position of the platform is not filled from its capital', async () => {
    expect(
      await forge({
        transfer: { kind: 'post', cause: 'exchange' },
        merchantId: PLATFORM,
        entries: [
          ['capital', -1_000],
          ['position', 1_000],
        ],
      }),
    ).toBe('42501')
  })

  test('audit S-3: parts of a card payout are not paid beyond its hold', async () => {
    const merchantId = randomUUID()
    await grant(merchantId, 1_000n, 'UAH')
    const [payout, hold] = [randomUUID(), newId()]
    expect(
      await forge({
        transfer: { kind: 'hold', cause: 'card-payout' },
        causeId: payout,
        id: hold,
        merchantId,
        entries: [['merchant', 0, 1_000, 'UAH']],
      }),
    ).toBe('written')
    await asApi(
      `insert into card_payouts(merchant_id, id, kind, ticker, units, fee_units, masked_card, sealed_card, hold_id, open_parts, created_at, updated_at)
      values ($1, $2, 'batch', 'UAH', 1000, 0, '411111******1111', 'v1.00000000.x', $3, 2, now(), now())`,
      [merchantId, payout, hold],
    )
    const parts = [randomUUID(), randomUUID()]
    let added = 0
    const add = (id: string, number: number) => (
      (added = number),
      asApi(
        `insert into card_payout_parts(merchant_id, payout_id, number, id, ticker, units, fee_units, state, next_step_at, created_at, updated_at)
      values ($1, $2, $3, $4, 'UAH', 1000, 0, 'planned', now(), now(), now())`,
        [merchantId, payout, number, id],
      )
    )
    const proved = async () =>
      (
        await provedPayments(
          runtime,
          'card-payout-part',
          parts.slice(0, added).map((id) => ({ id, merchantId, ticker: 'UAH' })),
        )
      ).map(({ id }) => id)
    await add(parts[0]!, 1)
    expect(await proved()).toEqual([parts[0]])
    await add(parts[1]!, 2)
    expect(await proved()).toEqual([])
  })

  test('audit S-3: an account is not stopped by an entry ahead of it', async () => {
    const merchantId = randomUUID()
    await grant(merchantId, 1_000n)
    const ahead = asApi(
      `insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after)
      select id, version + 1, gen_random_uuid(), 1, 0, posted + 1, held from ledger_accounts where merchant_id = $1 and kind = 'merchant'`,
      [merchantId],
    )
    expect(
      await ahead.then(
        () => 'written',
        (error: { code: string }) => error.code,
      ),
    ).toBe('23000')
    await grant(merchantId, 1_000n)
    expect(await isPlanned(await withdrawal(merchantId, 2_000))).toBe(true)
  })

  test('audit S-3: a hold that moves money is found', async () => {
    const merchantId = randomUUID()
    await grant(merchantId, 1_000n)
    await forge({
      transfer: { kind: 'hold', cause: 'withdrawal' },
      merchantId,
      entries: [
        ['merchant', -1_000],
        ['capital', 1_000],
      ],
    })
    await provedPayments(runtime, 'withdrawal', [{ id: randomUUID(), merchantId, ticker: 'USDT' }])
    expect((await listOpenFindings(runtime.db)).filter((finding) => finding.merchantId === merchantId)).toMatchObject([
      { finding: 'transfer', detail: expect.stringContaining('is a hold and moves -1000') },
    ])
  })
})

/** A row that a forged transfer may name as its cause. */
const withdrawalRow = (merchantId: string) => withdrawal(merchantId, 1, newId())

test('audit S-3: with the password of operators no merchant is given capital without a signature', async () => {
  const operator = new pg.Client({ connectionString: urlOf('operator') })
  await operator.connect()
  const refused = operator.query(
    "insert into capital_grants(id, merchant_id, asset, units, created_at) values (gen_random_uuid(), gen_random_uuid(), 'USDT', 1, now())",
  )
  await expect(refused).rejects.toMatchObject({ code: '42501' })
  await operator.end()
})
