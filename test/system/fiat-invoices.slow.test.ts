/**
 * Fiat invoices on all processes and the sandbox's bank: callbacks of every kind, lost answers, a worker killed at
 * every point, 72 hours.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fiatInvoiceNotice } from '@bursar/contract'
import { Value } from 'typebox/value'
import { beforeAll, describe, expect, test } from 'vitest'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()
const ACCOUNTS = ['bank', 'bank-reserve']
/** By account, when this file begins: the sandbox credits merchants with money that the bank has not seen. */
const differences = new Map<string, string | undefined>()
/** The books less the sum of the bank's lines: the last column of the balances. */
const differenceOf = async (account: string): Promise<string | undefined> =>
  /^UAH .* (-?[\d.]+)$/m.exec(await bursar('reconcile', '--acquirer', account))?.[1]
beforeAll(async () => {
  for (const account of ACCOUNTS) differences.set(account, await differenceOf(account))
})

const HOUR_MS = 3_600_000
const shop = () => sandbox.merchants[0]
const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text

const invoice = async (value = '100'): Promise<string> =>
  (
    await shop().client.invoices.fiat.create({
      name: 'Order 7',
      amount: { value, ticker: 'UAH' },
      email: 'payer@example.com',
      toPendingImmediate: true,
    })
  ).id
const lookup = (id: string) => shop().client.invoices.fiat.get(id)

const until = <T>(look: () => Promise<T | undefined>, what: string): Promise<T> => sandbox.until(what, look)
const paymentsOf = (id: string): Promise<{ id: string; acquirer: string; state: string }[]> =>
  sandbox.query('select id, acquirer, state from payments where invoice_id = $1 order by created_at', [id])
const openPayment = (id: string) =>
  until(async () => (await paymentsOf(id)).find(({ state }) => state === 'open'), `a page for invoice ${id}`)
const paid = async (card?: string, value?: string): Promise<{ id: string; reference: string }> => {
  const id = await invoice(value)
  const { id: reference } = await openPayment(id)
  await sandbox.bank('pay', { reference, ...(card === undefined ? {} : { card }) })
  return { id, reference }
}
const statusIs = (id: string, status: string) =>
  until(async () => ((await lookup(id)).status === status ? true : undefined), `status ${status} of ${id}`)
const balance = async (): Promise<number> => Number((await shop().client.balances.list(['UAH']))[0]!.value)
const notified = async (id: string): Promise<string[]> =>
  (await sandbox.messages(shop()))
    .map(({ body }) => JSON.parse(body) as { id: string; status: string })
    .filter((one) => one.id === id)
    .map(({ status }) => status)

describe('a card pays an invoice', () => {
  test('and it is Done, on the balance, with a receipt in the mail', async () => {
    const before = await balance()
    const { id } = await paid()
    const done = await sandbox.notified(shop(), { id, status: 'Done' })
    expect([...Value.Errors(fiatInvoiceNotice.schema, done)]).toEqual([])
    expect(done).toMatchObject({ paidAmount: '100', ticker: 'UAH', cardNumber: '424242******4242' })
    expect(await lookup(id)).toMatchObject({ status: 'DONE', cardNumber: '424242******4242' })
    expect((await balance()) - before).toBe(100 - Number(done.fee))
    await until(
      async () => (await sandbox.mails('payer@example.com')).find(({ text }) => text.includes(id)),
      'the receipt',
    )
  })

  test('after 3-D Secure', async () => {
    const { id } = await paid('4000000000003063')
    await statusIs(id, 'DONE')
  })

  test.each([
    ['duplicate', { duplicate: 5 }],
    ['reordered', { reorder: true, delayMs: 300 }],
    ['lost', { drop: true }],
    ['signed wrongly at first', { badSignature: true }],
    ['late', { delayMs: 3_000 }],
  ])('once, with this fate of the callback: %s', async (_, fault) => {
    const before = await balance()
    await sandbox.bank('next', fault)
    const { id } = await paid()
    await statusIs(id, 'DONE')
    await sleep(1_000)
    expect(await notified(id)).toEqual(['Pending', 'Done'])
    const fee = Number((await lookup(id)).fee!.value)
    expect((await balance()) - before).toBeCloseTo(100 - fee, 2)
  })

  test('and the bank reports another amount: nothing is credited, the money is in suspense', async () => {
    const before = await balance()
    await sandbox.bank('next', { outcome: 'wrong-amount' })
    const { id, reference } = await paid()
    await until(
      async () => ((await paymentsOf(id))[0]!.state === 'suspended' ? true : undefined),
      'the suspended payment',
    )
    expect((await lookup(id)).status).toBe('PENDING')
    expect(await balance()).toBe(before)
    expect(await bursar('alerts')).toContain('payment-suspended')
    expect(await bursar('payment', 'refund', '--yes', reference, 'not', 'what', 'was', 'asked')).toContain(
      'is requested; the money is held',
    )
    await until(async () => ((await bursar('alerts')).includes(reference) ? undefined : true), 'the end of the alert')
    expect((await sandbox.bankFind(reference)).lines).toHaveLength(2)
  })

  test('and the bank takes it back: so does the balance', async () => {
    const before = await balance()
    const { id, reference } = await paid()
    await statusIs(id, 'DONE')
    await sandbox.bank('reverse', { reference })
    await until(async () => ((await paymentsOf(id))[0]!.state === 'reversed' ? true : undefined), 'the reversal')
    expect(await balance()).toBeCloseTo(before, 2)
    expect((await lookup(id)).status).toBe('DONE')
    expect(await bursar('alerts')).toContain('payment-reversed')
  })
})

