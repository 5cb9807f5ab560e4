import { describe, expect, test } from 'vitest'
import { signed } from '../../../../sandbox/acquirers/wayforpay/dialect.ts'
import type { AcquirerHttp } from './http.ts'
import { createLiqPay } from './liqpay/index.ts'
import { LIQPAY_LIMITS } from './liqpay/settings.ts'
import { AcquirerUnreachable, type Acquirer } from './port.ts'
import { createWayForPay } from './wayforpay/index.ts'
import { WAYFORPAY_LIMITS } from './wayforpay/settings.ts'

/**
 * Refunds that an acquirer takes up and ends later. LiqPay pays them from the shop's next payments
 * (liqpay.ua/documentation/en/api/ aquiring/refund, read 2026-11-22); its sample of a payment's status shows `status:
 * success, wait_reserve_status: true`. WayForPay has `RefundInProcessing` while the shop's balance is too small
 * (wiki.wayforpay.com/en/view/852131, read 2026-11-22).
 */
const order = { reference: 'o1', refundReference: 'r1', units: 100_00n, refundedUnits: 0n, ticker: 'UAH' as const }
const json = (body: object | string) => ({
  status: 200,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

const liqpayOver = (reply: (action: string) => object): Acquirer => {
  const http: AcquirerHttp = {
    ask: async ({ body }) =>
      json(
        reply(
          (
            JSON.parse(Buffer.from(new URLSearchParams(String(body)).get('data')!, 'base64').toString()) as {
              action: string
            }
          ).action,
        ),
      ),
  }
  return createLiqPay({
    name: 'liqpay',
    url: 'https://www.liqpay.ua',
    publicKey: 'i1',
    privateKey: 'k',
    version: 3,
    ip: '',
    capabilities: LIQPAY_LIMITS,
    http,
  })
}
const paid = {
  result: 'ok',
  order_id: 'o1',
  payment_id: 7,
  status: 'success',
  amount: 100,
  currency: 'UAH',
  receiver_commission: 1.5,
}

describe('WayForPay', () => {
  const account = { merchantAccount: 'shop', secretKey: 'key', domain: 'shop.example' }

  test.each([
    [1138, 'RefundInProcessing'],
    [1136, 'RefundInProcessing'],
    [1136, 'Declined'],
    [1128, 'RefundInProcessing'],
  ])(
    'audit F-1: a refund that stays in processing is not refused by its answer, code %i, status %s (row A-13)',
    async (reasonCode, said) => {
      let status = 'Approved'
      const http: AcquirerHttp = {
        ask: async ({ body }) => {
          if ((JSON.parse(String(body)) as { transactionType: string }).transactionType === 'REFUND') {
            status = 'RefundInProcessing'
            return json({ merchantAccount: 'shop', orderReference: 'o1', transactionStatus: said, reasonCode })
          }
          const record = {
            merchantAccount: 'shop',
            orderReference: 'o1',
            amount: 100,
            currency: 'UAH',
            authCode: '1',
            cardPan: '41****1111',
            transactionStatus: status,
            reason: 'Ok',
            reasonCode: status === 'RefundInProcessing' ? 1138 : 1100,
            fee: 1,
          }
          return json(signed(account, record))
        },
      }
      const w4p = createWayForPay({
        name: 'w4p',
        ...account,
        apiUrl: 'https://api.wayforpay.com',
        payUrl: 'https://secure.wayforpay.com',
        page: 'form',
        capabilities: WAYFORPAY_LIMITS,
        http,
      })
      expect((await w4p.refund!(order)).kind).toBe('waiting')
      expect((await w4p.refund!(order)).kind).toBe('waiting')
      expect((await w4p.refundState!(order)).kind).toBe('waiting')
      status = 'Refunded'
      expect(await w4p.refundState!(order)).toMatchObject({ kind: 'succeeded', units: 100_00n })
    },
  )

  test.each([
    [1136, 'Declined'],
    [1128, 'RefundInProcessing'],
  ])('nor is one whose payment does not show it yet: code %i, status %s (row A-13)', async (reasonCode, said) => {
    const http: AcquirerHttp = {
      ask: async ({ body }) => {
        const isRefund = (JSON.parse(String(body)) as { transactionType: string }).transactionType === 'REFUND'
        if (isRefund)
          return json({ merchantAccount: 'shop', orderReference: 'o1', transactionStatus: said, reasonCode })
        return json(
          signed(account, {
            merchantAccount: 'shop',
            orderReference: 'o1',
            amount: 100,
            currency: 'UAH',
            authCode: '1',
            cardPan: '41****1111',
            transactionStatus: 'Approved',
            reason: 'Ok',
            reasonCode: 1100,
            fee: 1,
          }),
        )
      },
    }
    const w4p = createWayForPay({
      name: 'w4p',
      ...account,
      apiUrl: 'https://api.wayforpay.com',
      payUrl: 'https://secure.wayforpay.com',
      page: 'form',
      capabilities: WAYFORPAY_LIMITS,
      http,
    })
    expect((await w4p.refund!(order)).kind).toBe('unknown')
  })
})

describe('LiqPay', () => {
  test('audit F-1: wait_reserve is no refusal', async () => {
    let status = 'success'
    const liqpay = liqpayOver((action) => {
      if (action === 'refund') status = 'wait_reserve'
      return action === 'refund'
        ? { action, result: 'ok', status, wait_amount: true, payment_id: 7 }
        : { ...paid, status }
    })
    expect((await liqpay.refund!(order)).kind).toBe('waiting')
    expect((await liqpay.refund!(order)).kind).toBe('waiting')
    expect((await liqpay.refundState!(order)).kind).toBe('waiting')
  })

  test.each([true, 'true', 1])(
    'audit F-1: a part that waits in reserve (status success, wait_reserve_status %j) is sent once (rows A-16 and A-17)',
    async (flag) => {
      let refunds = 0
      const liqpay = liqpayOver((action) => {
        if (action === 'refund') refunds += 1
        return action === 'refund'
          ? { action, result: 'ok', status: 'success', wait_amount: true, payment_id: 7 }
          : { ...paid, amount: 1000, ...(refunds > 0 && { wait_reserve_status: flag }) }
      })
      for (let i = 0; i < 5; i += 1) expect((await liqpay.refund!(order)).kind).toBe('waiting')
      expect(refunds).toBe(1)
    },
  )

  test.each(['wait_reserve', 'success'])(
    'audit F-1: a refund that is refused while the payment waits in reserve (status %s) is not refused (row A-16)',
    async (status) => {
      let sent = false
      const liqpay = liqpayOver((action) => {
        if (action === 'refund') sent = true
        if (action === 'refund')
          return { result: 'error', status: 'error', err_code: 'payment_err_status', err_description: '' }
        return sent ? { ...paid, status, wait_reserve_status: true } : paid
      })
      expect((await liqpay.refund!(order)).kind).toBe('waiting')
      expect(sent).toBe(true)
    },
  )

  test('audit F-1: a question that is not answered clearly is no refusal', async () => {
    let asked = 0
    const liqpay = liqpayOver((action) => {
      if (action === 'refund') throw new AcquirerUnreachable('cut', { sent: true })
      asked += 1
      return asked > 1
        ? { result: 'error', status: 'error', err_code: 'err_cache', err_description: 'try later' }
        : paid
    })
    await expect(liqpay.refund!(order)).rejects.toMatchObject({ sent: true })
    expect((await liqpay.refund!(order)).kind).toBe('unknown')
    expect((await liqpay.refundState!(order)).kind).toBe('unknown')
  })

  test('audit F-1: a query that arrived nowhere does not prove that the refund before it did not', async () => {
    let sent = false
    const liqpay = liqpayOver((action) => {
      if (action === 'refund') sent = true
      else if (sent) throw new AcquirerUnreachable('no connection', { sent: false })
      return action === 'refund' ? { action, result: 'ok', status: 'success', payment_id: 7 } : paid
    })
    expect((await liqpay.refund!(order)).kind).toBe('unknown')
    expect(sent).toBe(true)
  })
})
