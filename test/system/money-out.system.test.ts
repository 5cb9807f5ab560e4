/**
 * Withdrawals on real nodes: to someone outside, to another merchant, refused ones, races, and those that a killed
 * worker leaves.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bursar, BursarError, verifyReserveProof } from '@bursar/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Network, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0.5',
  })
  const [shop] = sandbox.merchants
  for (const [ticker, amount] of [
    ['BTC', '1'],
    ['ETH', '10'],
    ['BNB', '10'],
    ['TRX', '500'],
    ['USDT', '5000'],
    ['USDC', '1000'],
  ] as const) {
    await sandbox.credit(shop, ticker, amount)
  }
})
afterAll(() => sandbox?.stop())

const shop = () => sandbox.merchants[0]
const market = () => sandbox.merchants[1]
const balance = async (ticker: string, whose = shop()): Promise<number> =>
  Number((await whose.client.balances.list([ticker]))[0]!.value)
const send = (body: {
  ticker: string
  blockchain: Network
  to: string
  amount: string
  fee?: string
  localId?: string
  meta?: string
}) => shop().client.withdrawals.crypto.create(body)
const refusal = async (
  call: Promise<unknown>,
): Promise<{ status: number; code: number | null; description: string }> => {
  const error = await call.then(
    () => undefined,
    (e: unknown) => e,
  )
  if (!(error instanceof BursarError)) throw new Error(`not refused: ${String(error)}`)
  return { status: error.status, code: error.code, description: error.description }
}

const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text

/** The books against the chains, as an operator asks; heads move, so a few tries. */
const reconciled = async (): Promise<string> => {
  let text = ''
  for (let attempt = 0; attempt < 10; attempt += 1) {
    text = await bursar('reconcile')
    if (text.includes('the ledger is consistent') && !text.includes("can't be compared")) return text
  }
  return text
}

describe('to someone outside', () => {
  test.each([
    ['BITCOIN', 'BTC', '0.05'],
    ['ETHEREUM', 'ETH', '0.5'],
    ['ETHEREUM', 'USDT', '12.5'],
    ['BINANCE_SMART_CHAIN', 'BNB', '0.25'],
    ['BINANCE_SMART_CHAIN', 'USDT', '33'],
    ['TRON', 'TRX', '25.5'],
    ['TRON', 'USDT', '14.25'],
  ] as const)('%s %s', async (blockchain, ticker, amount) => {
    const before = await balance(ticker)
    const to = await sandbox.outside(blockchain)
    const { value: fee } = await shop().client.withdrawals.crypto.fee({ ticker, blockchain, amount })
    const { id } = await send({
      ticker,
      blockchain,
      to,
      amount,
      fee,
      localId: `out-${blockchain}-${ticker}`,
      meta: 'm',
    })
    const pending = await sandbox.notified(shop(), { id, status: 'Pending' })
    expect(pending).toMatchObject({
      kind: 'Withdraw',
      amount,
      fee,
      to,
      internal: false,
      localId: `out-${blockchain}-${ticker}`,
      meta: 'm',
    })
    const done = await sandbox.notified(shop(), { id, status: 'Done' })
    expect(done).toMatchObject({ hash: pending['hash'] })
    expect(done['block']).toBeTypeOf('number')
    expect(await sandbox.balanceOf(blockchain, ticker, to)).toBe(amount)
    expect(await balance(ticker)).toBeCloseTo(before - Number(amount) - Number(fee), 9)
    expect(await shop().client.withdrawals.crypto.get(id)).toEqual(done)
    expect(await shop().client.withdrawals.find(`out-${blockchain}-${ticker}`)).toMatchObject({ id })
  })

  test('many Bitcoin withdrawals go with one transaction', async () => {
    const tos = await Promise.all(Array.from({ length: 5 }, () => sandbox.outside('BITCOIN')))
    const ids = await Promise.all(tos.map((to) => send({ ticker: 'BTC', blockchain: 'BITCOIN', to, amount: '0.001' })))
    const done = await Promise.all(ids.map(({ id }) => sandbox.notified(shop(), { id, status: 'Done' })))
    expect(new Set(done.map((d) => d['hash'])).size).toBeLessThan(5)
  })
})

