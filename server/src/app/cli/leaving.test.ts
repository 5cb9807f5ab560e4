import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { useInstallation } from '../../../../test/world/installation.ts'
import { fillListed, LISTED, listedWorld, NOTIFIED_STATUS } from '../../../../test/world/listed.ts'
import { makeMerchant, momentAt, newId } from '../../../../test/world/merchant.ts'
import { applyAll } from '../../ledger/postings/index.ts'
import { listAudit, setSetting } from '../../merchants/accounts/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { openItems } from '../composition/open-items.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env } = useInstallation()
// What was inserted raw is in no books.
afterEach(() => emptyTables(db))

const type = async (...words: string[]) => {
  const { code, text } = await captured(() => runCommand(words, env, async () => 'yes'))
  return [code, text]
}
const book = (merchantId: string, posted: bigint) =>
  inTransaction(db, (tx) => {
    const id = newId()
    const entries = [
      { account: { merchantId, asset: 'BTC', kind: 'merchant' as const }, posted, held: 0n },
      { account: { merchantId, asset: 'BTC', kind: 'capital' as const }, posted: -posted, held: 0n },
    ]
    const transfer = { id, merchantId, kind: 'post' as const, cause: { kind: 'adjustment' as const, id }, entries }
    return applyAll(tx, [{ transfer: { ...transfer, at: new Date() } }])
  })
/** The merchant has been ending for long enough. */
const wait = (id: string) =>
  sql`update merchant_endings set since = since - interval '1 hour' where merchant_id = ${id}`.execute(db)

test('a merchant ends when nothing is left on its balance, and not before', async () => {
  const { id } = await makeMerchant(db, Date.now())
  expect(await type('merchant', 'finish', id)).toEqual([1, expect.stringContaining('begin with `bursar merchant end')])
  await book(id, 5n)
  expect(await type('merchant', 'end', id)).toEqual([
    0,
    expect.stringMatching(/is ending[^]*5 units of BTC on the balance/),
  ])
  expect((await type('merchant', 'end', id))[0]).toBe(0)
  await wait(id)
  expect(await type('merchant', 'finish', id)).toEqual([1, expect.stringContaining('on the balance')])
  await book(id, -5n)
  expect(await type('merchant', 'finish', id)).toEqual([0, 'the merchant has ended\n'])
  expect((await type('merchant', 'end', id))[0]).toBe(1)
  expect(await type('merchant', 'status', id)).toEqual([0, expect.stringMatching(/is ended[^]*nothing is open/)])
  expect(await type('merchant', 'reopen', id)).toEqual([0, 'the merchant is ending\n'])
  expect(await type('merchant', 'reopen', id)).toEqual([0, 'the merchant is active\n'])
  expect((await type('merchant', 'reopen', id))[0]).toBe(1)
  expect((await listAudit(db, id)).map(({ action }) => action)).toEqual([
    'active',
    'ending',
    'ended',
    'ending',
    'created',
  ])
})

test('a merchant that has just begun to end can not end yet: requests may be on their way', async () => {
  const { id } = await makeMerchant(db, Date.now())
  await type('merchant', 'end', id)
  expect(await type('merchant', 'finish', id)).toEqual([1, expect.stringContaining('requests may be on their way')])
})

test('notifications keep a merchant that has a URL from ending, and are only shown for one that has none', async () => {
  const { id } = await makeMerchant(db, Date.now())
  const setUrl = (value: string) =>
    inTransaction(db, (tx) =>
      setSetting(tx, id, { name: 'notificationsUrl', value }, { actor: 'test' }, momentAt(Date.now())),
    )
  // Raw: a stream whose first notification is due at any time, without the object that it is about.
  await sql`insert into event_streams(merchant_id, object_id, next_sequence, last_sequence, next_at, since, until)
    values (${id}, ${newId()}, 1, 1, now(), now(), now())`.execute(db)
  await setUrl('https://shop.example/hook')
  await type('merchant', 'end', id)
  await wait(id)
  expect(await type('merchant', 'finish', id)).toEqual([1, expect.stringContaining('1 objects with notifications')])
  await setUrl('')
  expect(await type('merchant', 'status', id)).toEqual([
    0,
    expect.stringMatching(/nothing is open[^]*1 objects have notifications, and the merchant has no URL/),
  ])
  expect(await type('merchant', 'finish', id)).toEqual([0, 'the merchant has ended\n'])
})

test('an unknown merchant is refused', async () => {
  for (const verb of ['end', 'reopen', 'finish', 'status'])
    expect(await type('merchant', verb, newId())).toEqual([1, expect.stringContaining('no merchant has the id')])
})

test('everything that is open is counted by kind, as it is in the lists, and of this merchant only', async () => {
  await makeMerchant(db, Date.now(), { id: LISTED })
  await withoutTriggers(db, (tx) => fillListed(tx, 1, 70))
  const count = async (table: string, condition: string): Promise<number> =>
    (
      await sql<{ count: number }>`select count(*) as count from ${sql.id(table)}
        where merchant_id = ${LISTED} and ${sql.raw(condition)}`.execute(db)
    ).rows[0]!.count
  expect(await openItems(db, LISTED, listedWorld(db).catalogue, new Date())).toEqual([
    `${await count('card_payouts', 'open_parts > 0')} card payouts that have not ended`,
    `${await count('deposits', `${NOTIFIED_STATUS} = 'Pending'`)} deposits that are not confirmed, or are being screened`,
    `${await count('fiat_invoices', `state not in ('done', 'failed')`)} open card invoices`,
    `${await count('crypto_invoices', `state not in ('paid', 'expired')`)} open crypto invoices`,
    `${await count('refund_claims', `state = 'requested'`)} refund claims to decide`,
    `${await count('withdrawals', `state = 'requested'`)} withdrawals that are not final`,
  ])
})

test('requests of payouts are open while they wait or are being placed, and not once they have expired', async () => {
  const { id } = await makeMerchant(db, Date.now())
  const at = new Date(1_800_000_000_000)
  const later = new Date(at.getTime() + 1)
  for (const [state, expiresAt] of [
    ['waiting', later],
    ['waiting', at],
    ['placing', at],
    ['placed', later],
  ] as const)
    await withoutTriggers(db, (tx) =>
      // Raw: a command needs a team, fees and money for each state.
      sql`insert into payout_requests(id, merchant_id, kind, form_key, name, state, maker_id, content_hash, created_at, expires_at)
        values (${newId()}, ${id}, 'file', ${newId()}, 'a', ${state}, ${newId()}, '', ${at}, ${expiresAt})`.execute(tx),
    )
  expect(await openItems(db, id, listedWorld(db).catalogue, at)).toEqual([
    '2 requests of payouts that wait or are being placed',
  ])
})
