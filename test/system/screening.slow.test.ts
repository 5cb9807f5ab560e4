/**
 * Screening in the whole sandbox: money that is credited at once, held, quarantined, decided, refused before it is
 * signed, and found later.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Merchant, type Sandbox } from './sandbox.ts'

const LISTED = '0x00000000000000000000000000000000badc0de5'
const MINUTE = 60_000
const folder = mkdtempSync(join(tmpdir(), 'bursar-screening-'))
let sandbox: Sandbox
/** credited at once, and credited once screened */
let shop: Merchant
let market: Merchant
beforeAll(async () => {
  sandbox = await startSandbox({ BURSAR_SCREENING: 'on' })
  ;[shop, market] = sandbox.merchants
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await sandbox?.stop()
})

const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text
const until: Sandbox['until'] = (...looking) => sandbox.until(...looking)
interface Line {
  id: string
  subjectId: string
  state: string
  quarantined: boolean
  deposit: string
  flags: string[]
}
const screenings = async (...more: string[]): Promise<Line[]> =>
  (JSON.parse(await bursar('screening', 'list', '--json', ...more)) as { screenings: Line[] }).screenings
const listed = async (subjectId: string, ...more: string[]): Promise<Line | undefined> =>
  (await screenings(...more)).find((line) => line.subjectId === subjectId)
const balance = async ({ client }: Merchant): Promise<number> =>
  Number((await client.balances.list(['USDT']))[0]!.value)
const statuses = async (merchant: Merchant, id: unknown): Promise<unknown[]> =>
  (await sandbox.messages(merchant))
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    .filter((body) => body['id'] === id)
    .map(({ status }) => status)
const compliance = async (merchant: Merchant, id: string): Promise<Record<string, unknown>> => {
  const answer = await merchant.client.deposits.compliance(id).catch((error: unknown) => error)
  return answer as unknown as Record<string, unknown>
}
const deposit = async (
  merchant: Merchant,
  verdict: Parameters<Sandbox['verdict']>[1],
  amount = '25',
): Promise<string> => {
  const { address } = await merchant.client.addresses.create({ blockchain: 'ETHEREUM' })
  await sandbox.verdict(address, verdict)
  const hash = await sandbox.pay('ETHEREUM', 'USDT', address, amount)
  return (await sandbox.notified(merchant, { hash, status: 'Pending' }))['id'] as string
}
const agrees = () =>
  until('the chains agree', async () =>
    (await bursar('reconcile', '--network', 'ETHEREUM', '--full')).includes(
      'the ledger is consistent, and the chains agree with it',
    ),
  )

describe('a deposit', () => {
  test('is Done, then Verified, where nothing is held', async () => {
    const id = await deposit(shop, 'clean')
    const verified = await sandbox.notified(shop, { id, status: 'Verified' })
    expect(verified['compliance']).toMatchObject({ risky: false, riskScore: 0.043 })
    expect(await compliance(shop, id)).toEqual(verified['compliance'])
    expect(await statuses(shop, id)).toEqual(['Pending', 'Done', 'Verified'])
  })

  test('that is held is on no balance and has no judgement while the provider is at it; then Done and Verified come together', async () => {
    const before = await balance(market)
    const id = await deposit(market, 'pending')
    const { address } = await market.client.addresses.create({ blockchain: 'ETHEREUM' })
    expect(address).toBeDefined()
    await sandbox.mine('ETHEREUM', 3)
    await sleep(3_000)
    expect([await statuses(market, id), await balance(market), (await compliance(market, id))['code']]).toEqual([
      ['Pending'],
      before,
      102,
    ])
    await agrees()
    await sandbox.verdict((await market.client.deposits.get(id)).to, 'clean')
    await sandbox.advance(15 * MINUTE)
    await sandbox.notified(market, { id, status: 'Verified' })
    expect([await statuses(market, id), await balance(market)]).toEqual([['Pending', 'Done', 'Verified'], before + 25])
  })

  test('that is sanctioned waits in quarantine for people: one is released, another rejected', async () => {
    const before = await balance(market)
    const [good, bad] = [await deposit(market, 'sanctioned'), await deposit(market, 'sanctioned', '40')]
    const lines = await Promise.all([good, bad].map((id) => until('it is found risky', () => listed(id))))
    expect(lines).toMatchObject([
      { state: 'risky', quarantined: true, deposit: 'held' },
      { state: 'risky', quarantined: true },
    ])
    expect(await bursar('alerts')).toContain(`deposit ${good}`)
    expect(await balance(market)).toBe(before)
    await agrees()
    expect(await bursar('screening', 'release', '--yes', lines[0]!.id, 'it is our own')).toBe('released\n')
    expect(await bursar('screening', 'reject', '--yes', lines[1]!.id, 'it is not')).toBe('rejected\n')
    expect((await sandbox.notified(market, { id: good, status: 'Verified' }))['compliance']).toMatchObject({
      risky: true,
    })
    expect(await sandbox.notified(market, { id: bad, status: 'Failed' })).toMatchObject({
      failReason: 'AML_REJECTED',
      amount: '40',
    })
    expect([await statuses(market, good), await statuses(market, bad), await balance(market)]).toEqual([
      ['Pending', 'Done', 'Verified'],
      ['Pending', 'Failed'],
      before + 25,
    ])
    expect(await listed(bad, '--rejected')).toMatchObject({ deposit: 'rejected', quarantined: true })
    expect(await bursar('screening', 'show', lines[1]!.id)).toContain('it is not')
    await agrees()
  })

  test('waits through an outage of hours, with one alert that says how long, and goes when there is an answer again', async () => {
    await sandbox.screeningFault('down')
    const id = await deposit(market, 'clean')
    await sandbox.mine('ETHEREUM', 3)
    for (let hour = 0; hour < 3; hour += 1) {
      await sandbox.advance(60 * MINUTE)
      await sleep(2_500)
    }
    const alerts = await until('the alert', async () => {
      const text = await bursar('alerts')
      return (
        /No provider has judged 1 deposits and 0 withdrawals; the oldest has waited for \d\.\d h.*502/.test(text) &&
        text
      )
    })
    expect(alerts.match(/screening/g)).toHaveLength(1)
    expect([await statuses(market, id), (await compliance(market, id))['code']]).toEqual([['Pending'], 102])
    await sandbox.screeningFault()
    await sandbox.advance(15 * MINUTE)
    await sandbox.notified(market, { id, status: 'Verified' })
    await until('the alert is over', async () => !(await bursar('alerts')).includes('No provider has judged'))
  })
})

