/** Approved payouts to cards that a restored database has forgotten, and one whose number can't be opened any more. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createPayoutAcquirer } from '../../../../test/world/acquirer-payouts.ts'
import { CARD_CATALOGUE } from '../../../../test/world/catalogue.ts'
import { fieldOf, useDashboard } from '../../../../test/world/dashboard.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { cardBox } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createRoutingTable } from '../../cards/acquiring/index.ts'
import { createSendingJob, idForRequest } from '../../cards/card-payouts/index.ts'
import { referenceOf } from '../../cards/card-payouts/sending.ts'
import { createStop, liftStop } from '../../ledger/stops/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { acceptDatabase } from '../../platform/runtime/installation.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { runRefunds } from './test-refunds.ts'

const { edge, memberOf } = useDashboard({ catalogue: CARD_CATALOGUE })
const CARD = '4242424242424242'
const PAID = 1_500_00n
const HOUR_MS = 3_600_000
const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
const place = (): Promise<void> => runRefunds(runtime(), CARD_CATALOGUE)

beforeAll(() => giveMoney(runtime(), { merchantId: edge.merchant.id, asset: 'UAH' }, 20_000_00n))

/** A payout that one member asks for and another approves. @returns the id of the request */
const approved = async (): Promise<string> => {
  const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
  const go = (does: string, fields: Readonly<Record<string, string>>) =>
    maker.post(`/app/merchants/${edge.merchant.id}/payouts/guide?lang=en`, { do: does, ...fields })
  const typed = {
    'payout-currency': 'UAH',
    'payout-card-sealed': fieldOf(
      await go('card-what', { 'payout-card': CARD, 'payout-currency': 'UAH' }),
      'payout-card-sealed',
    ),
    'payout-amount': '1500',
    'payout-meta': '',
  }
  const checked = await go('card-check', typed)
  const form = { ...typed, 'form-key': fieldOf(checked, 'form-key'), fees: fieldOf(checked, 'fees') }
  const path = String((await go('card-ask', form)).headers['location']).split('?')[0]!
  await checker.post(path, { do: 'approve', shown: fieldOf(await checker.get(path), 'shown') })
  return path.split('/').at(-1)!
}

/** Two accounts, the second of which is chosen now. The first has paid the request in the time that was lost. */
const accounts = async (requestId: string) => {
  const limits = { UAH: { least: 1n, most: 100_000_000n } }
  const [first, second] = [createPayoutAcquirer('first', limits), createPayoutAcquirer('second', limits)]
  const reference = referenceOf(idForRequest(requestId), 1)
  const callbackUrl = 'https://pay.example/callbacks/first'
  await first.payOut({ reference, ticker: 'UAH', units: PAID, card: CARD, description: 'x', callbackUrl })
  const sending = createSendingJob(
    {
      runtime: runtime(),
      catalogue: CARD_CATALOGUE,
      acquirers: new Map([
        ['second', second],
        ['first', first],
      ]),
      routing: createRoutingTable([second, first]),
      cards: cardBox,
      callbackUrl: () => callbackUrl,
      pause: async () => {},
    },
    1,
  )
  return { paid: () => [first.paid(), second.paid()], send: () => runUntilIdle([sending]) }
}

const restored = async (): Promise<void> => {
  await inTransaction(edge.db, (tx) => acceptDatabase(tx, { forgot: true }, new Date(edge.clock.ms)))
  edge.clock.ms += 10_000
}

const stateOf = async (id: string): Promise<unknown[]> =>
  (
    await sql<{ state: string; cards: number }>`select state,
        (select count(*)::int from payout_cards c where c.request_id = r.id) as cards
      from payout_requests r where id = ${id}`.execute(edge.db)
  ).rows

test('a card that the lost time has paid at another account is not paid again', async () => {
  const id = await approved()
  const { paid, send } = await accounts(id)
  await restored()
  await place()
  await send()
  expect([paid(), await stateOf(id)]).toEqual([[PAID, 0n], [{ state: 'placed', cards: 0 }]])
})

test('a request that the lost time may have paid waits for the end of a stop of some days', async () => {
  const id = await approved()
  const { paid, send } = await accounts(id)
  await restored()
  const stop = { asset: null, merchantId: null, reason: 'restored' }
  await inTransaction(edge.db, (tx) => createStop(tx, stop, momentOf(runtime())))
  await place()
  edge.clock.ms += 50 * HOUR_MS
  await place()
  expect(await stateOf(id)).toEqual([{ state: 'placing', cards: 1 }])
  const { rows } = await sql<{ id: string }>`select id from freezes where lifted_at is null`.execute(edge.db)
  for (const one of rows) await liftStop(edge.db, one.id, { actor: 'cli:test', reason: null }, new Date(edge.clock.ms))
  edge.clock.ms += HOUR_MS
  await place()
  await send()
  expect([paid(), await stateOf(id)]).toEqual([[PAID, 0n], [{ state: 'placed', cards: 0 }]])
})

test('a request whose number can not be opened ends a day after its approval', async () => {
  edge.clock.ms += HOUR_MS
  const id = await approved()
  await sql`update payout_cards set sealed_card = 'v1.00000000.' || substring(sealed_card from 13)`.execute(edge.db)
  await expect(place()).rejects.toThrow()
  edge.clock.ms += 25 * HOUR_MS
  await place()
  await place()
  expect(await stateOf(id)).toEqual([{ state: 'failed', cards: 0 }])
})
