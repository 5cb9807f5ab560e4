/** Effects of chains on existing payments: replacements, reorganisations, rising fees. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSandbox, type Network, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  // Blocks come when a test says so.
  sandbox = await startSandbox({
    BURSAR_BLOCK_SECONDS_BITCOIN: '0',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0',
    BURSAR_BLOCK_SECONDS_BSC: '0',
  })
  for (const network of ['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN'] as const) await sandbox.mine(network, 8)
})
afterAll(() => sandbox?.stop())

const shop = () => sandbox.merchants[0]
const balance = async (ticker: string): Promise<string> => (await shop().client.balances.list([ticker]))[0]!.value
const addressOn = async (blockchain: Network): Promise<string> =>
  (await shop().client.addresses.create({ blockchain })).address
const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text
const statuses = async (match: Record<string, unknown>): Promise<unknown[]> =>
  (await sandbox.messages(shop()))
    .map((m) => JSON.parse(m.body) as Record<string, unknown>)
    .filter((b) => Object.entries(match).every(([key, value]) => b[key] === value))
    .map((b) => b['status'])
const settles = async (ticker: string, value: string): Promise<void> => {
  const deadline = performance.now() + 240_000
  while ((await balance(ticker)) !== value) {
    if (performance.now() > deadline)
      throw new Error(`${ticker} is ${await balance(ticker)}, not ${value}\n${sandbox.logs()}`)
    await sleep(100)
  }
}

test('Bitcoin: Pending comes from the pool, before any block', async () => {
  const to = await addressOn('BITCOIN')
  const hash = await sandbox.pay('BITCOIN', 'BTC', to, '0.0005')
  expect(await sandbox.notified(shop(), { hash, status: 'Pending' })).not.toHaveProperty('block')
  await sandbox.mine('BITCOIN', 1)
  await sandbox.notified(shop(), { hash, status: 'Done' })
  await settles('BTC', '0.0005')
})

test('B2 Bitcoin: a credited deposit that a reorganisation replaces for good is taken back, and notified as Failed once that is final', async () => {
  const to = await addressOn('BITCOIN')
  const hash = await sandbox.pay('BITCOIN', 'BTC', to, '0.001')
  await sandbox.mine('BITCOIN', 1)
  await sandbox.notified(shop(), { hash, status: 'Done' })
  await settles('BTC', '0.0015')
  await sandbox.reorg('BITCOIN', 1, [hash])
  await settles('BTC', '0.0005')
  expect(await bursar('alerts')).toContain('deposit-reversed')
  await sandbox.mine('BITCOIN', 7)
  expect(await sandbox.notified(shop(), { hash, status: 'Failed' })).toMatchObject({
    failReason: 'TRANSACTION_REPLACED',
  })
})

test('Bitcoin: a deposit that comes back on the other branch is credited again, and Done is not sent twice', async () => {
  const to = await addressOn('BITCOIN')
  const hash = await sandbox.pay('BITCOIN', 'BTC', to, '0.0002')
  await sandbox.mine('BITCOIN', 1)
  await sandbox.notified(shop(), { hash, status: 'Done' })
  await sandbox.reorg('BITCOIN', 1)
  await settles('BTC', '0.0007')
  expect(await statuses({ hash })).toEqual(['Pending', 'Done'])
})

test('B1 EVM: a reorganisation before finality changes nothing but the block', async () => {
  const to = await addressOn('ETHEREUM')
  const hash = await sandbox.pay('ETHEREUM', 'USDT', to, '40')
  await sandbox.mine('ETHEREUM', 1)
  await sandbox.notified(shop(), { hash, status: 'Pending' })
  await sandbox.reorg('ETHEREUM', 1)
  await sandbox.mine('ETHEREUM', 4)
  await sandbox.notified(shop(), { hash, status: 'Done' })
  await settles('USDT', '40')
  expect(await statuses({ hash })).toEqual(['Pending', 'Done'])
})

test('B5 EVM: a withdrawal whose block is lost is sent again with the same bytes, paid once, and Done is not sent twice', async () => {
  const to = await sandbox.outside('ETHEREUM')
  const { id } = await shop().client.withdrawals.crypto.create({
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to,
    amount: '10',
  })
  const pending = await sandbox.notified(shop(), { id, status: 'Pending' })
  await sandbox.mine('ETHEREUM', 1)
  await sandbox.notified(shop(), { id, status: 'Done' })
  await sandbox.reorg('ETHEREUM', 1, [pending['hash'] as string]).catch(() => sandbox.reorg('ETHEREUM', 1))
  await sandbox.advance(10_000)
  for (let i = 0; i < 6; i += 1) {
    await sleep(500)
    await sandbox.mine('ETHEREUM', 1)
  }
  expect(await sandbox.balanceOf('ETHEREUM', 'USDT', to)).toBe('10')
  expect(await statuses({ id })).toEqual(['Pending', 'Done'])
})

const FIFTY_GWEI = '0xba43b7400'

test('E7 EVM: a withdrawal stuck below the base fee is bumped with the same nonce, and paid once', async () => {
  const to = await sandbox.outside('ETHEREUM')
  const { id } = await shop().client.withdrawals.crypto.create({
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to,
    amount: '3',
  })
  const first = await sandbox.notified(shop(), { id, status: 'Pending' })
  await sandbox.rpcCall('ETHEREUM', 'anvil_setNextBlockBaseFeePerGas', [FIFTY_GWEI])
  await sandbox.mine('ETHEREUM', 1)
  await sleep(1_000)
  expect(await sandbox.balanceOf('ETHEREUM', 'USDT', to)).toBe('0')
  await sandbox.advance(30_000)
  let done: Record<string, unknown> | undefined
  for (let i = 0; i < 160 && !done; i += 1) {
    await sleep(500)
    // Blocks stay as expensive until the withdrawal has a higher fee: sweeps may have earlier nonces, and are replaced
    // one after the other.
    await sandbox.rpcCall('ETHEREUM', 'anvil_setNextBlockBaseFeePerGas', [FIFTY_GWEI])
    await sandbox.mine('ETHEREUM', 1)
    done = await sandbox.notified(shop(), { id, status: 'Done' }, 200).catch(() => undefined)
  }
  if (!done) throw new Error(`never mined\n${sandbox.logs()}`)
  expect(done['hash']).not.toBe(first['hash'])
  expect(await sandbox.balanceOf('ETHEREUM', 'USDT', to)).toBe('3')
})

test('Bitcoin: a withdrawal stuck in the pool is replaced at a higher fee from the same coins, and paid once', async () => {
  await sandbox.credit(shop(), 'BTC', '0.5')
  await sandbox.mine('BITCOIN', 7)
  const to = await sandbox.outside('BITCOIN')
  const { id } = await shop().client.withdrawals.crypto.create({
    ticker: 'BTC',
    blockchain: 'BITCOIN',
    to,
    amount: '0.01',
  })
  const first = (await sandbox.notified(shop(), { id, status: 'Pending' }))['hash'] as string
  const feeOf = async (hash: string) =>
    Number((await sandbox.bitcoinRpc<{ fees: { base: string } }>('getmempoolentry', hash)).fees.base)
  const before = await feeOf(first)
  // A payout that pays the fee that the node asks for is not replaced: fees rise.
  const networks = join(sandbox.dir, 'settings', 'networks.json')
  const settings = JSON.parse(readFileSync(networks, 'utf8')) as { BITCOIN: object }
  writeFileSync(
    networks,
    JSON.stringify({ ...settings, BITCOIN: { ...settings.BITCOIN, feeFloorMilliSatPerVb: '10000' } }),
  )
  await sandbox.kill('worker')
  await sandbox.start('worker')
  await sandbox.advance(70_000)
  const deadline = performance.now() + 240_000
  let second = first
  while (second === first) {
    if (performance.now() > deadline) throw new Error(`never replaced\n${sandbox.logs()}`)
    await sleep(200)
    second = (await sandbox.bitcoinRpc<string[]>('getrawmempool'))[0] ?? first
  }
  expect(await feeOf(second)).toBeGreaterThan(before)
  writeFileSync(networks, JSON.stringify(settings))
  await sandbox.kill('worker')
  await sandbox.start('worker')
  await sandbox.mine('BITCOIN', 1)
  expect(await sandbox.notified(shop(), { id, status: 'Done' })).toMatchObject({ hash: second })
  expect(await sandbox.balanceOf('BITCOIN', 'BTC', to)).toBe('0.01')
})

test('B11 Bitcoin: two outputs to one address in one transaction are two deposits', async () => {
  const to = await addressOn('BITCOIN')
  const other = await sandbox.bitcoinRpc<string>('getnewaddress', '', 'bech32')
  const scriptOf = async (address: string) =>
    (await sandbox.bitcoinRpc<{ scriptPubKey: string }>('getaddressinfo', address)).scriptPubKey
  const plain = await sandbox.bitcoinRpc<string>(
    'createrawtransaction',
    [],
    [{ [to]: '0.0003' }, { [other]: '0.0004' }],
  )
  // The node refuses to name one address twice, so the second output's script is put in by hand.
  const { hex: funded } = await sandbox.bitcoinRpc<{ hex: string }>(
    'fundrawtransaction',
    plain.replace(await scriptOf(other), await scriptOf(to)),
  )
  const { hex } = await sandbox.bitcoinRpc<{ hex: string }>('signrawtransactionwithwallet', funded)
  const hash = await sandbox.bitcoinRpc<string>('sendrawtransaction', hex)
  await sandbox.notified(shop(), { hash, status: 'Pending', amount: '0.0003' })
  await sandbox.notified(shop(), { hash, status: 'Pending', amount: '0.0004' })
  await sandbox.mine('BITCOIN', 1)
  const [a, b] = [
    await sandbox.notified(shop(), { hash, status: 'Done', amount: '0.0003' }),
    await sandbox.notified(shop(), { hash, status: 'Done', amount: '0.0004' }),
  ]
  expect(a['id']).not.toBe(b['id'])
})

test('B3 Bitcoin: a transaction replaced in the pool is Failed once its replacement is final, and never credited', async () => {
  const before = await balance('BTC')
  const to = await addressOn('BITCOIN')
  const hash = await sandbox.bitcoinRpc<string>(
    'sendtoaddress',
    to,
    '0.0009',
    '',
    '',
    false,
    true,
    null,
    'unset',
    null,
    2,
  )
  await sandbox.notified(shop(), { hash, status: 'Pending' })
  const { details } = await sandbox.bitcoinRpc<{ details: unknown[]; hex: string }>('gettransaction', hash)
  expect(details.length).toBeGreaterThan(0)
  // The payer takes it back: the same coins to themselves, at a higher fee.
  const spent = await sandbox.bitcoinRpc<{ vin: { txid: string; vout: number }[] }>('getrawtransaction', hash, 1)
  const mine = await sandbox.bitcoinRpc<string>('getnewaddress')
  const coins = await Promise.all(
    spent.vin.map((v) =>
      sandbox
        .bitcoinRpc<{ vout: { value: string; n: number }[] }>('getrawtransaction', v.txid, 1)
        .then((t) => Number(t.vout.find((o) => Number(o.n) === Number(v.vout))!.value)),
    ),
  )
  const total = (coins.reduce((x, y) => x + y, 0) - 0.0005).toFixed(8)
  const inputs = spent.vin.map((v) => ({ txid: v.txid, vout: Number(v.vout) }))
  const raw = await sandbox.bitcoinRpc<string>('createrawtransaction', inputs, [{ [mine]: total }])
  const { hex } = await sandbox.bitcoinRpc<{ hex: string }>('signrawtransactionwithwallet', raw)
  await sandbox.bitcoinRpc('sendrawtransaction', hex)
  await sandbox.mine('BITCOIN', 7)
  expect(await sandbox.notified(shop(), { hash, status: 'Failed' })).toMatchObject({
    failReason: 'TRANSACTION_REPLACED',
  })
  expect(await balance('BTC')).toBe(before)
})