test('B18 to another merchant: at once, without a fee or a transaction', async () => {
  const { address } = await market().client.addresses.create({ blockchain: 'ETHEREUM', meta: 'from shop' })
  const asked = await shop().client.withdrawals.crypto.fee({
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    amount: '5',
    address,
  })
  expect(asked.value).toBe('0')
  const { id } = await send({ ticker: 'USDT', blockchain: 'ETHEREUM', to: address, amount: '5' })
  const done = await sandbox.notified(shop(), { id, status: 'Done' })
  expect(done).toMatchObject({ internal: true, fee: '0' })
  expect(done).not.toHaveProperty('hash')
  expect(await sandbox.notified(market(), { status: 'Done', to: address })).toMatchObject({
    internal: true,
    amount: '5',
    withdrawId: id,
    meta: 'from shop',
  })
  expect(await balance('USDT', market())).toBe(5)
})

test('the same signed request within its window has one effect and one answer', async () => {
  const to = await sandbox.outside('ETHEREUM')
  const frozen = new Bursar({
    url: sandbox.api,
    merchantId: shop().id,
    privateKey: shop().privateKey,
    now: () => frozenAt,
  })
  const frozenAt = Date.now()
  const before = await balance('USDT')
  const body = { ticker: 'USDT', blockchain: 'ETHEREUM', to, amount: '1' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => frozen.withdrawals.crypto.create(body)))
  expect(new Set(answers.map((a) => a.id)).size).toBe(1)
  await sandbox.notified(shop(), { id: answers[0]!.id, status: 'Done' })
  expect(before - (await balance('USDT'))).toBeLessThan(2.5)
})

test('an Idempotency-Key: the same request gets the first answer, another one is refused', async () => {
  const to = await sandbox.outside('ETHEREUM')
  const body = { ticker: 'USDT', blockchain: 'ETHEREUM', to, amount: '1' }
  const { id } = await shop().client.withdrawals.crypto.create(body, { idempotencyKey: 'order-77' })
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  expect((await shop().client.withdrawals.crypto.create(body, { idempotencyKey: 'order-77' })).id).toBe(id)
  const other = shop().client.withdrawals.crypto.create({ ...body, amount: '2' }, { idempotencyKey: 'order-77' })
  expect(await refusal(other)).toMatchObject({ status: 409, code: 103 })
})

test('E6 over the limit of the signer: it is refused, an order placed before the limit is not signed, delays no other order, and can be given up', async () => {
  await sandbox.credit(shop(), 'USDT', '150000')
  const before = await balance('USDT')
  const to = await sandbox.outside('ETHEREUM')
  expect(await refusal(send({ ticker: 'USDT', blockchain: 'ETHEREUM', to, amount: '120000' }))).toMatchObject({
    status: 400,
    description: expect.stringContaining('in one payment'),
  })
  const file = join(sandbox.dir, 'settings', 'signer-policy.json')
  const policy = readFileSync(file, 'utf8')
  const lowered = JSON.parse(policy) as { networks: Record<string, { assets: Record<string, object> }> }
  Object.assign(lowered.networks['ETHEREUM']!.assets['USDT']!, { maxPerIntent: '1000000000' })
  await sandbox.kill('signer')
  const { id: tooLarge } = await send({ ticker: 'USDT', blockchain: 'ETHEREUM', to, amount: '50000' })
  writeFileSync(file, JSON.stringify(lowered))
  await sandbox.start('signer')
  await sandbox.until('the operator is notified', async () => (await bursar('alerts')).includes('signer-limit'))
  const { id: small } = await send({ ticker: 'USDT', blockchain: 'ETHEREUM', to, amount: '7' })
  await sandbox.notified(shop(), { id: small, status: 'Done' })
  expect(await sandbox.balanceOf('ETHEREUM', 'USDT', to)).toBe('7')
  expect((await shop().client.withdrawals.crypto.get(tooLarge)).status).toBe('Pending')
  expect(await bursar('withdrawal', 'give-up', '--yes', shop().id, tooLarge)).toContain('given up')
  expect(await sandbox.notified(shop(), { id: tooLarge, status: 'Failed' })).toMatchObject({
    failReason: 'ERRROR_CODE_GENERIC',
  })
  expect(before - (await balance('USDT'))).toBeLessThan(9)
  expect(await bursar('withdrawal', 'give-up', '--yes', shop().id, small)).toContain('not waiting')
  writeFileSync(file, policy)
  await sandbox.kill('signer')
  await sandbox.start('signer')
})

