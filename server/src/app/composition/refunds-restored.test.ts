/** Refunds of card payments that a restored copy of the database has forgotten: the acquirer has them. */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { copyRows } from '../../../../test/setup/row-copies.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { useDashboard } from '../../../../test/world/dashboard.ts'
import { catalogue } from '../../../../test/world/fiat-invoices.ts'
import { reconcileAcquirer, requireNotShown } from '../../cards/acquiring/index.ts'
import { payoutBooks } from '../../cards/card-payouts/index.ts'
import { openRefundShop } from './test-refunds.ts'

const { edge, memberOf } = useDashboard({ catalogue })
type Shop = Awaited<ReturnType<typeof openRefundShop>>
let shop: Shop
beforeEach(async () => {
  shop = await openRefundShop({ edge, memberOf })
})

/** What the acquirer has: references of refunds, as they arrived, and how many requests it took. */
const atAcquirer = () => ({ references: [...shop.fiat.first.refunds.keys()], sent: shop.fiat.first.refundsSent })
const inBooks = async (): Promise<unknown[]> =>
  (
    await sql<{ units: bigint; state: string }>`select units, state from payment_refunds
      where payment_id = ${shop.payment} order by created_at, id`.execute(edge.db)
  ).rows.map(({ units, state }) => [units, state])
const byOperator = async (units: bigint): Promise<void> => {
  await shop.fiat.refund(shop.payment, units)
  await shop.fiat.work()
}

test('a refund whose request the copy has is approved again, and is not sent a second time', async () => {
  const path = await shop.ask('40.5')
  const restore = await copyRows(edge.db)
  await shop.approve(path)
  const made = atAcquirer()
  expect([made.references.length, made.sent]).toEqual([1, 1])
  await restore()
  expect(await inBooks()).toEqual([])
  await shop.approve(path)
  expect(atAcquirer()).toEqual(made)
  expect(await inBooks()).toEqual([[4_050n, 'done']])
})

test('a refund that members request once more, because the copy lacks the request, is not sent a second time', async () => {
  const restore = await copyRows(edge.db)
  await shop.refund('40.5')
  const made = atAcquirer()
  await restore()
  await shop.refund('40.5')
  expect(atAcquirer()).toEqual(made)
  expect(await inBooks()).toEqual([[4_050n, 'done']])
})

test('refunds by operators, two of one amount among them, are each sent once', async () => {
  const restore = await copyRows(edge.db)
  for (const units of [1_000n, 2_000n, 1_000n]) await byOperator(units)
  const made = atAcquirer()
  expect([new Set(made.references).size, made.sent]).toEqual([3, 3])
  await restore()
  for (const units of [2_000n, 1_000n, 1_000n]) await byOperator(units)
  expect(atAcquirer()).toEqual(made)
  await byOperator(1_000n)
  expect(atAcquirer()).toMatchObject({ sent: 4 })
})

test('a refund after one that the acquirer refused is sent under the same reference, by a request of its own', async () => {
  const { first } = shop.fiat
  const own = first.refund!
  const names: unknown[] = []
  first.refund = async (order, sending) => {
    names.push([order.refundReference, order.requestKey])
    return own(order, sending)
  }
  first.refundAnswer = 'refused'
  for (let i = 0; i < 2; i += 1) await byOperator(1_000n)
  first.refundAnswer = 'succeeded'
  await byOperator(1_000n)
  expect((await inBooks()).map((one) => (one as unknown[])[1])).toEqual(['refused', 'refused', 'done'])
  expect(atAcquirer().sent).toBe(3)
  const [reference] = atAcquirer().references
  expect(names).toEqual([
    [reference, undefined],
    [reference, expect.any(String)],
    [reference, expect.any(String)],
  ])
  expect(new Set(names.map(String)).size).toBe(3)
})

test('a refund that was made after a refused one is not sent a second time by a copy that lacks both', async () => {
  const restore = await copyRows(edge.db)
  shop.fiat.first.refundAnswer = 'refused'
  await byOperator(1_000n)
  shop.fiat.first.refundAnswer = 'succeeded'
  await byOperator(1_000n)
  const made = atAcquirer()
  expect(made.references.length).toBe(1)
  await restore()
  await byOperator(1_000n)
  expect(atAcquirer()).toEqual(made)
})

test('a refund that was made after one that could not be sent is not sent a second time by a copy that lacks both', async () => {
  const restore = await copyRows(edge.db)
  shop.fiat.first.troubles.push({ at: 'refund', error: 'refusal' })
  for (let i = 0; i < 2; i += 1) await byOperator(1_000n)
  expect(await inBooks()).toEqual([
    [1_000n, 'refused'],
    [1_000n, 'done'],
  ])
  const made = atAcquirer()
  await restore()
  await byOperator(1_000n)
  expect(atAcquirer()).toEqual(made)
})