describe('an order', () => {
  /** The first account has it or not, and the other one has an order of its own, whose page the payer sees. */
  const passedOn = async (id: string) => {
    const [one, two] = await until(async () => {
      const all = await paymentsOf(id)
      return all[0]?.state === 'unsure' && all[1]?.state === 'open' ? all : undefined
    }, 'the order of the other account')
    expect([one!.acquirer, two!.acquirer]).toEqual(['bank', 'bank-reserve'])
    return { one: one!.id, two: two!.id }
  }

  test.each(['cut', 'error', 'garbage', 'unavailable'])(
    'whose answer is lost (%s) has another account take its own; the money of both is seen',
    async (answer) => {
      await sandbox.bank('next', { answer, account: 'bank' })
      const id = await invoice()
      const { one, two } = await passedOn(id)
      const before = await balance()
      await sandbox.bank('pay', { reference: two })
      await statusIs(id, 'DONE')
      const after = await balance()
      expect(after).toBeGreaterThan(before)
      if ((await sandbox.bankFind(one)).payments.length === 0) return
      await sandbox.bank('pay', { reference: one })
      await until(
        async () => ((await paymentsOf(id))[0]!.state === 'suspended' ? true : undefined),
        'the money in suspense',
      )
      expect(await balance()).toBe(after)
      expect(await bursar('alerts')).toContain('payment-suspended')
      expect(await notified(id)).toEqual(['Pending', 'Done'])
    },
  )

  test('goes to another account once the first has failed three times', async () => {
    await sandbox.advance(15 * 60_000)
    await sandbox.bank('next', { answer: 'unavailable', account: 'bank', times: 3 })
    for (let i = 0; i < 3; i += 1) {
      await passedOn(await invoice())
    }
    const id = await invoice()
    const { id: reference, acquirer } = await openPayment(id)
    expect(acquirer).toBe('bank-reserve')
    await sandbox.bank('pay', { reference })
    await statusIs(id, 'DONE')
  })
})

describe('a worker that is killed', () => {
  test.each(['payment-asked-not-sent', 'payment-made-not-stored'])(
    'at %s gives no account an order twice, and the other account one of its own',
    async (point) => {
      await sandbox.kill('worker')
      await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
      const id = await invoice()
      await sandbox.paused('worker', point)
      await sandbox.kill('worker')
      await sandbox.start('worker')
      await sandbox.advance(130_000)
      const [one, two, ...others] = await until(async () => {
        const all = await paymentsOf(id)
        return all[0]?.state === 'unsure' && all[1]?.state === 'open' ? all : undefined
      }, 'the order of the other account')
      expect(others).toEqual([])
      const { payments } = await sandbox.bankFind(one!.id)
      expect(payments).toHaveLength(point === 'payment-asked-not-sent' ? 0 : 1)
      await sandbox.bank('pay', { reference: two!.id })
      await sandbox.notified(shop(), { id, status: 'Done' })
      expect(await notified(id)).toEqual(['Pending', 'Done'])
    },
  )

  test.each(['payment-not-asked', 'payment-answer-not-stored'])('at %s credits once', async (point) => {
    const id = await invoice()
    const { id: reference } = await openPayment(id)
    await sandbox.kill('worker')
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
    const before = await balance()
    await sandbox.bank('pay', { reference })
    await sandbox.paused('worker', point)
    expect(await balance()).toBe(before)
    await sandbox.kill('worker')
    await sandbox.start('worker')
    await sandbox.advance(130_000)
    await statusIs(id, 'DONE')
    await sandbox.notified(shop(), { id, status: 'Done' })
    expect(await notified(id)).toEqual(['Pending', 'Done'])
  })
})

test('the books and the statement of the bank agree, and its settlement is booked', async () => {
  await sandbox.bank('settle', { account: 'bank' })
  for (const account of ACCOUNTS) {
    expect(await bursar('reconcile', '--acquirer', account)).toContain(`the books and ${account} agree`)
    expect(await differenceOf(account)).toBe(differences.get(account) ?? '0')
  }
  expect(await bursar('reconcile')).toContain('the ledger is consistent')
})

test('72 hours: an unpaid invoice fails; a payment stuck at the bank is waited for, up to a limit', async () => {
  const idle = (await shop().client.invoices.fiat.create({ name: 'Idle', amount: { value: '100', ticker: 'UAH' } })).id
  await sandbox.bank('next', { outcome: 'stuck' })
  const { id: stuck } = await paid()
  await sandbox.advance(72 * HOUR_MS)
  expect(await sandbox.notified(shop(), { id: idle, status: 'Failed' })).toMatchObject({ error: { code: 1 } })
  await sleep(6_000)
  expect((await lookup(stuck)).status).toBe('PENDING')
  await sandbox.advance(HOUR_MS + 300_000)
  await sandbox.notified(shop(), { id: stuck, status: 'Failed' })
})
