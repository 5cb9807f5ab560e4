import { expect, test } from 'vitest'
import { sign, type Fields } from '../../../../../sandbox/acquirers/freedompay/signature.ts'
import { writeXml } from '../../../../../sandbox/acquirers/freedompay/xml.ts'
import type { AcquirerHttp } from '../http.ts'
import { createFreedomPay } from './index.ts'
import { FREEDOMPAY_LIMITS } from './settings.ts'
import { scriptOf, signFreedomPay } from './signature.ts'
import { writeFreedomPayXml } from './xml.ts'

/**
 * Answers of Freedom Pay in production (recorded by the authors of vevovip/chaospay, orders 18508638 and 18508640):
 * each revoke.php makes a payment of its own, negative, and get_status3.php asked by pg_order_id shows the newest
 * payment of the order, which is then the refund. Asked by pg_payment_id it shows the payment, still `success`, with
 * pg_refund_amount.
 */
const KEY = 'key-in'
const world = (refundStatus: string, again: Record<string, string>) => {
  const asked: { script: string; fields: Record<string, string> }[] = []
  let refund: { units: string } | undefined
  const reply = (script: string, fields: Record<string, string>): Record<string, string> => {
    if (script === 'revoke.php') {
      if (refund) return again
      refund = { units: fields['pg_refund_amount']! }
      return { pg_status: 'ok' }
    }
    if (refund && fields['pg_payment_id'] === undefined)
      return {
        pg_status: 'ok',
        pg_payment_id: '78',
        pg_currency: 'KZT',
        pg_payment_status: refundStatus,
        pg_amount: `-${refund.units}`,
        pg_clearing_amount: '0',
      }
    return {
      pg_status: 'ok',
      pg_payment_id: '77',
      pg_currency: 'KZT',
      pg_payment_status: 'success',
      pg_amount: '20000.00',
      pg_clearing_amount: '20000.00',
      pg_captured: '1',
      ...(refund && refundStatus === 'success' ? { pg_refund_amount: `-${refund.units}` } : {}),
    }
  }
  const http: AcquirerHttp = {
    ask: async ({ url, body }) => {
      const fields = Object.fromEntries(new URLSearchParams(String(body)))
      const script = scriptOf(url)
      asked.push({ script, fields })
      const salted = { ...reply(script, fields), pg_salt: 's' }
      return {
        status: 200,
        headers: {},
        body: Buffer.from(writeFreedomPayXml({ ...salted, pg_sig: signFreedomPay(script, salted, KEY) })),
      }
    },
  }
  const freedom = createFreedomPay({
    name: 'kz',
    merchantId: '500042',
    secretKey: KEY,
    payoutSecretKey: undefined,
    url: 'https://api.freedompay.kz/',
    testing: false,
    spacingMs: 0,
    capabilities: FREEDOMPAY_LIMITS,
    http,
    now: () => 0,
  })
  return { freedom, asked }
}
const refundOf = (units: bigint, refundedUnits = 0n) => ({
  reference: 'r1',
  acquirerReference: '77',
  refundReference: `x${refundedUnits}`,
  units,
  refundedUnits,
  ticker: 'KZT' as const,
})
const CANNOT = { pg_status: 'error', pg_error_code: '490', pg_error_description: 'cannot be cancelled' }

test('audit F-1 D-B1: a completed refund is reported as succeeded', async () => {
  const { freedom } = world('success', CANNOT)
  expect(await freedom.refund!(refundOf(5_000_00n))).toMatchObject({ kind: 'succeeded', units: 5_000_00n })
})

test('audit F-1 D-B1: a refund that was made is not called refused when it is asked for again', async () => {
  const { freedom, asked } = world('success', CANNOT)
  await freedom.refund!(refundOf(5_000_00n))
  const second = await freedom.refund!(refundOf(5_000_00n))
  expect({ kind: second.kind, revokes: asked.filter(({ script }) => script === 'revoke.php').length }).toEqual({
    kind: 'succeeded',
    revokes: 1,
  })
})

test('audit F-1 D-B1: a refund on its way is not called refused', async () => {
  const { freedom } = world('process', CANNOT)
  await freedom.refund!(refundOf(5_000_00n))
  expect((await freedom.refund!(refundOf(5_000_00n))).kind).not.toBe('refused')
})

test('audit F-1 D-B1: a part refund leaves the amount that was paid as it is', async () => {
  const { freedom } = world('success', CANNOT)
  await freedom.refund!(refundOf(5_000_00n))
  expect(await freedom.paymentState('r1', '77')).toMatchObject({
    kind: 'succeeded',
    acquirerReference: '77',
    units: 20_000_00n,
  })
})