describe('an invoice', () => {
  test('is not paid by money that is held, and goes on as soon as that is released', async () => {
    const { id } = await market.client.invoices.crypto.create({
      name: 'Order 7',
      amount: { ticker: 'USDT', blockchain: 'ETHEREUM', value: '30' },
    })
    await sandbox.screeningFault('down')
    const { to } = await sandbox.payInvoice(id, 'exact')
    await sandbox.verdict(to, 'sanctioned')
    await sandbox.mine('ETHEREUM', 3)
    const page = async (): Promise<string> => (await fetch(`${sandbox.api}/invoices/crypto/${id}`)).text()
    await until('the payer reads that it is checked', async () => (await page()).includes('Received; being checked'))
    await sandbox.screeningFault()
    await sandbox.advance(15 * MINUTE)
    const [line] = await until('it is found risky', async () => {
      const open = (await screenings()).filter(({ deposit: state }) => state === 'held')
      return open.length > 0 && open
    })
    await sandbox.advance(100 * 60 * MINUTE)
    await sleep(2_500)
    expect((await market.client.invoices.crypto.get(id)).status).toBe('PENDING')
    expect(await page()).toContain('Received; being checked')
    await bursar('screening', 'release', '--yes', line!.id, 'a known customer')
    expect(await sandbox.notified(market, { id, status: 'DONE' })).toMatchObject({ paidAmount: '30' })
    expect((await market.client.invoices.crypto.get(id)).status).toBe('PAID')
  })
})

describe('a withdrawal', () => {
  test('to an address on a list is given back, and nothing of it is on the chain', async () => {
    await sandbox.credit(shop, 'USDT', '100')
    const before = await until('there is money', async () => (await balance(shop)) >= 100 && balance(shop))
    const { id } = await shop.client.withdrawals.crypto.create({
      ticker: 'USDT',
      blockchain: 'ETHEREUM',
      to: LISTED,
      amount: '10',
    })
    expect(await sandbox.notified(shop, { id, status: 'Failed' })).toMatchObject({ failReason: 'AML_REJECTED' })
    expect([
      await balance(shop),
      await sandbox.balanceOf('ETHEREUM', 'USDT', LISTED),
      await statuses(shop, id),
    ]).toEqual([before, '0', ['Failed']])
  })

  test('whose destination is listed while it waits is not signed, the worker killed in between', async () => {
    const before = await balance(shop)
    const to = await sandbox.outside('ETHEREUM')
    await sandbox.kill('worker')
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: 'payout-chosen' })
    const { id } = await shop.client.withdrawals.crypto.create({
      ticker: 'USDT',
      blockchain: 'ETHEREUM',
      to,
      amount: '10',
    })
    await sandbox.paused('worker', 'payout-chosen')
    const file = join(folder, 'sanctioned_addresses_ETH.txt')
    const { from } = (await sandbox.messages(shop))
      .map(({ body }) => JSON.parse(body) as { status: string; from: string[] })
      .find(({ status }) => status === 'Verified')!
    writeFileSync(file, [to, ...from].join('\n'))
    const text = await bursar('screening', 'import', '--date', new Date().toISOString().slice(0, 10), file)
    expect(text).toMatch(
      /destinations of 1 withdrawals, which wait until they are screened again; addresses of [1-9]\d* earlier deposits/,
    )
    await sandbox.kill('worker')
    await sandbox.start('worker')
    expect(await sandbox.notified(shop, { id, status: 'Failed' })).toMatchObject({ failReason: 'AML_REJECTED' })
    expect([await balance(shop), await sandbox.balanceOf('ETHEREUM', 'USDT', to), await statuses(shop, id)]).toEqual([
      before,
      '0',
      ['Failed'],
    ])
    const found = (await screenings()).filter(({ state }) => state === 'clean')
    expect(found.length).toBeGreaterThan(0)
    expect(await bursar('screening', 'note', found[0]!.id, 'reported')).toBe('noted\n')
    expect((await screenings()).some((line) => line.id === found[0]!.id)).toBe(false)
    await agrees()
  })
})
