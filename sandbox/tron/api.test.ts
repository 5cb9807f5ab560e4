import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cases } from '../../test/setup/cases.ts'
import { base58Of, faucet, tokenAddress } from './index.ts'
import { parseJson, printJson } from './http/json.ts'
import { post, startTest, walletOf } from './test-tronweb.ts'
import type { TestChain } from './test-tronweb.ts'

let chain: TestChain

beforeAll(async () => {
  chain = await startTest()
})
afterAll(() => chain.stop())

const get = async (path: string) => (await fetch(`${chain.url}${path}`)).json() as Promise<Record<string, unknown>>
const usdt = tokenAddress('USDT')

test('blocks by number, id, range and from the end, by POST and GET', async () => {
  await chain.mine(5)
  const head = await post(chain.url, '/wallet/getnowblock', {})
  const id = head['blockID'] as string
  expect(await get('/wallet/getnowblock')).toEqual(head)
  expect(await get(`/wallet/getblockbyid?value=${id}`)).toEqual(head)
  expect(await post(chain.url, '/wallet/getblock', { id_or_num: id, detail: true })).toEqual(head)
  const height = chain.status().height
  expect(await post(chain.url, '/wallet/getblockbynum', { num: height })).toEqual(head)
  expect(await chain.web.trx.getBlockRange(height - 2, height)).toHaveLength(3)
  const latest = (await post(chain.url, '/wallet/getblockbylatestnum', { num: 2 })) as {
    block: { blockID: string; block_header: { raw_data: { parentHash: string } } }[]
  }
  expect(latest.block[1]?.blockID).toBe(id)
  expect(latest.block[1]?.block_header.raw_data.parentHash).toBe(latest.block[0]?.blockID)
  expect(await post(chain.url, '/wallet/getblockbynum', { num: height + 1 })).toEqual({})
  expect(await post(chain.url, '/wallet/getblockbyid', { value: '0'.repeat(64) })).toEqual({})
  expect(await post(chain.url, '/walletsolidity/getblockbynum', { num: height })).toEqual({})
})

test('block 0 has no number, as zero fields are left out', async () => {
  const genesis = (await post(chain.url, '/wallet/getblockbynum', { num: 0 })) as {
    block_header: { raw_data: object }
    transactions: unknown[]
  }
  expect(genesis.block_header.raw_data).not.toHaveProperty('number')
  expect(genesis.transactions).toHaveLength(2)
})

test('int64 comes as text when a GET asks for it', async () => {
  const raw = chain.web.trx.raw
  expect(await raw.getUnconfirmedBalance(base58Of(faucet.address))).toMatch(/^\d{15,16}$/)
  const block = (await raw.getCurrentBlock()) as unknown as {
    block_header: { raw_data: { number: string; version: number } }
  }
  expect(block.block_header.raw_data.number).toBe(String(chain.status().height))
  expect(block.block_header.raw_data.version).toBe(31)
})

test('an unknown account, contract or block is an empty object', async () => {
  const unused = await walletOf(chain)
  for (const [path, body] of [
    ['getaccount', { address: unused.hex }],
    ['getaccountresource', { address: unused.hex }],
    ['getaccountnet', { address: unused.hex }],
    ['getcontract', { value: unused.hex }],
    ['getcontractinfo', { value: unused.hex }],
    ['gettransactionbyid', { value: 'ab'.repeat(32) }],
    ['gettransactioninfobyid', { value: 'ab'.repeat(32) }],
    ['gettransactionfrompending', { value: 'ab'.repeat(32) }],
    ['getdelegatedresourcev2', { fromAddress: unused.hex, toAddress: unused.hex }],
    ['getcanwithdrawunfreezeamount', { owner_address: unused.hex }],
  ] as const)
    expect([path, await post(chain.url, `/wallet/${path}`, body)]).toEqual([path, {}])
  expect(await post(chain.url, '/wallet/gettransactioninfobyblocknum', { num: 10 ** 9 })).toEqual([])
})

