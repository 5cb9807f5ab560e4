/** Approvals of payouts: who may approve, what is placed, and what races. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createCatalogue } from '../../market/assets/index.ts'
import { beginEnding, finishEnding, reopen } from '../../merchants/accounts/index.ts'
import { removeFromTeam, ROLES, type Role } from '../../people/access/index.ts'
import { insertMember } from '../../people/access/people.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { storeFeeRate } from '../withdrawals/terms.ts'
import { changePolicy, readRequest, refuseRequest, withdrawRequest } from './index.ts'
import { BTC, now, NOW, nowAt, OTHER, outcomeOf, RULES, TO, usePayouts } from './test-payouts.ts'
import { DEFAULT_RULE, DEFAULT_RULES, type PayoutRules } from './rules.ts'

const { db, memberOf, newPerson, richShop, ask, approve, asked, stateOf, shownOf, withdrawals, audited } = usePayouts()
const HOUR = 3_600_000

const setPolicy = async (merchantId: string, rules: Partial<PayoutRules>, version = 0, at = now): Promise<void> => {
  const owner = await memberOf(merchantId, 'owner')
  await inTransaction(db, (tx) =>
    changePolicy(tx, owner, { merchantId, rules: { ...DEFAULT_RULES, ...rules }, version }, at),
  )
}

describe('an approval', () => {
  test('places the withdrawal that was asked for, under a localId of the request', async () => {
    const { merchantId, checker, id } = await asked()
    expect(await withdrawals(merchantId)).toEqual([])
    expect(await approve(checker, merchantId, id)).toEqual({ kind: 'placed' })
    expect(await withdrawals(merchantId)).toEqual([{ to: TO, units: BTC, localId: `payout-${id}`, meta: 'salary' }])
    expect(await stateOf(merchantId, id)).toBe('placed')
    expect(await audited(merchantId)).toEqual(['requested payout', 'approved payout'])
  })

  test('S8 is allowed to exactly the roles that may approve, and never to the maker', async () => {
    const may: Role[] = ['owner', 'admin', 'finance', 'approver']
    for (const role of ROLES) {
      const { merchantId, id } = await asked()
      const session = await memberOf(merchantId, role)
      const outcome = await outcomeOf(approve(session, merchantId, id))
      expect([role, outcome]).toEqual([role, may.includes(role) ? 'placed' : 'NotAllowed'])
    }
    const { merchantId, maker, id } = await asked()
    expect(await outcomeOf(approve(maker, merchantId, id))).toBe('own')
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('is refused to members of other merchants, and finds no request of another merchant', async () => {
    const [one, other] = [await asked(), await asked()]
    const shown = await shownOf(one.merchantId, one.id)
    expect(await outcomeOf(approve(other.checker, one.merchantId, one.id, { shown }))).toBe('NotAllowed')
    expect(await outcomeOf(approve(other.checker, other.merchantId, one.id, { shown }))).toBe('unknown')
    expect(await outcomeOf(approve(await newPerson(), one.merchantId, one.id, { shown }))).toBe('NotAllowed')
    expect(await withdrawals(one.merchantId)).toEqual([])
  })

  test('needs a recent proof, in a session that is open', async () => {
    const { merchantId, checker, id } = await asked()
    expect(await outcomeOf(approve({ ...checker, isProved: false }, merchantId, id))).toBe('ProofNeeded')
    await sql`update dashboard_sessions set ended_at = ${now.real} where id = ${checker.id}`.execute(db)
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('ProofNeeded')
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('fits the request that was shown only', async () => {
    const { merchantId, maker, checker, id } = await asked()
    const other = await ask(maker, merchantId, { amount: '2' })
    expect(await outcomeOf(approve(checker, merchantId, id, { shown: await shownOf(merchantId, other) }))).toBe(
      'changed',
    )
    await sql`update payout_lines set to_address = ${OTHER} where request_id = ${id}`.execute(db)
    expect(await outcomeOf(approve(checker, merchantId, id)), 'a row that was changed behind our back').toBe('changed')
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('is refused when the request has expired, was refused or was withdrawn', async () => {
    const { merchantId, maker, checker, id } = await asked()
    const at = nowAt(NOW + 72 * HOUR)
    expect(await outcomeOf(approve(checker, merchantId, id, { at }))).toBe('expired')
    await inTransaction(db, (tx) => withdrawRequest(tx, maker, { merchantId, id }, now))
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('ended')
    const second = await ask(maker, merchantId)
    await inTransaction(db, (tx) => refuseRequest(tx, checker, { merchantId, id: second, reason: 'twice' }, now))
    expect(await outcomeOf(approve(checker, merchantId, second))).toBe('ended')
    expect(await readRequest(db, merchantId, second, now.real)).toMatchObject({ state: 'refused', reason: 'twice' })
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('is refused when its maker, or the member who approves, was removed between', async () => {
    const { merchantId, maker, checker, id } = await asked()
    const owner = await memberOf(merchantId, 'owner')
    const remove = (personId: string) =>
      inTransaction(db, (tx) => removeFromTeam(tx, owner, { merchantId, personId }, now))
    await remove(maker.person.id)
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('maker-left')
    await remove(checker.person.id)
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('NotAllowed')
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('is refused when its merchant has ended, as is a new request', async () => {
    const { merchantId, maker, checker, id } = await asked()
    const given = { merchantId, actor: 'test' }
    await inTransaction(db, (tx) => beginEnding(tx, given, now.moment))
    const { moment } = nowAt(NOW + HOUR)
    await inTransaction(db, (tx) => finishEnding(tx, { ...given, open: [] }, moment))
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('not-served')
    expect(await outcomeOf(ask(maker, merchantId))).toBe('not-served')
    expect(await withdrawals(merchantId)).toEqual([])
    await inTransaction(db, (tx) => reopen(tx, given, moment))
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('placed')
  })

  test('waits for money, and ends a request that can never be placed', async () => {
    const { merchantId, maker, checker } = await asked()
    const large = await ask(maker, merchantId, { amount: '11' })
    expect(await approve(checker, merchantId, large)).toMatchObject({ kind: 'refused', isFinal: false })
    expect(await readRequest(db, merchantId, large, now.real)).toMatchObject({ state: 'waiting', approvals: [] })
    const small = await ask(maker, merchantId)
    const networks = { BITCOIN: { decimals: 8, minDeposit: '0', minWithdrawal: '2' } }
    const catalogue = createCatalogue({ crypto: [{ ticker: 'BTC', name: 'Bitcoin', networks }], fiat: [] })
    const rules = { ...RULES, catalogue }
    expect(await approve(checker, merchantId, small, { rules })).toMatchObject({ kind: 'refused', isFinal: true })
    expect(await readRequest(db, merchantId, small, now.real)).toMatchObject({
      state: 'failed',
      reason: 'Withdraw amount too low: at least 2 BTC',
    })
    expect(await outcomeOf(approve(checker, merchantId, small))).toBe('ended')
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('is refused while the fee is more than twice the fee that the maker saw', async () => {
    const { merchantId, checker, id } = await asked()
    await storeFeeRate(db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 50_000n }, NOW)
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('fee')
    expect(await withdrawals(merchantId)).toEqual([])
    await storeFeeRate(db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, NOW)
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('placed')
  })
})

describe('at the same time', () => {
  const times = <One>(count: number, work: () => Promise<One>): Promise<One[]> =>
    Promise.all(Array.from({ length: count }, work))

  test('two approvals place one withdrawal', async () => {
    for (let n = 0; n < 5; n += 1) {
      const { merchantId, checker, id } = await asked()
      const second = await memberOf(merchantId, 'admin')
      const outcomes = await Promise.all(
        [checker, second].map((session) => outcomeOf(approve(session, merchantId, id))),
      )
      expect(outcomes.toSorted()).toEqual(['ended', 'placed'])
      expect(await withdrawals(merchantId)).toHaveLength(1)
    }
  })

  test('one person approves twice: it counts once', async () => {
    const { merchantId, checker, id } = await asked()
    await setPolicy(merchantId, { assets: new Map([['BTC', { ...DEFAULT_RULE, approvals: 2 }]]) })
    const outcomes = await times(2, () => outcomeOf(approve(checker, merchantId, id)))
    expect(outcomes.toSorted()).toEqual(['already', 'counted'])
    expect(await withdrawals(merchantId)).toEqual([])
    expect(await outcomeOf(approve(await memberOf(merchantId, 'owner'), merchantId, id))).toBe('placed')
  })

  test('an approval of a member who has left since does not count', async () => {
    const { merchantId, checker, id } = await asked()
    await setPolicy(merchantId, { assets: new Map([['BTC', { ...DEFAULT_RULE, approvals: 2 }]]) })
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('counted')
    const [owner, second] = [await memberOf(merchantId, 'owner'), await memberOf(merchantId, 'admin')]
    await inTransaction(db, (tx) => removeFromTeam(tx, owner, { merchantId, personId: checker.person.id }, now))
    expect(await outcomeOf(approve(second, merchantId, id))).toBe('counted')
    expect(await outcomeOf(approve(owner, merchantId, id))).toBe('placed')
  })

  test('an approval from before its member was removed does not count once they are back; they can approve again', async () => {
    const { merchantId, checker, id } = await asked()
    await setPolicy(merchantId, { assets: new Map([['BTC', { ...DEFAULT_RULE, approvals: 2 }]]) })
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('counted')
    const [owner, personId] = [await memberOf(merchantId, 'owner'), checker.person.id]
    const later = nowAt(NOW + 60_000)
    await inTransaction(db, async (tx) => {
      await removeFromTeam(tx, owner, { merchantId, personId }, now)
      await insertMember(tx, { merchantId, personId, role: 'approver' }, later.real)
    })
    expect((await readRequest(db, merchantId, id, later.real))!.approvals).toEqual([])
    expect(await outcomeOf(approve(owner, merchantId, id, { at: later }))).toBe('counted')
    expect(await outcomeOf(approve(checker, merchantId, id, { at: later }))).toBe('placed')
  })

  test('approve and withdraw, approve and refuse: one of them happens', async () => {
    for (let n = 0; n < 6; n += 1) {
      const { merchantId, maker, checker, id } = await asked()
      const second = await memberOf(merchantId, 'owner')
      const shown = await shownOf(merchantId, id)
      const [approved, other] = await Promise.all([
        outcomeOf(approve(checker, merchantId, id, { shown })),
        outcomeOf(
          inTransaction(db, (tx) =>
            n % 2 === 0
              ? withdrawRequest(tx, maker, { merchantId, id }, now)
              : refuseRequest(tx, second, { merchantId, id, reason: '' }, now),
          ),
        ),
      ])
      expect([approved, other].toSorted()).toEqual(approved === 'placed' ? ['ended', 'placed'] : ['done', 'ended'])
      expect(await withdrawals(merchantId)).toHaveLength(approved === 'placed' ? 1 : 0)
    }
  })

  test('the same form makes one request', async () => {
    const merchantId = await richShop()
    const [maker, formKey] = [await memberOf(merchantId, 'finance'), randomUUID()]
    const ids = await times(3, () => ask(maker, merchantId, { formKey }))
    expect(new Set(ids).size).toBe(1)
    expect(await audited(merchantId)).toEqual(['requested payout'])
  })
})

describe('the policy at the time of the approval', () => {
  const btc = (rule: Partial<typeof DEFAULT_RULE>) => ({ assets: new Map([['BTC', { ...DEFAULT_RULE, ...rule }]]) })

  test('that was tightened after the request applies to it', async () => {
    const { merchantId, checker, id } = await asked()
    await setPolicy(merchantId, { onlyBook: true })
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('book')
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('that was tightened while the approval waited for its lock applies to it', async () => {
    const { merchantId, checker, id } = await asked()
    await setPolicy(merchantId, { onlyBook: true }, 0, nowAt(NOW + 1_000))
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('book')
    expect(await withdrawals(merchantId)).toEqual([])
  })

  test('limits hours of the day, and the sums of an hour and of a day', async () => {
    const { merchantId, maker, checker, id } = await asked()
    await setPolicy(merchantId, btc({ mostHour: BTC, mostDay: (3n * BTC) / 2n }))
    expect(await outcomeOf(approve(checker, merchantId, id))).toBe('placed')
    const second = await ask(maker, merchantId, { amount: '0.1' })
    expect(await outcomeOf(approve(checker, merchantId, second))).toBe('hour-limit')
    const later = nowAt(NOW + HOUR + 1)
    const third = await ask(maker, merchantId, { amount: '0.6', at: later })
    expect(await outcomeOf(approve(checker, merchantId, third, { at: later }))).toBe('day-limit')
    expect(await outcomeOf(approve(checker, merchantId, second, { at: later }))).toBe('placed')
    await setPolicy(merchantId, { hours: 1 << ((now.real.getUTCHours() + 5) % 24) }, 1, later)
    expect(await outcomeOf(approve(checker, merchantId, third, { at: later }))).toBe('hours')
  })

  test('lets the maker pay alone up to an amount a day, once it is in force', async () => {
    const merchantId = await richShop()
    const maker = await memberOf(merchantId, 'finance')
    await setPolicy(merchantId, btc({ alone: BTC }))
    expect(await outcomeOf(approve(maker, merchantId, await ask(maker, merchantId, { amount: '0.6' })))).toBe('own')
    const later = nowAt(NOW + 24 * HOUR)
    const [first, second] = [
      await ask(maker, merchantId, { amount: '0.6', at: later }),
      await ask(maker, merchantId, { amount: '0.6', at: later }),
    ]
    expect(await outcomeOf(approve(maker, merchantId, first, { at: later }))).toBe('placed')
    expect(await outcomeOf(approve(maker, merchantId, second, { at: later }))).toBe('own')
    expect(await audited(merchantId)).toContain('paid without approval')
  })
})
