/** Files of payouts: what is read, and that each payout is placed once. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createRoutingTable } from '../../cards/acquiring/index.ts'
import { createStop, liftStop, listStops } from '../../ledger/stops/index.ts'
import { setDisabled } from '../../merchants/accounts/index.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { inTransaction } from '../../platform/db/index.ts'
import {
  createPlacingJob,
  duplicatesIn,
  judgePayouts,
  lineOf,
  readPayoutFile,
  readRequest,
  requestPayouts,
} from './index.ts'
import { now, NOW, OTHER, RULES, TO, usePayouts } from './test-payouts.ts'

const noRefund = () => Promise.reject(new Error('a file has no refunds'))
const NO_REFUNDS = { claim: noRefund, card: noRefund }
const NO_CARDS = {
  rules: { catalogue: RULES.catalogue, routing: createRoutingTable([]) },
  cards: createSecretRing([new Uint8Array(32)]),
  stops: () => Promise.resolve([]),
}
const HEAD = 'asset,network,address,amount,reference\n'

describe('a file', () => {
  test('is read with its columns in any order, with semicolons, marks and quotes', () => {
    const text = '\uFEFFAmount;Network;Asset;Address;Reference\r\n1,5;bitcoin;btc; abc ;"a;""b"""\r\n\r\n'
    expect(readPayoutFile(text)).toEqual({
      payouts: [{ ticker: 'BTC', blockchain: 'BITCOIN', to: 'abc', amount: '1.5', meta: 'a;"b"' }],
    })
    expect(readPayoutFile('asset,network,address,amount\nBTC,BITCOIN,a,1\n')).toMatchObject({ payouts: [{ meta: '' }] })
  })

  test.each([
    ['', 'empty'],
    [HEAD, 'empty'],
    ['asset,network,address\nBTC,BITCOIN,a\n', 'columns'],
    ['asset,asset,network,address,amount\nBTC,BTC,BITCOIN,a,1\n', 'columns'],
    ['asset,network,address,amount,fee\nBTC,BITCOIN,a,1,2\n', 'columns'],
    [HEAD + 'BTC,BITCOIN,a,1,r\n'.repeat(1_001), 'many'],
    [`${HEAD}BTC,BITCOIN,a,1,500,INV\n`, 'cells'],
    [`${HEAD}BTC,BITCOIN,a,1,r,\n`, 'cells'],
    [`${HEAD}"BTC,BITCOIN,a,1,r\n`, 'broken'],
  ])('that is none is refused: %#', (text, trouble) => {
    expect(readPayoutFile(text)).toEqual({ trouble })
  })

  test('of 1,000 payouts is read', () => {
    const read = readPayoutFile(HEAD + 'BTC,BITCOIN,a,1,r\n'.repeat(1_000))
    expect('payouts' in read ? read.payouts : []).toHaveLength(1_000)
  })

  test.each([
    ['1,5', '1.5'],
    ['0,125', '0.125'],
    ['1,2500', '1.2500'],
    ['1.500', '1.500'],
    ['1,500', '1,500'],
    ['12,500', '12,500'],
  ])('with the amount %s has the amount %s', (typed, amount) => {
    expect(readPayoutFile(`${HEAD}BTC,BITCOIN,a,"${typed}",r\n`)).toMatchObject({ payouts: [{ amount }] })
  })
})

describe('an approved file', () => {
  const { db, richShop, memberOf, approve, stateOf, withdrawals } = usePayouts()
  const runtime = (at: number) => createTestRuntime(db, () => at)
  const signal = new AbortController().signal
  const job = (rules = RULES, at = NOW) =>
    createPlacingJob({ runtime: runtime(at), rules, refunds: NO_REFUNDS, toCards: NO_CARDS }, 1_000)

  /** @returns the approved request of a file with these amounts */
  const approved = async (amounts: readonly string[]): Promise<{ merchantId: string; id: string }> => {
    const merchantId = await richShop()
    const [maker, checker] = [await memberOf(merchantId, 'finance'), await memberOf(merchantId, 'approver')]
    const payouts = amounts.map((amount, i) => ({
      ticker: 'BTC',
      blockchain: 'BITCOIN',
      to: i % 2 === 0 ? TO : OTHER,
      amount,
      meta: `row ${i + 1}`,
    }))
    const judged = await judgePayouts(db, merchantId, payouts, RULES, NOW)
    const lines = judged.flatMap((one, i) => ('priced' in one ? [lineOf(one.priced, i + 1, payouts[i]!.meta)] : []))
    const given = { merchantId, kind: 'file', name: 'salaries.csv', formKey: randomUUID(), lines } as const
    const id = await inTransaction(db, (tx) => requestPayouts(tx, maker, given, now))
    expect(await approve(checker, merchantId, id)).toEqual({ kind: 'placing' })
    return { merchantId, id }
  }

  test('is refused for an ambiguous amount, and marks payouts that are there twice, however they are typed', async () => {
    const merchantId = await richShop()
    const payout = (to: string, amount: string) => ({ ticker: 'BTC', blockchain: 'BITCOIN', to, amount, meta: '' })
    const typed = [payout(TO, '1'), payout(TO, '1.0'), payout(TO.toUpperCase(), '1'), payout(OTHER, '1')]
    const judged = await judgePayouts(db, merchantId, [...typed, payout(TO, '1,500'), payout(TO, '1.500')], RULES, NOW)
    for (const one of judged.slice(4))
      expect(one).toMatchObject({ problems: [{ field: 'amount', detail: expect.stringContaining('ambiguous') }] })
    const lines = judged.flatMap((one, i) => ('priced' in one ? [lineOf(one.priced, i + 1, '')] : []))
    expect(duplicatesIn(lines)).toEqual([undefined, 1, 1, undefined])
  })

  test('is placed line by line, and a line without money fails alone', async () => {
    const { merchantId, id } = await approved(['1', '20', '2'])
    expect(await withdrawals(merchantId)).toEqual([])
    await job().run(signal)
    const found = (await readRequest(db, merchantId, id, now.real))!
    expect(found.lines.map(({ state }) => state)).toEqual(['placed', 'failed', 'placed'])
    expect(found.lines[1]!.reason).toContain('Not enough balance')
    expect(found.state).toBe('placed')
    expect((await withdrawals(merchantId)).map(({ localId, meta }) => [localId, meta])).toEqual([
      [`payout-${id}-1`, 'row 1'],
      [`payout-${id}-3`, 'row 3'],
    ])
  })

  test('is not paid any more once its merchant is disabled, also when the merchant is enabled again', async () => {
    const { merchantId, id } = await approved(['0.1', '0.2'])
    const disable = (isDisabled: boolean) =>
      inTransaction(db, (tx) => setDisabled(tx, merchantId, isDisabled, { actor: 'test' }, now.moment))
    await disable(true)
    await job().run(signal)
    await disable(false)
    await job().run(signal)
    const { state, lines } = (await readRequest(db, merchantId, id, now.real))!
    expect([state, ...lines.map((line) => [line.state, line.reason])]).toEqual([
      'placed',
      ['failed', 'the merchant is disabled or has ended'],
      ['failed', 'the merchant is disabled or has ended'],
    ])
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('whose payouts are stopped waits for half a minute, and another one is placed meanwhile', async () => {
    const [one, other] = [await approved(['0.1', '0.2']), await approved(['0.3'])]
    const stop = { asset: null, merchantId: one.merchantId, reason: 'test', actor: 'test' }
    await inTransaction(db, (tx) => createStop(tx, stop, now.moment))
    expect(await job().run(signal)).toBe(false)
    expect([await stateOf(one.merchantId, one.id), await stateOf(other.merchantId, other.id)]).toEqual([
      'placing',
      'placed',
    ])
    for (const { id } of await listStops(db)) await liftStop(db, id, { actor: 'test', reason: null }, now.real)
    await job().run(signal)
    expect(await withdrawals(one.merchantId)).toEqual([])
    await job(RULES, NOW + 30_000).run(signal)
    expect(await withdrawals(one.merchantId)).toHaveLength(2)
    expect(await stateOf(one.merchantId, one.id)).toBe('placed')
  })

  test('of many payouts is placed in parts', async () => {
    const [large, small] = [await approved(Array.from({ length: 60 }, () => '0.01')), await approved(['0.3'])]
    expect(await job().run(signal)).toBe(true)
    expect(await withdrawals(large.merchantId)).toHaveLength(50)
    expect(await stateOf(small.merchantId, small.id)).toBe('placed')
    expect(await job().run(signal)).toBe(false)
    expect(await withdrawals(large.merchantId)).toHaveLength(60)
    expect(await stateOf(large.merchantId, large.id)).toBe('placed')
  })

  test('is placed once by two workers at a time', async () => {
    const { merchantId, id } = await approved(['0.1', '0.2', '0.3', '0.4'])
    await Promise.all([job().run(signal), job().run(signal)])
    expect(await stateOf(merchantId, id)).toBe('placed')
    expect(await withdrawals(merchantId)).toHaveLength(4)
  })

  test('goes on behind a line whose placing broke off, and places no line twice', async () => {
    const { merchantId, id } = await approved(['0.1', '0.2', '0.3'])
    let calls = 0
    const breaking = {
      ...RULES,
      catalogue: new Proxy(RULES.catalogue, {
        get: (target, name, receiver: unknown) => {
          if (name === 'findCrypto' && (calls += 1) === 4) throw new Error('the process ends')
          return Reflect.get(target, name, receiver) as unknown
        },
      }),
    }
    await expect(job(breaking).run(signal)).rejects.toThrow('the process ends')
    expect(await stateOf(merchantId, id)).toBe('placing')
    const before = (await withdrawals(merchantId)).length
    expect([before > 0, before < 3]).toEqual([true, true])
    await job().run(signal)
    expect(await stateOf(merchantId, id)).toBe('placed')
    const { rows } = await sql<{ number: number }>`select l.number from payout_lines l
      join withdrawals w on w.id = l.withdrawal_id where l.request_id = ${id} order by l.number`.execute(db)
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3])
    expect(await withdrawals(merchantId)).toHaveLength(3)
  })
})