test('a frozen asset is refused, and goes again when the freeze is lifted', async () => {
  await bursar('freeze', '--asset', 'BNB', 'testing')
  const to = await sandbox.outside('BINANCE_SMART_CHAIN')
  const order = { ticker: 'BNB', blockchain: 'BINANCE_SMART_CHAIN' as Network, to, amount: '0.01' }
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(await refusal(send(order))).toMatchObject({ status: 503, code: 107 })
  const { stops } = JSON.parse(await bursar('freezes', '--json')) as { stops: [{ id: string }] }
  const [{ id }] = stops
  await bursar('unfreeze', id)
  await new Promise((resolve) => setTimeout(resolve, 600))
  await sandbox.notified(shop(), { id: (await send(order)).id, status: 'Done' })
})

describe('refused, with nothing moved', () => {
  const good = {
    ticker: 'USDT',
    blockchain: 'ETHEREUM' as Network,
    to: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    amount: '2',
  }
  test.each([
    ['an unknown ticker', { ...good, ticker: 'DOGE' }, 3],
    ['a ticker of another network', { ...good, ticker: 'BTC' }, 3],
    ['a wrong checksum', { ...good, to: '0x9858EfFD232B4033E47d90003D41EC34EcaEda95' }, 8],
    ['an address of another network', { ...good, to: 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk' }, 8],
    [
      'a mainnet address on regtest',
      { ...good, ticker: 'BTC', blockchain: 'BITCOIN' as Network, to: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu' },
      8,
    ],
    ['an address of an EVM chain on TRON', { ...good, blockchain: 'TRON' as Network }, 8],
    [
      'a wrong checksum on TRON',
      { ...good, blockchain: 'TRON' as Network, to: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u' },
      8,
    ],
    ['the zero address', { ...good, to: '0x0000000000000000000000000000000000000000' }, 8],
    ['more decimals than the network has', { ...good, amount: '2.0000001' }, 3],
    ['too little', { ...good, amount: '0.5' }, 5],
    ['more than there is', { ...good, amount: '100000000' }, 1],
    ['a fee below the current one', { ...good, fee: '0.1' }, 2],
  ])('%s', async (_name, body, code) => {
    const before = await balance('USDT')
    const answer = await refusal(send(body))
    expect(answer).toMatchObject({ status: 400, code })
    expect(answer.description.length).toBeGreaterThan(10)
    expect(await balance('USDT')).toBe(before)
  })

  test('a localId a second time: the answer names the first', async () => {
    const to = await sandbox.outside('ETHEREUM')
    const { id } = await send({ ...good, to, localId: 'twice' })
    const again = await refusal(send({ ...good, to, amount: '3', localId: 'twice' }))
    expect(again).toMatchObject({ status: 400, code: 0 })
    expect(again.description).toContain(id)
  })
})

test('L1 50 connections x 40 withdrawals against a balance for exactly 100: 100 are accepted, and the ledger holds', async () => {
  const { address } = await market().client.addresses.create({ blockchain: 'BINANCE_SMART_CHAIN' })
  const { address: back } = await shop().client.addresses.create({ blockchain: 'BINANCE_SMART_CHAIN' })
  await send({ ticker: 'USDC', blockchain: 'BINANCE_SMART_CHAIN', to: address, amount: '100' })
  await sandbox.notified(market(), { status: 'Done', to: address })
  expect(await balance('USDC', market())).toBe(100)
  const one = (i: number) =>
    market().client.withdrawals.crypto.create({
      ticker: 'USDC',
      blockchain: 'BINANCE_SMART_CHAIN',
      to: back,
      amount: '1',
      localId: `race-${i}`,
    })
  const lanes = Array.from({ length: 50 }, async (_, lane) => {
    const results: PromiseSettledResult<unknown>[] = []
    for (let i = 0; i < 40; i += 1) results.push(...(await Promise.allSettled([one(lane * 40 + i)])))
    return results
  })
  const results = (await Promise.all(lanes)).flat()
  expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(100)
  for (const r of results) if (r.status === 'rejected') expect(r.reason).toMatchObject({ code: 1 })
  expect(await balance('USDC', market())).toBe(0)
})

test('C9 a worker killed in the middle of everything: each withdrawal is paid exactly once', async () => {
  const plan = [
    ['BITCOIN', 'BTC', '0.002'],
    ['ETHEREUM', 'USDT', '2'],
    ['BINANCE_SMART_CHAIN', 'BNB', '0.01'],
    ['TRON', 'TRX', '3'],
  ] as const
  const orders = await Promise.all(
    [...plan, ...plan, ...plan].map(async ([blockchain, ticker, amount]) => {
      const to = await sandbox.outside(blockchain)
      return { blockchain, ticker, amount, to, id: (await send({ ticker, blockchain, to, amount })).id }
    }),
  )
  for (let i = 0; i < 4; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 150 + i * 250))
    await sandbox.kill('worker')
    if (i === 2) await sandbox.kill('watcher')
    await sandbox.start('worker')
    if (i === 2) await sandbox.start('watcher')
  }
  for (const { id, blockchain, ticker, to, amount } of orders) {
    await sandbox.notified(shop(), { id, status: 'Done' })
    expect(await sandbox.balanceOf(blockchain, ticker, to)).toBe(amount)
  }
  const notified = (await sandbox.messages(shop())).map((m) => JSON.parse(m.body) as { id: string; status: string })
  for (const { id } of orders) {
    const statuses = [...new Set(notified.filter((b) => b.id === id).map((b) => b.status))]
    expect(statuses).toEqual(['Pending', 'Done'])
  }
})

test('in the end the books and the chains agree to the last unit', async () => {
  expect(await reconciled()).toContain('the ledger is consistent, and the chains agree with it')
})

test('network costs are shown by merchant and operation, and a merchant verifies alone that its whole balance is counted', async () => {
  const { costs, totals } = JSON.parse(await bursar('costs', '--json')) as {
    costs: { merchant: string; operation: string }[]
    totals: Record<string, string>
  }
  expect(costs.map(({ merchant, operation }) => `${merchant} ${operation}`)).toContain(`${shop().id} payout`)
  expect(Object.keys(totals).toSorted()).toEqual(expect.arrayContaining(['BNB', 'BTC', 'ETH', 'TRX']))
  // A report counts held amounts, and a payout is held after its Done until it is final.
  await sandbox.until(
    'every payout final',
    async () =>
      (await sandbox.query('select 1 from ledger_accounts where merchant_id = $1 and held > 0', [shop().id])).length ===
      0,
  )
  const folder = join(sandbox.dir, 'reserves')
  const notified = await bursar('reserves', '--out', folder)
  const [, commitment] = /commitment ([0-9a-f]{64})/.exec(notified)!
  const covered = [...notified.matchAll(/(\d+)(\.\d+)?%/g)].map(([, percent]) => Number(percent))
  expect(covered).toHaveLength(6)
  for (const percent of covered) expect(percent).toBeGreaterThanOrEqual(100)
  await bursar('reserves', 'proof', '--merchant', shop().id, '--out', folder)
  const file = readFileSync(
    join(
      folder,
      readdirSync(folder).find((name) => name.startsWith('proof-'))!,
    ),
    'utf8',
  )
  const tickers = verifyReserveProof(file, { merchantId: shop().id }).balances.map(({ ticker }) => ticker)
  const own = await shop().client.balances.list(tickers)
  verifyReserveProof(file, {
    merchantId: shop().id,
    commitment,
    expected: Object.fromEntries(own.map(({ ticker, value }) => [ticker, value])),
  })
})
