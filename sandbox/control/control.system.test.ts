import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeWithBitcoind, useAnvil, useBitcoind, useTronNode } from '../../test/setup/nodes.ts'
import { sendAndMine } from '../anvil/transactions.ts'
import { openBitcoin } from '../chains/bitcoin.ts'
import type { SandboxChain } from '../chains/chain.ts'
import { openEvm } from '../chains/evm.ts'
import { openTronApi } from '../chains/tron-api.ts'
import { openTronFaucet } from '../chains/tron-faucet.ts'
import { openTron } from '../chains/tron.ts'
import { Refusal } from '../http/refusal.ts'
import type { SandboxServer } from '../http/server.ts'
import { ensureTokens } from '../tokens/index.ts'
import { base58Of } from '../tron/address.ts'
import { knownAccount } from '../tron/blocks/witness.ts'
import { startControl } from './index.ts'

type Answer = Record<string, unknown>

function clientOf(server: () => SandboxServer) {
  const ask = async (method: string, target: string, body?: unknown): Promise<{ status: number; body: Answer }> => {
    const response = await fetch(`${server().url}${target}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Answer }
  }
  const done = async (method: string, target: string, body?: unknown): Promise<Answer> => {
    const answer = await ask(method, target, body)
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  }
  return {
    ask,
    post: (path: string, body: unknown) => done('POST', path, body),
    get: (path: string, query: Record<string, string>) => done('GET', `${path}?${new URLSearchParams(query)}`),
  }
}

/** Conditions that must hold on every chain of the sandbox. */
function conformance(blockchain: string, tickers: readonly string[], open: () => Promise<SandboxChain>): void {
  let server: SandboxServer
  const { ask, post, get } = clientOf(() => server)
  const newAddress = async () => (await post('/address', { blockchain }))['address'] as string
  const pay = async (to: string, amount: string, ticker = tickers[0] as string) =>
    (await post('/pay', { blockchain, ticker, to, amount }))['hash'] as string
  const balance = async (address: string, ticker = tickers[0] as string) =>
    (await get('/balance', { blockchain, ticker, address }))['value']
  const find = (hash: string) => get('/transaction', { blockchain, hash })
  const lost = (hash: string) => ask('GET', `/transaction?blockchain=${blockchain}&hash=${hash}`)

  beforeAll(async () => {
    server = await startControl({ port: 0, chains: [await open()] })
  })
  afterAll(() => server.stop())

  test.for(tickers)('pays %s to someone outside', async (ticker) => {
    const to = await newAddress()
    const hash = await pay(to, '1.25', ticker)
    expect(await find(hash)).toEqual({ hash, status: 'pending', confirmations: 0 })
    expect(await balance(to, ticker)).toBe('0')
    const { height } = await post('/mine', { blockchain, blocks: 3 })
    expect(await balance(to, ticker)).toBe('1.25')
    expect(await find(hash)).toMatchObject({
      status: 'confirmed',
      confirmations: 3,
      blockHeight: (height as number) - 2,
    })
  })

  test('a reorganisation keeps the transactions that it is not to leave out', async () => {
    const [unchanged, gone] = [await newAddress(), await newAddress()]
    const before = await pay(gone, '0.5')
    await post('/mine', { blockchain, blocks: 1 })
    const [first, second] = [await pay(unchanged, '0.25'), await pay(unchanged, '0.5')]
    const { height } = await post('/mine', { blockchain, blocks: 2 })
    const reorg = await post('/reorg', { blockchain, depth: 3, without: [before] })
    expect(reorg).toMatchObject({ height: (height as number) + 1, replaced: [before], returned: [] })
    expect(await balance(gone)).toBe('0')
    expect(await balance(unchanged)).toBe('0.75')
    for (const hash of [first, second])
      expect(await find(hash)).toMatchObject({ status: 'confirmed', confirmations: 3 })
    expect(await lost(before)).toMatchObject({ status: 404, body: { code: 101 } })
    await post('/mine', { blockchain, blocks: 2 })
    expect(await balance(gone)).toBe('0')
  })

  test('a reorganisation that leaves nothing out moves everything to new blocks', async () => {
    const hash = await pay(await newAddress(), '0.125')
    await post('/mine', { blockchain, blocks: 1 })
    const old = (await find(hash))['blockHash']
    await post('/reorg', { blockchain, depth: 1 })
    const found = await find(hash)
    expect(found).toMatchObject({ status: 'confirmed', confirmations: 2 })
    expect(found['blockHash']).not.toBe(old)
  })

  test('two payments at once are two payments', async () => {
    const to = await newAddress()
    const hashes = await Promise.all([pay(to, '0.1'), pay(to, '0.2'), pay(to, '0.3')])
    expect(new Set(hashes).size).toBe(3)
    await post('/mine', { blockchain })
    expect(await balance(to)).toBe('0.6')
  })

  test('names the expected request, and does nothing', async () => {
    const to = await newAddress()
    const [ticker] = tickers
    const refusals: [string, unknown, string][] = [
      ['/pay', { blockchain, ticker, to, amount: 1.5 }, 'amount: send a string'],
      ['/pay', { blockchain, ticker, to, amount: '1e3' }, 'amount: send a decimal as a string, such as "1.5"'],
      ['/pay', { blockchain, ticker, to, amount: '0' }, 'amount: send more than zero'],
      ['/pay', { blockchain, ticker, to, amount: '0.0000000000000000001' }, 'amount: send at most'],
      ['/pay', { blockchain, ticker: 'DOGE', to, amount: '1' }, `ticker: send one of ${tickers.join(', ')}`],
      ['/pay', { blockchain, ticker, to: 'nobody', amount: '1' }, 'to: send'],
      ['/pay', { blockchain: 'DOGE', ticker, to, amount: '1' }, `blockchain: send one of ${blockchain}`],
      [
        '/pay',
        { blockchain, ticker, to, amount: '1', memo: '' },
        'memo: unknown; the fields are blockchain, ticker, to, amount',
      ],
      ['/pay', [], 'send a JSON object with blockchain, ticker, to, amount'],
      ['/mine', { blockchain, blocks: 0 }, 'blocks: send a whole number from 1 to'],
      ['/reorg', { blockchain, depth: 101 }, 'depth: send at most'],
      ['/reorg', { blockchain, depth: 1, without: ['ab'] }, 'without: ab is in none of the newest 1 blocks'],
      ['/reorg', { blockchain, depth: 1, without: 'ab' }, 'without: send a list of strings'],
    ]
    for (const [path, body, description] of refusals) {
      const answer = await ask('POST', path, body)
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 100, description: expect.stringContaining(description) },
      })
    }
    expect(await lost('nothing')).toMatchObject({
      status: 400,
      body: { description: expect.stringContaining('hash: send') },
    })
    await post('/mine', { blockchain })
    expect(await balance(to)).toBe('0')
  })
}

describe('ETHEREUM', () => {
  const anvil = useAnvil()
  const open = async () => {
    const { rpc } = await anvil()
    const tokens = await ensureTokens(rpc, [
      { contract: 'UsdtLike', name: 'Test Tether', symbol: 'USDT', decimals: 6 },
      { contract: 'FeeToken', name: 'Fee', symbol: 'FEE', decimals: 18 },
    ])
    const assets = [
      { ticker: 'ETH', decimals: 18 },
      { ticker: 'USDT', decimals: 6, token: tokens.get('USDT') as string },
    ]
    return openEvm({ blockchain: 'ETHEREUM', rpc, assets })
  }
  conformance('ETHEREUM', ['ETH', 'USDT'], open)

  test('a transaction of another sender that is left out waits again, and its followers with it', async () => {
    const chain = await open()
    const { rpc } = await anvil()
    const payer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    const to = await chain.newAddress()
    const first = await sendAndMine(rpc, { from: payer, to, value: 1n })
    const second = await sendAndMine(rpc, { from: payer, to, value: 2n })
    const { returned } = await chain.reorg({ depth: 2, without: [first.transactionHash] })
    expect(returned).toEqual([first.transactionHash, second.transactionHash])
    expect(await chain.transaction(first.transactionHash)).toMatchObject({ status: 'pending' })
    expect(await chain.isBusy()).toBe(true)
    await chain.mine(1)
    expect(await chain.balance({ ticker: 'ETH', address: to })).toBe('0.000000000000000003')
  })

  test('is busy until the newest transaction is settled', async () => {
    const chain = await open()
    await chain.pay({ ticker: 'ETH', to: await chain.newAddress(), amount: '1' })
    await chain.mine(1)
    expect(await chain.isBusy()).toBe(true)
    await chain.mine(14)
    expect(await chain.isBusy()).toBe(false)
    await chain.pay({ ticker: 'ETH', to: await chain.newAddress(), amount: '1' })
    expect(await chain.isBusy()).toBe(true)
  })
})

describe('BINANCE_SMART_CHAIN', () => {
  const anvil = useAnvil({ chainId: 31_356, baseFee: 0n })
  conformance('BINANCE_SMART_CHAIN', ['BNB', 'USDT'], async () => {
    const { rpc } = await anvil()
    const tokens = await ensureTokens(rpc, [
      { contract: 'TestToken', name: 'Test Tether', symbol: 'USDT', decimals: 18 },
    ])
    const assets = [
      { ticker: 'BNB', decimals: 18 },
      { ticker: 'USDT', decimals: 18, token: tokens.get('USDT') as string },
    ]
    return openEvm({ blockchain: 'BINANCE_SMART_CHAIN', rpc, assets })
  })
})

describe('TRON', () => {
  const lag = 6
  const node = useTronNode(lag)
  const open = async () => (await openTron((await node()).url)).chain
  conformance('TRON', ['TRX', 'USDT', 'USDC'], open)

  test('a transaction of another sender that is left out waits again', async () => {
    const chain = await open()
    const api = openTronApi((await node()).url)
    const { key, address } = knownAccount('payer')
    const payer = { key, address: base58Of(address) }
    const to = await chain.newAddress()
    await chain.pay({ ticker: 'TRX', to: payer.address, amount: '10' })
    await chain.mine(lag + 1)
    const hash = await openTronFaucet(api, payer).pay({ to, units: 1_500_000n })
    await chain.mine(1)
    expect(await chain.reorg({ depth: 1, without: [hash] })).toMatchObject({ replaced: [], returned: [hash] })
    expect(await chain.transaction(hash)).toMatchObject({ status: 'pending' })
    await chain.mine(1)
    expect(await chain.balance({ ticker: 'TRX', address: to })).toBe('1.5')
  })

  test('a payment that depends on a replaced payment is replaced too', async () => {
    const chain = await open()
    const api = openTronApi((await node()).url)
    const { key, address } = knownAccount('poor')
    const poor = { key, address: base58Of(address) }
    const first = await chain.pay({ ticker: 'TRX', to: poor.address, amount: '10' })
    await chain.mine(1)
    const second = await openTronFaucet(api, poor).pay({ to: await chain.newAddress(), units: 1_500_000n })
    await chain.mine(1)
    expect(await chain.reorg({ depth: 2, without: [first] })).toMatchObject({ replaced: [first, second], returned: [] })
  })

  test('solid blocks stay', async () => {
    const chain = await open()
    await chain.mine(lag)
    await expect(chain.reorg({ depth: lag + 1, without: [] })).rejects.toThrow(`depth: send at most ${lag}, since`)
    await chain.reorg({ depth: lag, without: [] })
  })

  test('more than was minted is paid, also before the next block', async () => {
    const chain = await open()
    const address = await chain.newAddress()
    for (const amount of ['900000000', '900000000', '2500000000.000001'])
      await chain.pay({ ticker: 'USDC', to: address, amount })
    await chain.mine(1)
    expect(await chain.balance({ ticker: 'USDC', address })).toBe('4300000000.000001')
    const most = { ticker: 'TRX', to: address, amount: '2000000000' }
    await expect(chain.pay(most)).rejects.toThrow('balance is not sufficient')
  })

  test('is busy until the newest transaction is solid', async () => {
    const chain = await open()
    await chain.mine(lag)
    expect(await chain.isBusy()).toBe(false)
    await chain.pay({ ticker: 'TRX', to: await chain.newAddress(), amount: '1' })
    expect(await chain.isBusy()).toBe(true)
    await chain.mine(lag)
    expect(await chain.isBusy()).toBe(true)
    await chain.mine(1)
    expect(await chain.isBusy()).toBe(false)
  })
})

describeWithBitcoind('BITCOIN', () => {
  const bitcoin = useBitcoind()
  const open = async () => openBitcoin(await bitcoin())
  conformance('BITCOIN', ['BTC'], open)

  test('a dropped transaction of another sender waits again, and so does a transaction that spends it', async () => {
    const chain = await open()
    const outside = (await bitcoin()).walletRpc('outside')
    await chain.pay({ ticker: 'BTC', to: await chain.newAddress(), amount: '2' })
    await chain.mine(1)
    const first = await outside<string>('sendtoaddress', await outside('getnewaddress'), '1.5')
    await chain.mine(1)
    const second = await outside<string>('sendtoaddress', await outside('getnewaddress'), '1.4')
    await chain.mine(1)
    const reorg = await chain.reorg({ depth: 2, without: [first] })
    expect(reorg.replaced).toEqual([])
    expect(reorg.returned).toEqual([first, second])
    expect(await chain.transaction(first)).toMatchObject({ status: 'pending' })
    await chain.mine(1)
    expect(await chain.transaction(second)).toMatchObject({ status: 'confirmed' })
  })

  test('pays more than any one coin holds, and refuses more than all', async () => {
    const chain = await open()
    const to = await chain.newAddress()
    await chain.pay({ ticker: 'BTC', to, amount: '120.00000001' })
    await chain.mine(1)
    expect(await chain.balance({ ticker: 'BTC', address: to })).toBe('120.00000001')
    const most = { ticker: 'BTC', to, amount: '21000000' }
    await expect(chain.pay(most)).rejects.toThrow(/amount: the faucet has \d+.* BTC at hand/)
  })

  test('is busy until the newest transaction is settled', async () => {
    const chain = await open()
    await chain.mine(14)
    expect(await chain.isBusy()).toBe(false)
    await chain.pay({ ticker: 'BTC', to: await chain.newAddress(), amount: '1' })
    expect(await chain.isBusy()).toBe(true)
    await chain.mine(14)
    expect(await chain.isBusy()).toBe(true)
    await chain.mine(1)
    expect(await chain.isBusy()).toBe(false)
  })
})

describe("the platform's part", () => {
  test('is handed in', async () => {
    const seen: unknown[] = []
    const note = async (what: unknown) => {
      seen.push(what)
      return { done: true }
    }
    const rates = {
      list: async () => ({ 'BTC/USDT': '60000' }),
      set: () => Promise.reject(new Refusal('price: send a decimal as a string')),
    }
    const server = await startControl({ port: 0, chains: [], credit: note, setClock: note, rates })
    const { ask, post, get } = clientOf(() => server)
    try {
      expect(await post('/credit', { merchantId: 'm', ticker: 'BTC', amount: '1' })).toEqual({ done: true })
      expect(await post('/clock', { advanceMs: 60_000 })).toEqual({ done: true })
      expect(seen).toEqual([{ merchantId: 'm', ticker: 'BTC', amount: '1' }, { advanceMs: 60_000 }])
      expect(await get('/rates', {})).toEqual({ 'BTC/USDT': '60000' })
      expect(await ask('POST', '/rates', {})).toMatchObject({
        status: 400,
        body: { description: 'price: send a decimal as a string' },
      })
      expect(await ask('POST', '/clock', { advanceMs: -1 })).toMatchObject({ status: 400, body: { code: 100 } })
      expect(await ask('POST', '/pay', {})).toMatchObject({ status: 503, body: { code: 107 } })
    } finally {
      await server.stop()
    }
  })

  test('is said to be missing when the chains run alone', async () => {
    const server = await startControl({ port: 0, chains: [] })
    const { ask } = clientOf(() => server)
    try {
      for (const [method, path, body] of [
        ['POST', '/credit', { merchantId: 'm', ticker: 'BTC', amount: '1' }],
        ['POST', '/clock', { advanceMs: 1 }],
        ['GET', '/rates', undefined],
        ['POST', '/rates', {}],
      ] as const) {
        expect(await ask(method, path, body)).toMatchObject({
          status: 501,
          body: { code: 106, description: expect.stringContaining(`${method} ${path}`) },
        })
      }
    } finally {
      await server.stop()
    }
  })
})
