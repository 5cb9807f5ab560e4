/** Answers of an acquirer about a payout after its end: money that came back, and contradictions. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { FiatWithdraw } from '@bursar/contract'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { useCardPayouts } from '../../../../test/world/card-payouts.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { stopDebtors } from '../../ledger/debts/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { applyAll } from '../../ledger/postings/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { listStops } from '../../ledger/stops/index.ts'
import { createAskingJob, createSendingJob, hearPayoutCallback, resolve } from './index.ts'

const { here, bank } = useCardPayouts({
  bank: { UAH: { least: 1_00n, most: 14_500_00n }, KZT: { least: 1_000_00n, most: 14_500_00n } },
  other: { UAH: { least: 500_00n, most: 29_000_00n } },
})
const references = (): string[] => [...bank.orders.keys()]

describe('late, repeated and contradictory answers of an acquirer', () => {
  const payoutOf = async (amount = '1000') => {
    const shop = await here.merchant('UAH', 2_000n)
    await here.payOut(shop, { amount })
    await here.work()
    return { shop, reference: references()[0]! }
  }
  const hear = (
    acquirer: string,
    reference: string,
    state = bank.orders.get(reference)?.state ?? { kind: 'unknown' as const },
  ): Promise<boolean> =>
    inTransaction(
      here.db,
      async (tx) =>
        (await hearPayoutCallback(tx, { acquirer, reference, state }, momentOf(here.runtime))) !== undefined,
    )
  const tell = async (reference: string): Promise<boolean> => {
    const isOurs = await hear('bank', reference)
    await here.work()
    return isOurs
  }

  test('that the money came back after it was paid: the merchant has it again, is notified, and an alert is raised', async () => {
    const { shop, reference } = await payoutOf()
    bank.end(reference, 'reverses')
    expect(await tell(reference)).toBe(true)
    expect(await tell(reference)).toBe(true)
    expect(await here.available(shop)).toBe(2_000_00n)
    expect(await here.balance(shop, 'acquirer:bank')).toBe(0n)
    expect(await here.balance(shop, 'fees')).toBe(0n)
    const notices = await here.notices(shop)
    expect(notices.map(({ status }) => status)).toEqual(['Done', 'Failed'])
    expect([...Value.Errors(FiatWithdraw, notices[1])]).toEqual([])
    expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-returned'])
  })

  test.each(['waiting', 'succeeded'] as const)(
    'audit F-4: that the money came back, and says %s when it is asked at once: it is asked until it confirms that',
    async (kind) => {
      const { shop, reference } = await payoutOf()
      const order = bank.orders.get(reference)!
      const before = kind === 'succeeded' ? order.state : { kind }
      bank.end(reference, 'reverses')
      const after = order.state
      order.state = before
      await hear('bank', reference, after)
      await here.later(30 * 60_000, 6)
      expect(await here.available(shop)).toBe(990_00n)
      order.state = after
      await here.later(10 * 60_000)
      expect(await here.available(shop)).toBe(2_000_00n)
      const { length } = bank.asked
      await here.later(60 * 60_000, 6)
      expect(bank.asked).toHaveLength(length)
    },
  )

  test.each(['asked', 'answered'])(
    'that the money came back, while an earlier answer is being posted (%s): it is queried again and the merchant has it',
    async (when) => {
      const shop = await here.merchant('UAH', 2_000n)
      bank.next = when === 'answered' ? ['pays'] : ['waits']
      await here.payOut(shop, { amount: '1000' })
      const pause = async (name: string): Promise<void> => {
        if (name !== `card-payout-${when}`) return
        bank.end(references()[0]!, 'reverses')
        await hear('bank', references()[0]!)
      }
      const { signal } = new AbortController()
      if (when === 'asked') {
        await here.work()
        bank.end(references()[0]!, 'pays')
        await hear('bank', references()[0]!)
        await createAskingJob({ ...here.deps, pause }, bank, 1).run(signal)
      } else {
        await createSendingJob({ ...here.deps, pause }, 1).run(signal)
      }
      expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
      await here.work()
      expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done', 'Failed'])
      expect(await here.available(shop)).toBe(2_000_00n)
    },
  )

  test('that the money came back before it said that it was paid, and confirms it later: it is asked until then', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['waits']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    const reference = references()[0]!
    const order = bank.orders.get(reference)!
    bank.end(reference, 'reverses')
    const after = order.state
    bank.end(reference, 'pays')
    await hear('bank', reference, after)
    await here.later(30 * 60_000, 6)
    expect(await here.available(shop)).toBe(990_00n)
    order.state = after
    await here.later(60 * 60_000, 6)
    expect(await here.available(shop)).toBe(2_000_00n)
    const { length } = bank.asked
    await here.later(60 * 60_000, 6)
    expect(bank.asked).toHaveLength(length)
  })

  test('that the money came back, before an operator records that it was paid: it is asked until it confirms that', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['waits']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    const reference = references()[0]!
    const order = bank.orders.get(reference)!
    const before = order.state
    bank.end(reference, 'reverses')
    const after = order.state
    order.state = before
    await hear('bank', reference, after)
    await here.later(16 * 60_000)
    await inTransaction(here.db, async (tx) => {
      const moment = momentOf(here.runtime)
      await carryOut(
        tx,
        await resolve(tx, { reference, how: 'paid', by: 'a test' }, here.deps.catalogue, moment),
        moment,
      )
    })
    expect(await here.available(shop)).toBe(990_00n)
    order.state = after
    await here.later(10 * 60_000)
    expect(await here.available(shop)).toBe(2_000_00n)
  })

  test('audit F-4: that the money came back, and never confirms it: an alert is raised after two weeks', async () => {
    const { shop, reference } = await payoutOf()
    const { state } = bank.orders.get(reference)!
    bank.end(reference, 'reverses')
    const { state: after } = bank.orders.get(reference)!
    bank.orders.get(reference)!.state = state
    await hear('bank', reference, after)
    await here.later(13 * 86_400_000)
    expect(await here.alerts()).toEqual([])
    await here.later(2 * 86_400_000)
    expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-contradiction'])
    expect(await here.available(shop)).toBe(990_00n)
  })

  test('that it came back to a merchant that owes: the debt is repaid first, and its withdrawals go again', async () => {
    const { shop, reference } = await payoutOf()
    const account = (kind: 'receivable' | 'capital') => ({ merchantId: shop, asset: 'UAH', kind })
    const entries = [
      { account: account('receivable'), posted: -300_00n, held: 0n },
      { account: account('capital'), posted: 300_00n, held: 0n },
    ]
    const moment = momentOf(here.runtime)
    await inTransaction(here.db, async (tx) => {
      await applyAll(tx, [
        {
          transfer: {
            id: randomUUID(),
            merchantId: shop,
            kind: 'post',
            cause: { kind: 'adjustment', id: randomUUID() },
            entries,
            at: moment.at,
          },
        },
      ])
      await stopDebtors(tx, [{ merchantId: shop, asset: 'UAH' }], moment)
    })
    bank.end(reference, 'reverses')
    await tell(reference)
    expect(await here.balance(shop, 'receivable')).toBe(0n)
    expect(await here.available(shop)).toBe(1_700_00n)
    expect(await listStops(here.db)).toEqual([])
  })

  test('of a part of a batch: its lookup shows it, Done is not sent again', async () => {
    const shop = await here.merchant('KZT', 60_000n)
    const {
      body: { id },
    } = await here.batch(shop, { amount: '50000' })
    await here.work()
    const reference = references()[0]!
    const { units } = bank.orders.get(reference)!
    bank.end(reference, 'reverses')
    await tell(reference)
    const batch = await here.lookUp(shop, id)
    expect(batch).toMatchObject({ status: 'DONE', failedAmount: String(units / 100n) })
    expect(await here.notices(shop)).toHaveLength(1)
    const failed = (batch.transactions as { status: string; fee: string }[]).find(({ status }) => status === 'FAILED')!
    expect(await here.available(shop, 'KZT')).toBe(
      60_000_00n - 50_260_00n + units + BigInt(Math.round(Number(failed.fee) * 100)),
    )
  })

  test('that it is refused after it was paid, or paid after it was refused: nothing is posted, an alert is raised', async () => {
    const { shop, reference } = await payoutOf()
    bank.end(reference, 'refuses')
    await tell(reference)
    expect(await here.available(shop)).toBe(990_00n)
    bank.next = ['refuses']
    const late = await here.merchant('UAH', 2_000n)
    await here.payOut(late, { amount: '1000' })
    await here.work()
    const second = references()[1]!
    bank.end(second, 'pays')
    await tell(second)
    expect(await here.available(late)).toBe(2_000_00n)
    expect((await here.notices(late)).map(({ status }) => status)).toEqual(['Failed'])
    expect((await here.alerts()).map(({ kind, subject }) => [kind, subject]).toSorted()).toEqual(
      [
        ['card-payout-contradiction', reference],
        ['card-payout-contradiction', second],
      ].toSorted(),
    )
  })

  test('that it has a payout which was proven not to have arrived: an alert is raised', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['unreachable']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    const { rows } = await sql<{ reference: string }>`select reference from card_payout_attempts`.execute(here.db)
    bank.payoutState = async () => ({ kind: 'waiting' })
    await tell(rows[0]!.reference)
    expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-contradiction'])
  })

  test('with its fee: it is posted once', async () => {
    bank.fee = undefined
    const { shop, reference } = await payoutOf()
    expect(await here.balance(shop, 'acquirer-costs')).toBe(0n)
    bank.fee = 3_00n
    bank.end(reference, 'pays')
    await tell(reference)
    await tell(reference)
    expect(await here.balance(shop, 'acquirer-costs')).toBe(-3_00n)
    expect(await here.balance(shop, 'acquirer:bank')).toBe(1_003_00n)
  })

  test('about an order of another account, or of no order of ours, are ignored', async () => {
    const { reference } = await payoutOf()
    expect(await hear('other', reference)).toBe(false)
    expect(await hear('bank', randomUUID())).toBe(false)
  })
})
