import { describe, expect, test } from 'vitest'
import { HOUR, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'
import { E18 } from '../../../../test/world/deposits.ts'

const world = useCryptoInvoices()
const BTC = { ticker: 'BTC', blockchain: 'BITCOIN' }
const underpaid = async (): Promise<{ id: string; token: string }> => {
  const id = await world.create({
    amount: BTC,
    baseAmount: { value: '100', ticker: 'USD' },
    email: 'payer@example.com',
  })
  await world.proceed(id, { language: 'kk' })
  await world.confirm(await world.payment(id, '0.001'))
  world.now += 73 * HOUR
  await world.tick()
  const [mail] = await world.mails()
  expect(mail).toMatchObject({
    kind: 'underpaid',
    data: { amount: expect.any(String), paidAmount: '0.001', ticker: 'BTC' },
  })
  const link = new URL(mail!.data.claimUrl as string)
  expect(link.pathname).toBe(`/invoices/crypto/${id}`)
  return { id, token: link.searchParams.get('claim')! }
}

describe('audit F-6: a reader of the page alone does not get the link that claims the refund', () => {
  const STRANGER = 'stranger@example.com'
  const recipients = async (id: string): Promise<string[]> => {
    await world.proceed(id, { email: STRANGER, language: 'uk' })
    world.now += 73 * HOUR
    await world.tick()
    return (await world.mails()).map(({ kind, recipient }) => `${kind} ${recipient}`)
  }
  const price = { amount: BTC, baseAmount: { value: '100', ticker: 'USD' } }

  test('audit F-6: the address that the merchant gave stays, before and after a payment', async () => {
    const id = await world.create({ ...price, email: 'payer@example.com' })
    await world.proceed(id, { email: STRANGER })
    await world.confirm(await world.payment(id, '0.001'))
    expect(await recipients(id)).toEqual(['underpaid payer@example.com'])
  })

  test('audit F-6: the address that the payer gave on the way to the payment step stays', async () => {
    const id = await world.create(price)
    await world.proceed(id, { email: 'payer@example.com' })
    await world.confirm(await world.payment(id, '0.001'))
    expect(await recipients(id)).toEqual(['underpaid payer@example.com'])
  })

  test('audit F-6: an invoice that went to the payment step without an address gets none afterwards', async () => {
    const id = await world.create({ amount: { value: '0.01', ...BTC }, toPendingImmediate: true })
    await world.confirm(await world.payment(id, '0.001'))
    expect(await recipients(id)).toEqual([])
  })
})

describe('the link of an underpaid invoice', () => {
  test('asks for the rest at a fresh price, which makes it PAID', async () => {
    const { id, token } = await underpaid()
    expect(await world.find(id)).toMatchObject({ claimable: true, claim: null, price: { stale: true } })
    world.prices.set('BTC', 40_000n * E18)
    await world.claim(id, token, 'payRest')
    expect(await world.find(id)).toMatchObject({
      state: 'expired',
      missing: { text: '0.00125' },
      price: { stale: false },
    })
    await world.confirm(await world.payment(id, '0.00125'))
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID' })
    expect((await world.notified()).filter((one) => one.startsWith('Crypto'))).toEqual([
      'CryptoInvoice PENDING',
      'CryptoInvoice EXPIRED',
      'CryptoInvoice DONE',
    ])
    await expect(world.claim(id, token, 'payRest')).rejects.toMatchObject({ reason: 'ended' })
  })

  test('asks for the rest again and again, and gets another price only when the last one has ended', async () => {
    const { id, token } = await underpaid()
    const missingAt = async (dollars: bigint): Promise<string> => {
      world.prices.set('BTC', dollars * E18)
      await world.claim(id, token, 'payRest')
      return (await world.find(id)).missing!.text
    }
    expect(await missingAt(40_000n)).toBe('0.00125')
    world.now += world.settings.quoteMs - 1
    expect(await missingAt(50_000n), 'the first price is still valid').toBe('0.00125')
    world.now += 1
    expect(await missingAt(50_000n)).toBe('0.001')
    expect(await missingAt(25_000n)).toBe('0.001')
  })

  test('asks for the money back, once, and the lookup and an alert say so', async () => {
    const { id, token } = await underpaid()
    await expect(world.claim(id, token, { refundAddress: 'nowhere' })).rejects.toMatchObject({
      reason: 'address-invalid',
    })
    await world.claim(id, token, { refundAddress: ' 0xpayer ' })
    expect(await world.find(id)).toMatchObject({
      claimable: false,
      claim: { state: 'requested', refundAddress: '0xpayer' },
    })
    expect(await world.lookup(id)).toMatchObject({
      status: 'EXPIRED',
      claim: { status: 'REQUESTED', refundAddress: '0xpayer' },
    })
    await expect(world.claim(id, token, { refundAddress: '0xother' })).rejects.toMatchObject({
      reason: 'claimed-already',
    })
    const both = await Promise.allSettled([
      world.claim(id, token, 'payRest'),
      world.claim(id, token, { refundAddress: '0xother' }),
    ])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('two at the same moment make one claim', async () => {
    const { id, token } = await underpaid()
    const both = await Promise.allSettled(
      ['0xa', '0xb'].map((refundAddress) => world.claim(id, token, { refundAddress })),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('is valid for its own invoice and its own token only', async () => {
    const { id, token } = await underpaid()
    const other = await world.create({ amount: { ...BTC, value: '1' } })
    for (const wrong of [
      '',
      'x',
      token.slice(1),
      `${token}x`,
      world.settings.claimTokens.of(other),
      token.toUpperCase(),
    ]) {
      await expect(world.claim(id, wrong, { refundAddress: '0xthief' })).rejects.toMatchObject({
        reason: 'token-refused',
      })
    }
    await expect(world.claim('00000000-0000-4000-8000-000000000000', token, 'payRest')).rejects.toMatchObject({
      reason: 'token-refused',
    })
  })

  test('claims nothing where nothing arrived, or time is not over', async () => {
    const id = await world.create({ amount: { ...BTC, value: '1' } })
    const token = world.settings.claimTokens.of(id)
    await expect(world.claim(id, token, 'payRest')).rejects.toMatchObject({ reason: 'nothing-to-claim' })
    await world.proceed(id)
    world.now += 73 * HOUR
    await world.tick()
    await expect(world.claim(id, token, { refundAddress: '0xa' })).rejects.toMatchObject({ reason: 'nothing-to-claim' })
    expect(await world.mails()).toEqual([])
  })
})
