import { expect, test } from 'vitest'
import { reasons } from '../../../../sandbox/bank/reasons.ts'
import { BANK_REFUSALS } from './bank/answers.ts'
import { FREEDOMPAY_NOT_BELIEVED, FREEDOMPAY_REFUSALS } from './freedompay/state.ts'
import { LIQPAY_NOT_BELIEVED, LIQPAY_REFUSALS } from './liqpay/refusals.ts'
import { refusalKinds } from './refusal-kinds.ts'
import { WAYFORPAY_NOT_BELIEVED, WAYFORPAY_REFUSALS } from './wayforpay/state.ts'

test('codes of each acquirer have the kinds that its documents describe', () => {
  expect(
    ['9859', '9851', 'limit', 'frod', 'expired_otp', 'no_such_code'].map((code) => LIQPAY_REFUSALS.get(code)),
  ).toEqual(['funds', 'expired', 'limit', 'security', 'late', undefined])
  expect(['1104', '1103', '1108', '1125'].map((code) => WAYFORPAY_REFUSALS.get(code))).toEqual([
    'funds',
    'expired',
    'confirmation',
    'cancelled',
  ])
  expect(['10004', '420', '466'].map((code) => FREEDOMPAY_REFUSALS.get(code))).toEqual([
    'confirmation',
    'limit',
    undefined,
  ])
})

test("every refusal of the sandbox's bank has a kind", () => {
  for (const { code } of Object.values(reasons)) expect(BANK_REFUSALS.get(code)).toBeDefined()
})

test('no code about our own account is shown as a fault of the card', () => {
  for (const [kinds, own] of [
    [LIQPAY_REFUSALS, LIQPAY_NOT_BELIEVED],
    [WAYFORPAY_REFUSALS, WAYFORPAY_NOT_BELIEVED],
    [FREEDOMPAY_REFUSALS, FREEDOMPAY_NOT_BELIEVED],
  ] as const)
    expect([...kinds.keys()].filter((code) => own.has(code))).toEqual([])
})

test('a code that is no own member of the list has no kind', () => {
  expect(refusalKinds({ funds: ['51'] }).get('constructor')).toBeUndefined()
})