test('addresses in both forms, and invalid ones', async () => {
  const unused = await walletOf(chain)
  expect(await post(chain.url, '/wallet/validateaddress', { address: unused.address })).toMatchObject({ result: true })
  expect(await post(chain.url, '/wallet/validateaddress', { address: unused.hex })).toMatchObject({ result: true })
  expect(
    await post(chain.url, '/wallet/validateaddress', {
      address: unused.address.replace(/.$/, (last) => (last === '1' ? '2' : '1')),
    }),
  ).toMatchObject({ result: false })
  const hex = await post(chain.url, '/wallet/getaccount', { address: usdt })
  const shown = await post(chain.url, '/wallet/getaccount', { address: base58Of(usdt), visible: true })
  expect([hex['address'], shown['address'], hex['type']]).toEqual([usdt, base58Of(usdt), 'Contract'])
  expect(await post(chain.url, '/wallet/getaccount', { address: 'nonsense' })).toHaveProperty('Error')
})

test('the node reports the parameters that tronweb reads', async () => {
  expect(await chain.web.trx.listNodes()).toEqual(['127.0.0.1:18888'])
  expect(await chain.web.isConnected()).toMatchObject({ fullNode: true, solidityNode: true })
  const info = (await chain.web.trx.getNodeInfo()) as unknown as { block: string }
  expect(info.block).toBe(`Num:${chain.status().height},ID:${chain.status().id}`)
  expect(await chain.web.trx.getBandwidth(base58Of(faucet.address))).toBeGreaterThan(0)
})

test('rubbish is answered and ends nothing', async () => {
  const paths = [
    'broadcasttransaction',
    'broadcasthex',
    'createtransaction',
    'triggersmartcontract',
    'triggerconstantcontract',
    'estimateenergy',
    'getblock',
    'getaccount',
    'deploycontract',
    'delegateresource',
    'getsignweight',
    'getblockbylimitnext',
  ]
  const bodies = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        raw_data: fc.jsonValue(),
        signature: fc.jsonValue(),
        transaction: fc.jsonValue(),
        owner_address: fc.jsonValue(),
        num: fc.jsonValue(),
        value: fc.jsonValue(),
      })
      .map((one) => JSON.stringify(one)),
    fc
      .record({ transaction: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('hex')) })
      .map((one) => JSON.stringify(one)),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), bodies, async (path, body) => {
      const response = await fetch(`${chain.url}/wallet/${path}`, { method: 'POST', body })
      expect(response.status).toBe(200)
      expect(typeof (await response.json())).toBe('object')
    }),
    { numRuns: cases(400) },
  )
  expect((await fetch(`${chain.url}/wallet/constructor`, { method: 'POST', body: '{}' })).status).toBe(404)
  expect(
    (
      await fetch(`${chain.url}/wallet/broadcasthex`, {
        method: 'POST',
        body: `{"transaction":"${'00'.repeat(3_000_000)}"}`,
      })
    ).status,
  ).toBe(413)
  expect(await post(chain.url, '/wallet/getnowblock', {})).toHaveProperty('blockID')
})

test('the controls name the expected request', async () => {
  expect(await post(chain.url, '/sandbox/mine', { blocks: 'two' })).toEqual({
    code: 100,
    description: 'blocks: send a whole number from 1 to 10000',
  })
  expect(await post(chain.url, '/sandbox/mine', 'two')).toMatchObject({ code: 100 })
  expect(await post(chain.url, '/sandbox/dance', {})).toMatchObject({ code: 101 })
  expect(await post(chain.url, '/sandbox/fund', { ticker: 'DOGE', to: base58Of(usdt), amount: '1' })).toMatchObject({
    code: 100,
  })
  const height = chain.status().height
  expect(await post(chain.url, '/sandbox/parameters', { getEnergyFee: 99 })).toMatchObject({ height: height + 1 })
  expect(await post(chain.url, '/sandbox/reorg', { depth: height + 2 })).toMatchObject({ code: 100 })
  expect(await post(chain.url, '/sandbox/reorg', { depth: 1 })).toMatchObject({ height: height + 2 })
  expect(await get('/sandbox/status')).toMatchObject({
    height: height + 2,
    tokens: [{ ticker: 'USDT', token: base58Of(usdt) }, { ticker: 'USDC' }],
  })
  expect(await chain.web.trx.getChainParameters()).toContainEqual({ key: 'getEnergyFee', value: 99 })
})

test('whole numbers of any size come through JSON', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      expect(BigInt((parseJson(printJson({ value })) as { value: bigint | number }).value)).toBe(value)
      expect(parseJson(printJson({ value }, true))).toEqual({ value: String(value) })
    }),
  )
})