/** From now on the acquirer keeps refunds in its queue, and answers a reference that it knows without a new refund. */
const queueRefunds = (): void => {
  const { first } = shop.fiat
  const known = new Set<string>()
  first.refundState = async ({ refundReference }) =>
    known.has(refundReference)
      ? { kind: 'waiting', reason: 'processing' }
      : { kind: 'unknown', reason: 'not known there' }
  first.refund = async (order, sending) => {
    if (known.has(order.refundReference)) return first.refundState!(order)
    await sending?.()
    known.add(order.refundReference)
    first.refundsSent += 1
    return { kind: 'waiting', reason: 'processing' }
  }
}
/** The refund in the acquirer's queue, which a restored copy requests again. @returns its row */
const forgetQueuedRefund = async () => {
  queueRefunds()
  const restore = await copyRows(edge.db)
  await byOperator(1_000n)
  await restore()
  await byOperator(1_000n)
  expect(atAcquirer().sent).toBe(1)
  const { rows } = await sql<{ id: string; state: string; reference: string }>`select id, state, reference
    from payment_refunds where payment_id = ${shop.payment}`.execute(edge.db)
  return rows[0]!
}

test('a refund that waits in the queue of the acquirer keeps its reference after a restore, and is not sent again', async () => {
  expect(await forgetQueuedRefund()).toMatchObject({ state: 'asked', reference: expect.any(String) })
  const { first, runtime, now } = shop.fiat
  // The statement shows it as made before the refund is looked up again.
  const line = { kind: 'refund', reference: shop.payment, acquirerReference: 'line-1', ticker: 'UAH' } as const
  first.lines.push({ ...line, feeUnits: 0n, units: -1_000n, at: now - 1 })
  await reconcileAcquirer({ runtime, payouts: payoutBooks, pause: async () => {} }, first)
  shop.fiat.now += 3_600_000
  await shop.fiat.work()
  expect([atAcquirer().sent, (await inBooks()).length]).toEqual([1, 1])
})

test('a refund in the queue of the acquirer is not recorded as not made after a restore, before or after it is found', async () => {
  queueRefunds()
  const { runtime, first } = shop.fiat
  const acquirers = new Map([['first', first]])
  const restore = await copyRows(edge.db)
  await byOperator(1_000n)
  await restore()
  // Only requested: no worker has found it yet.
  const refund = await shop.fiat.refund(shop.payment, 1_000n)
  expect(await inBooks()).toEqual([[1_000n, 'requested']])
  const refused = () => expect(requireNotShown({ runtime, acquirers }, refund.id)).rejects.toThrow('in its queue')
  await refused()
  await shop.fiat.work()
  expect(await inBooks()).toEqual([[1_000n, 'asked']])
  await refused()
})

test('a refund that the acquirer has made keeps its reference after a restore', async () => {
  const restore = await copyRows(edge.db)
  await byOperator(1_000n)
  await restore()
  await byOperator(1_000n)
  const { rows } = await sql`select state, reference from payment_refunds
    where payment_id = ${shop.payment}`.execute(edge.db)
  expect(rows).toEqual([{ state: 'done', reference: atAcquirer().references[0] }])
})

test('a refund that an older release has sent is looked up under its id', async () => {
  const asked: string[] = []
  const { first } = shop.fiat
  const own = first.refundState!
  first.refundState = async (order) => {
    // Refunds of earlier tests are still queried as well.
    if (order.reference === shop.payment) asked.push(order.refundReference)
    return own(order)
  }
  first.refundAnswer = 'waiting'
  await byOperator(1_000n)
  const { rows } = await sql<{ id: string; reference: string }>`select id, reference from payment_refunds
    where payment_id = ${shop.payment}`.execute(edge.db)
  const [{ id, reference }] = rows as [{ id: string; reference: string }]
  const work = async (): Promise<void> => {
    shop.fiat.now += 3_600_000
    await shop.fiat.work()
  }
  await work()
  const noReference = sql`update payment_refunds set reference = null where id = ${id}`
  await expect(noReference.execute(edge.db)).rejects.toThrow('never changes')
  await withoutTriggers(edge.db, (tx) => noReference.execute(tx))
  await work()
  expect([...new Set(asked)]).toEqual([reference, id])
})

test('a refund that this release could not send, and the release before has sent meanwhile, is looked up under its id', async () => {
  const { first } = shop.fiat
  first.troubles.push({ at: 'refund', error: 'not-sent' })
  await byOperator(1_000n)
  expect(await inBooks()).toEqual([[1_000n, 'requested']])
  // A worker of the release before sends it, and stores no reference.
  const { rows } = await sql<{ id: string }>`update payment_refunds set state = 'asked', sent_at = updated_at,
      next_step_at = updated_at where payment_id = ${shop.payment} returning id`.execute(edge.db)
  first.refunds.set(rows[0]!.id, { units: 1_000n, reference: shop.payment })
  shop.fiat.now += 3_600_000
  await shop.fiat.work()
  expect(await inBooks()).toEqual([[1_000n, 'done']])
})
