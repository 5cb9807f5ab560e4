/** Crypto invoices on real nodes, as a merchant and a payer see them. */
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createPool } from '../../server/src/platform/db/index.ts'
import { freePort } from '../../sandbox/process/port.ts'
import { buildPrograms } from '../../tools/build.ts'
import type { Network } from './connected.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()

const HOUR = 3_600_000
const { bursar: program } = await buildPrograms()
const bursar = (...args: string[]) =>
  promisify(execFile)(process.execPath, [program, ...args], { env: sandbox.environment })
const shop = () => sandbox.merchants[0]
const invoices = () => shop().client.invoices.crypto
const balance = async (ticker: string): Promise<number> =>
  Number((await shop().client.balances.list([ticker]))[0]!.value)
const bodies = async (match: (body: Record<string, unknown>) => boolean): Promise<Record<string, unknown>[]> =>
  (await sandbox.messages(shop())).map((message) => JSON.parse(message.body) as Record<string, unknown>).filter(match)
const notified = async (id: string): Promise<unknown[]> =>
  (await bodies((body) => body['id'] === id)).map(({ status }) => status)
const notifiedOf = async (hash: string): Promise<unknown[]> =>
  (await bodies((body) => body['hash'] === hash)).map(({ status }) => status)
const create = async (
  amount: Record<string, string> | undefined,
  more: Record<string, unknown> = {},
): Promise<string> =>
  (
    await invoices().create({
      name: 'Order 1042',
      ...(amount === undefined ? {} : { amount: amount as { ticker: string } }),
      ...more,
    })
  ).id

describe('paid exactly', () => {
  test.each([
    ['BITCOIN', 'BTC', '0.004'],
    ['ETHEREUM', 'USDT', '25.5'],
    ['ETHEREUM', 'ETH', '0.75'],
    ['BINANCE_SMART_CHAIN', 'USDT', '31.25'],
    ['TRON', 'USDT', '18.75'],
  ] as const)('on %s in %s: PENDING, DONE, the balance, and no Replenish', async (blockchain, ticker, value) => {
    const before = await balance(ticker)
    const id = await create({ value, ticker, blockchain }, { meta: 'order 7 ✓', description: 'Two books' })
    expect(await invoices().get(id)).toMatchObject({ status: 'CREATED', paidAmount: '0' })
    const { hash, amount, to } = await sandbox.payInvoice(id, 'exact')
    expect(amount).toBe(value)
    const pending = await sandbox.notified(shop(), { id, status: 'PENDING' })
    expect(pending).toMatchObject({
      kind: 'CryptoInvoice',
      address: to,
      amount: value,
      paidAmount: '0',
      meta: 'order 7 ✓',
      description: 'Two books',
    })
    expect(await sandbox.notified(shop(), { id, status: 'DONE' })).toMatchObject({
      paidAmount: value,
      fee: '0',
      time: pending['time'],
    })
    expect(await invoices().get(id)).toMatchObject({ status: 'PAID', paidAmount: value, address: to })
    expect(await balance(ticker)).toBeCloseTo(before + Number(value), 8)
    expect(await notifiedOf(hash)).toEqual([])
  })
})

