import { describe, expect, test } from 'vitest'
import { signed } from '../../../../sandbox/acquirers/wayforpay/dialect.ts'
import { createRefundJob, resolveRefund } from '../../cards/acquiring/index.ts'
import type { AcquirerState } from '../../adapters/acquirers/port.ts'
import { createWayForPay } from '../../adapters/acquirers/wayforpay/index.ts'
import { WAYFORPAY_LIMITS } from '../../adapters/acquirers/wayforpay/settings.ts'
import { HOUR_MS, MINUTE_MS, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

const resolve = (id: string, how: 'done' | 'refused') =>
  world.act((tx, at) => resolveRefund(tx, { id, how, by: 'operator: seen in the console' }, world.subscriber, at))

describe('a refund that may have been heard', () => {
  test('audit F-1: one in processing at WayForPay stays held until WayForPay ends it, and is no chargeback then', async () => {
    const reference = await world.paid()
    await world.paid() // so that 100 of the balance can be held for a whole refund
    const account = { merchantAccount: 'shop', secretKey: 'key', domain: 'shop.example' }
    let [status, sent] = ['Approved', 0]
    const http = {
      ask: async ({ body }: { body?: string | Buffer }) => {
        if ((JSON.parse(String(body)) as { transactionType: string }).transactionType === 'REFUND') {
          sent += 1
          status = 'RefundInProcessing'
          return {
            status: 200,
            headers: {},
            body: Buffer.from('{"transactionStatus":"RefundInProcessing","reasonCode":1138}'),
          }
        }
        const record = {
          merchantAccount: 'shop',
          orderReference: reference,
          amount: 100,
          currency: 'UAH',
          authCode: '1',
          cardPan: '41****1111',
          transactionStatus: status,
          reason: 'Ok',
          reasonCode: status === 'RefundInProcessing' ? 1138 : 1100,
          fee: 0.5,
        }
        return { status: 200, headers: {}, body: Buffer.from(signed(account, record)) }
      },
    }
    const w4p = createWayForPay({
      name: 'first',
      ...account,
      apiUrl: 'https://api.wayforpay.com',
      payUrl: 'https://secure.wayforpay.com',
      page: 'form',
      capabilities: WAYFORPAY_LIMITS,
      http,
    })
    Object.assign(world.first, { refund: w4p.refund, refundState: w4p.refundState, paymentState: w4p.paymentState })
    await world.refund(reference)
    await world.work()
    for (let i = 0; i < 24; i += 1) await world.later(HOUR_MS)
    expect([await world.alerts(), await world.balance('merchant'), sent]).toEqual([[], 196_00n, 1])
    await expect(world.refund(reference)).rejects.toThrow('has not ended')
    for (let i = 0; i < 49; i += 1) await world.later(HOUR_MS)
    expect(await world.alerts()).toEqual(['refund-stuck'])
    status = 'Refunded'
    await world.later(HOUR_MS)
    expect([
      await world.balance('merchant'),
      await world.balance('receivable'),
      await world.balance('acquirer:first'),
      sent,
    ]).toEqual([96_00n, 0n, -(100_00n - 2n * 50n), 1])
    expect(await world.alerts()).toEqual([])
  })

  test('audit F-1: an answer from before sending does not refuse a refund that another worker has sent since', async () => {
    const reference = await world.paid()
    await world.refund(reference, 50_00n)
    const { refund: send } = world.first
    const answer = Promise.withResolvers<AcquirerState>()
    const asking = Promise.withResolvers<void>()
    world.first.refund = () => {
      asking.resolve()
      return answer.promise
    }
    const slow = createRefundJob(
      {
        runtime: world.runtime,
        acquirers: new Map([['first', world.first]]),
        subscriber: world.subscriber,
        pause: async () => {},
      },
      1,
    ).run(new AbortController().signal)
    await asking.promise
    Object.assign(world.first, { refund: send, refundAnswer: 'waiting' })
    await world.later(3 * 60_000)
    expect(world.first.refundsSent).toBe(1)
    answer.resolve({
      kind: 'refused',
      acquirerReference: undefined,
      code: 'not_paid',
      message: 'as it was before',
      maskedCard: undefined,
    })
    await slow
    expect(await world.alerts()).toEqual([])
    await expect(world.refund(reference)).rejects.toThrow('has not ended')
  })

  test('audit F-1: one whose answer was lost is never sent again; a person says how it ended', async () => {
    const reference = await world.paid()
    world.first.troubles.push({ at: 'refund', error: 'sent' })
    const made = await world.refund(reference, 50_00n)
    await world.work()
    await expect(resolve(made.id, 'refused')).rejects.toThrow('less than 15 minutes ago')
    for (let i = 0; i < 8; i += 1) await world.later(10 * MINUTE_MS)
    expect([world.first.refundsSent, await world.alerts(), await world.balance('merchant')]).toEqual([
      0,
      ['refund-stuck'],
      98_00n,
    ])
    await resolve(made.id, 'refused')
    expect(await world.alerts()).toEqual(['refund-refused'])
    await expect(resolve(made.id, 'done')).rejects.toThrow('has ended: it is refused')
    const again = await world.refund(reference, 50_00n)
    await world.work()
    expect([world.first.refundsSent, await world.balance('merchant')]).toEqual([1, 48_00n])
    expect([...world.first.refunds.keys()]).toEqual([await world.referenceOf(again.id)])
  })

  test('audit F-1: one that a person knows to be done is captured', async () => {
    const reference = await world.paid()
    world.first.troubles.push({ at: 'refund', error: 'sent' })
    const made = await world.refund(reference, 50_00n)
    await world.work()
    await world.later(20 * MINUTE_MS)
    await resolve(made.id, 'done')
    expect([await world.balance('merchant'), world.first.refundsSent]).toEqual([48_00n, 0])
  })

  test('audit F-1: one that provably reached no acquirer is sent later', async () => {
    const reference = await world.paid()
    world.first.troubles.push({ at: 'refund', error: 'not-sent' })
    await world.refund(reference, 50_00n)
    await world.work()
    expect(world.first.refundsSent).toBe(0)
    await world.later(MINUTE_MS)
    expect([world.first.refundsSent, await world.balance('merchant')]).toEqual([1, 48_00n])
  })

  test('audit F-1: a worker whose claim has passed on sends nothing', async () => {
    const reference = await world.paid()
    await world.refund(reference, 50_00n)
    const { refund: send } = world.first
    const deps = {
      runtime: world.runtime,
      acquirers: new Map([['first', world.first]]),
      subscriber: world.subscriber,
      pause: async () => {},
    }
    const other = createRefundJob(deps, 1)
    const { signal } = new AbortController()
    // The first worker is slow to begin: its lease runs out, and another one takes the refund up and sends it.
    world.first.refund = async (order, sending) => {
      world.first.refund = send!
      world.now += 3 * MINUTE_MS
      await other.run(signal)
      return send!(order, sending)
    }
    await createRefundJob(deps, 1).run(signal)
    expect([world.first.refundsSent, await world.balance('merchant')]).toEqual([1, 48_00n])
  })

  test('audit F-1: a refusal heard later than the answer to the refund itself releases nothing', async () => {
    const reference = await world.paid()
    world.first.refundAnswer = 'waiting'
    await world.refund(reference, 50_00n)
    await world.work()
    world.first.refundState = async () => ({
      kind: 'refused',
      acquirerReference: undefined,
      code: 'not_paid',
      message: 'no',
      maskedCard: undefined,
    })
    await world.later(MINUTE_MS)
    await expect(world.refund(reference, 10_00n)).rejects.toThrow('has not ended')
    expect(await world.alerts()).toEqual([])
  })
})
