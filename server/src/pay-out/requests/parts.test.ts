/** Parts of an amount, each small enough to be paid alone. */
import { expect, test } from 'vitest'
import { removeFromTeam } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { storeFeeRate } from '../withdrawals/terms.ts'
import { changePolicy } from './index.ts'
import { BTC, now, NOW, nowAt, outcomeOf, usePayouts } from './test-payouts.ts'
import { DEFAULT_RULES } from './rules.ts'

const { db, memberOf, richShop, ask, approve, withdrawals } = usePayouts()
const policyOf = async (merchantId: string, approvals: number, alone: bigint) => {
  const owner = await memberOf(merchantId, 'owner')
  const assets = new Map([['BTC', { alone, approvals, mostHour: null, mostDay: null, api: 0n }]])
  await inTransaction(db, (tx) =>
    changePolicy(tx, owner, { merchantId, rules: { ...DEFAULT_RULES, assets }, version: 0 }, nowAt(NOW - 90_000_000)),
  )
  return owner
}

test('two people can’t pay in parts an amount that needs two approvals', async () => {
  const merchantId = await richShop()
  await policyOf(merchantId, 2, BTC)
  const [maker, checker] = [await memberOf(merchantId, 'finance'), await memberOf(merchantId, 'approver')]
  expect(await outcomeOf(approve(checker, merchantId, await ask(maker, merchantId, { amount: '3' })))).toBe('counted')
  const outcomes: unknown[] = []
  for (let n = 0; n < 4; n += 1)
    outcomes.push(await outcomeOf(approve(checker, merchantId, await ask(maker, merchantId))))
  expect([outcomes, (await withdrawals(merchantId)).length]).toEqual([['placed', 'counted', 'counted', 'counted'], 1])
})

test('approvals of a member who was removed leave the sum that the maker pays alone', async () => {
  const merchantId = await richShop()
  const owner = await policyOf(merchantId, 2, BTC)
  const [maker, checker] = [await memberOf(merchantId, 'finance'), await memberOf(merchantId, 'approver')]
  const first = await ask(maker, merchantId)
  expect(await outcomeOf(approve(maker, merchantId, first))).toBe('placed')
  const ids = [await ask(maker, merchantId), await ask(maker, merchantId), await ask(maker, merchantId)]
  for (const id of ids) expect(await outcomeOf(approve(checker, merchantId, id))).toBe('counted')
  await inTransaction(db, (tx) => removeFromTeam(tx, owner, { merchantId, personId: checker.person.id }, now))
  const at = nowAt(NOW + 25 * 3_600_000)
  await storeFeeRate(db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, at.real.getTime())
  const outcomes: unknown[] = []
  for (const id of ids) outcomes.push(await outcomeOf(approve(maker, merchantId, id, { at })))
  expect(outcomes).toEqual(['placed', 'own', 'own'])
})
