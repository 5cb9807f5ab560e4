import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readWayForPayState } from './state.ts'

const paid = {
  transactionStatus: 'Approved',
  reasonCode: '1100',
  reason: 'Ok',
  orderReference: 'o1',
  amount: '100.37',
  currency: 'UAH',
  fee: '2.01',
  cardPan: '41****1111',
}
const read = (changes: Record<string, unknown>) => readWayForPayState({ ...paid, ...changes })

describe('the state of a transaction as WayForPay reports it', () => {
  test('approved with code 1100 is paid', () => {
    expect(read({})).toEqual({
      kind: 'succeeded',
      acquirerReference: 'o1',
      ticker: 'UAH',
      units: 10_037n,
      feeUnits: 201n,
      maskedCard: '41**********1111',
    })
    expect(read({ reasonCode: '4100' })).toMatchObject({ kind: 'succeeded' })
    expect(read({ amount: '100', fee: '0', cardPan: '' })).toMatchObject({
      units: 10_000n,
      feeUnits: 0n,
      maskedCard: undefined,
    })
  })

  test.each(['1131', '5100', '', '1101', '110'])('approved with code %s is not understood', (reasonCode) => {
    expect(read({ reasonCode }).kind).toBe('unknown')
  })

  test.each([
    'InProcessing',
    'inProcessing',
    'WaitingAuthComplete',
    'Pending',
    'pending',
    'RefundInProcessing',
    'refundinprocessing',
    'Created',
  ])('%s is waited for (row A-14)', (transactionStatus) => {
    expect(read({ transactionStatus, reasonCode: '1100' }).kind).toBe('waiting')
  })

  test.each(['1131', '1132', '1134', '1138', '5100', '1144', '1145'])('code %s ends nothing', (reasonCode) => {
    for (const transactionStatus of ['Declined', 'Expired'])
      expect(read({ transactionStatus, reasonCode }).kind).toBe('waiting')
  })

  test.each([
    '1101',
    '1102',
    '1103',
    '1104',
    '1105',
    '1106',
    '1108',
    '1114',
    '1120',
    '1122',
    '1124',
    '1125',
    '1135',
    '1139',
    '1146',
  ])('declined with code %s', (reasonCode) => {
    expect(read({ transactionStatus: 'Declined', reasonCode, reason: 'no 4242424242424242' })).toEqual({
      kind: 'refused',
      acquirerReference: 'o1',
      code: reasonCode,
      message: 'no 424242******4242',
      maskedCard: '41**********1111',
    })
  })

  test('too little on our own account is our doing', () => {
    expect(read({ transactionStatus: 'Declined', reasonCode: '1136' })).toMatchObject({
      kind: 'refused',
      elsewhere: true,
    })
  })

  test.each(['Refunded', 'Voided', 'refunded', 'VOIDED'])('%s is reversed (row A-14)', (transactionStatus) => {
    expect(read({ transactionStatus })).toMatchObject({ kind: 'reversed', units: 10_037n })
  })

  test.each([
    ['USD', { currency: 'USD' }],
    ['no amount', { amount: null }],
    ['a finer amount', { amount: '100.371' }],
    ['an exponent', { amount: '1e2' }],
    ['no status', { transactionStatus: undefined }],
  ])('%s is not understood', (_what, changes) => {
    expect(read(changes).kind).toBe('unknown')
  })

  test('no other word is ever money', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('Approved ', 'Success', 'Settled')), (transactionStatus) => {
        fc.pre(!['approved', 'refunded', 'voided'].includes(transactionStatus.toLowerCase()))
        expect(['succeeded', 'reversed']).not.toContain(read({ transactionStatus }).kind)
      }),
    )
  })
})