describe('the first paid invoice of README.md', () => {
  const root = join(import.meta.dirname, '../..')

  test('`npm run try -- invoice` creates and pays one, and shows its webhooks, its receipt and the mail', async () => {
    writeFileSync(join(sandbox.dir, 'sandbox.json'), JSON.stringify(sandbox.description))
    const env = { ...process.env, BURSAR_DIR: sandbox.dir }
    const { stdout } = await promisify(execFile)(process.execPath, ['sandbox/try.ts', 'invoice'], { cwd: root, env })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => /^\w+ +(CryptoInvoice \w+)?/.exec(line)?.[0].replace(/ +/, ' ').trim())).toEqual([
      'created',
      'page',
      'payer',
      'paid',
      'webhook CryptoInvoice PENDING',
      'webhook CryptoInvoice DONE',
      'receipt',
      'mail',
    ])
    const receipt = await fetch(lines.find((line) => line.startsWith('receipt'))!.split(/ +/)[1]!)
    expect(receipt.status).toBe(200)
    expect(
      Buffer.from(await receipt.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
    expect(lines.at(-1)).toMatch(/^mail +to payer@example\.com: ".+", with receipt-.+\.pdf$/)
  })

  test('the shop of the snippet sends its payer to a page, and hears that the order is paid', async () => {
    const [, code] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8'))!
    const shopDir = join(sandbox.dir, 'shop')
    await promisify(execFile)(process.execPath, ['sdk/build.ts', join(shopDir, 'node_modules/@bursar/sdk')], {
      cwd: root,
    })
    writeFileSync(join(shopDir, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(shopDir, 'shop.ts'), code!)
    const merchant = sandbox.merchants[1]
    const port = String(await freePort())
    const webhookUrl = `http://127.0.0.1:${port}/webhooks`
    await bursar('merchant', 'set', merchant.id, 'notificationsUrl', webhookUrl)
    const child = spawn(process.execPath, ['shop.ts'], {
      cwd: shopDir,
      env: {
        ...process.env,
        PORT: port,
        BURSAR_URL: sandbox.api,
        BURSAR_MERCHANT_ID: merchant.id,
        BURSAR_PRIVATE_KEY: merchant.privateKey,
        WEBHOOK_URL: webhookUrl,
      },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    try {
      await expect.poll(() => output).toMatch(/page: +http\S+\n/)
      const url = /page: +(\S+)/.exec(output)![1]!
      expect((await fetch(url)).status).toBe(200)
      await sandbox.payInvoice(new URL(url).pathname.split('/').at(-1)!, 'exact')
      await expect.poll(() => output).toContain('paid: order 1042, 25 USDT')
    } finally {
      child.kill('SIGKILL')
      await bursar('merchant', 'set', merchant.id, 'notificationsUrl', merchant.notificationsUrl)
    }
  })
})

test('priced in EUR, left open to the payer: quoted when the payer continues, and paid at that', async () => {
  const id = await create(undefined, { baseAmount: { value: '54', ticker: 'EUR' } })
  expect(await invoices().get(id)).toMatchObject({
    status: 'CREATED',
    amount: null,
    baseAmount: { value: '54', ticker: 'EUR' },
  })
  await sandbox.payInvoice(id, 'exact')
  const done = await sandbox.notified(shop(), { id, status: 'DONE' })
  expect(done).toMatchObject({
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    baseTicker: 'EUR',
    baseAmount: '54',
    paidPrice: '54',
  })
  expect(done['amount']).toBe(done['paidAmount'])
  expect(Number(done['amount'])).toBeGreaterThan(50)
})

test('in parts, and over: the page adds up, and paidAmount is above amount', async () => {
  const id = await create({ value: '40', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN' })
  expect((await sandbox.payInvoice(id, 'partial')).amount).toBe('20')
  await sandbox.notified(shop(), { id, status: 'PENDING' })
  const deadline = performance.now() + 240_000
  while ((await invoices().get(id)).paidAmount !== '20') {
    if (performance.now() > deadline) throw new Error('the first part is not credited')
    await sleep(200)
  }
  expect(await invoices().get(id)).toMatchObject({ status: 'PENDING' })
  expect((await sandbox.payInvoice(id, 'over')).amount).toBe('40')
  expect(await sandbox.notified(shop(), { id, status: 'DONE' })).toMatchObject({ amount: '40', paidAmount: '60' })
})

test('in the wrong asset: an ordinary deposit, notified and not counted', async () => {
  const id = await create({ value: '10', ticker: 'USDT', blockchain: 'ETHEREUM' })
  const { hash, ticker } = await sandbox.payInvoice(id, 'wrong-asset')
  expect(await sandbox.notified(shop(), { hash, status: 'Done' })).toMatchObject({ kind: 'Replenish', ticker })
  expect(await invoices().get(id)).toMatchObject({ status: 'REGISTERED', paidAmount: '0' })
  await sandbox.payInvoice(id, 'exact')
  await sandbox.notified(shop(), { id, status: 'DONE' })
})

test('a branch without the payment: not paid; the payment of the new branch pays', async () => {
  const id = await create({ value: '12', ticker: 'USDT', blockchain: 'TRON' })
  const { hash } = await sandbox.payInvoice(id, 'exact')
  await sandbox.mine('TRON', 1)
  while ((await invoices().get(id)).status !== 'PENDING') await sleep(100)
  await sandbox.reorg('TRON', 8, [hash])
  await sandbox.mine('TRON', 12)
  expect(await invoices().get(id)).toMatchObject({ status: 'PENDING', paidAmount: '0' })
  const { to } = (await sandbox.notified(shop(), { id, status: 'PENDING' })) as { to?: string }
  expect(to).toBeUndefined()
  await sandbox.pay('TRON', 'USDT', (await invoices().get(id)).address!, '12')
  expect(await sandbox.notified(shop(), { id, status: 'DONE' })).toMatchObject({ paidAmount: '12' })
  expect(await notified(id)).toEqual(['PENDING', 'DONE'])
})

test('closed by the merchant with the amount paid so far, and by no other merchant', async () => {
  const id = await create({ value: '40', ticker: 'USDT', blockchain: 'ETHEREUM' })
  await expect(invoices().close(id)).rejects.toMatchObject({ status: 400 })
  await sandbox.payInvoice(id, 'partial')
  while ((await invoices().get(id)).paidAmount !== '20') await sleep(200)
  const other = sandbox.merchants[1].client.invoices.crypto
  await expect(other.close(id)).rejects.toMatchObject({ status: 404 })
  await expect(other.get(id)).rejects.toMatchObject({ status: 404 })
  expect(await invoices().close(id)).toMatchObject({ id, status: 'PAID', paidAmount: '20' })
  expect(await sandbox.notified(shop(), { id, status: 'DONE' })).toMatchObject({ amount: '40', paidAmount: '20' })
})

test('a form makes an invoice of its merchant and sends the browser to its page; rubbish is refused', async () => {
  const post = (fields: Record<string, string>) =>
    fetch(`${sandbox.api}/merchants/invoices/crypto/form`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields),
      headers: { accept: 'application/json' },
    })
  const answer = await post({
    merchantId: shop().id,
    name: 'Donation',
    value: '10',
    ticker: 'USDT',
    meta: '',
    email: '',
  })
  expect(answer.status).toBe(303)
  const id = /\/invoices\/crypto\/([0-9a-f-]{36})$/.exec(answer.headers.get('location')!)![1]!
  expect(await invoices().get(id)).toMatchObject({
    status: 'CREATED',
    name: 'Donation',
    amount: { value: '10', ticker: 'USDT' },
  })
  for (const [fields, field] of [
    [{ merchantId: '00000000-0000-4000-8000-000000000000', name: 'x' }, 'merchantId'],
    [{ merchantId: shop().id, name: 'x', redirectUrl: 'javascript:alert(1)' }, 'redirectUrl'],
    [{ merchantId: shop().id, name: 'x', redirectUrl: 'https://evil.example/' }, 'redirectUrl'],
    [{ merchantId: shop().id, name: 'x', value: '10' }, 'ticker'],
    [
      { merchantId: shop().id, name: 'x', targetTicker: 'USDT', targetAddress: 'TEvil', targetBlockchain: 'TRON' },
      'targetAddress',
    ],
    [{ merchantId: shop().id, name: 'x', nmae: 'y' }, 'nmae'],
  ] as [Record<string, string>, string][]) {
    const refused = await post(fields)
    expect({ status: refused.status, ...((await refused.json()) as object) }).toMatchObject({
      status: 400,
      code: 100,
      field,
    })
  }
})

test("a fiat invoice is paid by the same command, with a test card on the acquirer's page", async () => {
  const { id } = await shop().client.invoices.fiat.create({
    name: 'Order 1043',
    amount: { value: '100', ticker: 'UAH' },
  })
  expect(await sandbox.payInvoice(id, 'exact')).toMatchObject({ page: expect.stringContaining('http') })
  expect(await sandbox.notified(shop(), { id, status: 'Done' })).toMatchObject({ paidAmount: '100' })
  await expect(sandbox.payInvoice(id, 'over')).rejects.toThrow('exactly or not at all')
  await expect(sandbox.payInvoice('00000000-0000-4000-8000-000000000000', 'exact')).rejects.toThrow('no such invoice')
})

test('an operator refunds a payer: an ordinary withdrawal pays the refund', async () => {
  const id = await create(
    { value: '40', ticker: 'USDT', blockchain: 'ETHEREUM' },
    { duration: 60_000, email: 'claims@example.com' },
  )
  await sandbox.payInvoice(id, 'partial')
  while ((await invoices().get(id)).paidAmount !== '20') await sleep(200)
  await sandbox.advance(61_000)
  await sandbox.notified(shop(), { id, status: 'EXPIRED' })
  const to = await sandbox.outside('ETHEREUM')
  const claim = randomUUID()
  const pool = createPool({ url: sandbox.database })
  // Raw: the payer asks through the page, which a test of its own covers.
  await pool.query(
    `insert into refund_claims(merchant_id, id, invoice_id, state, refund_address, requested_at) values ($1, $2, $3, 'requested', $4, now())`,
    [shop().id, claim, id, to],
  )
  await pool.end()
  expect((await bursar('claims', 'list', shop().id)).stdout).toContain(claim)
  await expect(bursar('claims', 'approve', '--yes', 'x')).rejects.toMatchObject({ code: 2 })
  const { stdout } = await bursar('claims', 'approve', '--yes', claim, 'sorry')
  const withdrawal = /withdrawal ([0-9a-f-]{36})/.exec(stdout)![1]!
  await expect(bursar('claims', 'approve', '--yes', claim)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/it is (approved|sent) already/) as string,
  })
  const done = await sandbox.notified(shop(), { id: withdrawal, status: 'Done' })
  expect(Number(done['amount']) + Number(done['fee'])).toBeCloseTo(20, 5)
  expect(await sandbox.balanceOf('ETHEREUM', 'USDT', to)).toBe(done['amount'])
  expect(await invoices().get(id)).toMatchObject({
    status: 'EXPIRED',
    claim: { status: 'SENT', refundAddress: to, withdrawalId: withdrawal },
  })
  expect((await bursar('claims', 'list')).stdout).not.toContain(claim)
})

// The clock moves for all tests of the file: the following ones come last.
test('72 hours later: EXPIRED with the amount paid, in spite of a worker killed over it; late money is notified, and makes it PAID', async () => {
  const id = await create({ value: '30', ticker: 'USDT', blockchain: 'ETHEREUM' }, { email: 'payer@example.com' })
  const untouched = await create(undefined)
  await sandbox.payInvoice(id, 'partial')
  while ((await invoices().get(id)).paidAmount !== '15') await sleep(200)
  await sandbox.kill('worker')
  await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: 'invoices-expired' })
  await sandbox.advance(72 * HOUR)
  await sandbox.paused('worker', 'invoices-expired')
  await sandbox.kill('worker')
  await sandbox.start('worker')
  expect(await sandbox.notified(shop(), { id, status: 'EXPIRED' })).toMatchObject({ amount: '30', paidAmount: '15' })
  await sandbox.notified(shop(), { id: untouched, status: 'EXPIRED' })
  expect(await invoices().get(id)).toMatchObject({ status: 'EXPIRED', paidAmount: '15' })
  const { hash, amount } = await sandbox.payInvoice(id, 'late')
  expect(amount).toBe('15')
  await sandbox.notified(shop(), { hash, status: 'Done' })
  expect(await sandbox.notified(shop(), { id, status: 'DONE' })).toMatchObject({ paidAmount: '30' })
  expect(await notified(id)).toEqual(['PENDING', 'EXPIRED', 'DONE'])
  expect(await notified(untouched)).toEqual(['EXPIRED'])
})

test.each([['BITCOIN'], ['BINANCE_SMART_CHAIN']] as [Network][])(
  'the command for late money brings its invoice on %s to the end first',
  async (blockchain) => {
    const asked =
      blockchain === 'BITCOIN'
        ? { value: '0.002', ticker: 'BTC', blockchain }
        : { value: '0.5', ticker: 'BNB', blockchain }
    const id = await create(asked, { duration: HOUR })
    const { hash } = await sandbox.payInvoice(id, 'late')
    await sandbox.notified(shop(), { hash, status: 'Done' })
    await sandbox.notified(shop(), { id, status: 'DONE' })
    expect(await notified(id)).toEqual(['PENDING', 'EXPIRED', 'DONE'])
  },
)