test('audit F-1 D-B1: a second part can be given back', async () => {
  const { freedom } = world('success', { pg_status: 'ok' })
  await freedom.refund!(refundOf(5_000_00n))
  expect((await freedom.refund!(refundOf(6_000_00n, 5_000_00n))).kind).not.toBe('refused')
})

test('audit F-1 D-B1: a payment given back in whole is reversed', async () => {
  const { freedom } = world('success', CANNOT)
  await freedom.refund!(refundOf(20_000_00n))
  expect((await freedom.paymentState('r1', '77')).kind).toBe('reversed')
})

test('the idempotency key of a refund is the key of its request, or else its reference', async () => {
  const { freedom, asked } = world('success', { pg_status: 'ok' })
  await freedom.refund!(refundOf(5_000_00n))
  await freedom.refund!({ ...refundOf(6_000_00n, 5_000_00n), requestKey: 'second' })
  const keys = asked.filter(({ script }) => script === 'revoke.php').map(({ fields }) => fields['pg_idempotency_key'])
  expect(keys).toEqual(['x0', 'second'])
})

/** The answer to each question for the payment's status, signed. */
const stateBy = async (fields: Fields, paymentId?: string) => {
  const http: AcquirerHttp = {
    ask: async ({ url }) => {
      const salted = {
        pg_status: 'ok',
        pg_payment_id: '77',
        pg_currency: 'KZT',
        pg_payment_status: 'success',
        pg_amount: '20000',
        pg_captured: '1',
        pg_salt: 's',
        ...fields,
      }
      return {
        status: 200,
        headers: {},
        body: Buffer.from(writeXml({ ...salted, pg_sig: sign(scriptOf(url), salted, KEY) })),
      }
    },
  }
  const freedom = createFreedomPay({
    name: 'kz',
    merchantId: '500042',
    secretKey: KEY,
    payoutSecretKey: KEY,
    url: 'https://api.freedompay.kz/',
    testing: false,
    spacingMs: 0,
    capabilities: FREEDOMPAY_LIMITS,
    http,
    now: () => 0,
  })
  return {
    payment: await freedom.paymentState('r1', paymentId),
    refund: await freedom.refundState!(refundOf(5_000_00n)),
    payout: await freedom.payoutState('r1'),
  }
}

test.each(['pg_refund_amount', 'pg_revoked_amount', 'pg_revoke_amount'])(
  'audit D-B1: the amount paid back is read by the name %s; the payment stays success (row A-2)',
  async (name) => {
    expect((await stateBy({ [name]: '-5000' })).payment).toMatchObject({
      kind: 'succeeded',
      units: 20_000_00n,
      backUnits: 5_000_00n,
    })
    expect((await stateBy({ [name]: '-20000.00' })).payment).toMatchObject({ kind: 'reversed', backUnits: 20_000_00n })
    expect((await stateBy({ [name]: '-5000', pg_refund_amount: '0' })).payment.kind).toBe('succeeded')
  },
)

test('audit D-B1: sums that disagree decide nothing (row A-2)', async () => {
  expect((await stateBy({ pg_refund_amount: '-5000', pg_revoked_amount: '-6000' })).payment.kind).toBe('unknown')
})

test('audit D-B1: an answer about another order, payment or payout decides nothing (row A-1)', async () => {
  expect((await stateBy({ pg_order_id: 'r2' })).payment.kind).toBe('unknown')
  expect((await stateBy({ pg_payment_id: '78' }, '77')).payment.kind).toBe('unknown')
  expect((await stateBy({ pg_order_id: 'r1', pg_payment_id: '77' }, '77')).payment.kind).toBe('succeeded')
  expect((await stateBy({ pg_order_id: 'r2', pg_payment_amount: '5' })).payout.kind).toBe('unknown')
})

test('a payment below zero is a refund, the newest of its order, and no payment of its amount (row A-1)', async () => {
  for (const pg_payment_status of ['success', 'failed', 'refunded'])
    expect((await stateBy({ pg_payment_id: '78', pg_payment_status, pg_amount: '-5000' })).payment.kind).toBe('unknown')
})

test('audit D-B1: a refund listed as failed is reported as failed, and decides nothing (row A-3)', async () => {
  const listed = (pg_payment_status: string) => ({
    pg_payment_id: '78',
    pg_payment_status,
    pg_amount: '-5000',
    pg_payment_date: '',
    pg_reference: '',
  })
  const only = await stateBy({ pg_refund_payments: { pg_refund_payment: listed('error') } })
  expect(only.refund).toMatchObject({
    kind: 'unknown',
    reason: expect.stringContaining('1 refunds of the payment are listed as failed'),
  })
  expect(
    (await stateBy({ pg_refund_payments: { pg_refund_payment: [listed('error'), listed('process')] } })).refund.kind,
  ).toBe('waiting')
})
