/**
 * Answers of a real go-ethereum, as the specification of the execution API has them on record (execution-apis.json says
 * where they are from), read by the adapter.
 */
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccountChainAdapter } from '../../port.ts'
import { createEvmAdapter } from '../index.ts'

interface Answer {
  file: string
  method: string
  params: unknown[]
  result?: unknown
  error?: { code: number; message: string; data?: string }
}

const { answers } = JSON.parse(readFileSync(join(import.meta.dirname, 'execution-apis.json'), 'utf8')) as {
  answers: Answer[]
}
const LATEST = answers.find(({ file }) => file === 'eth_getBlockByNumber/get-latest.io')!.result as Record<
  string,
  string
>
const named = (file: string): Answer => answers.find((answer) => answer.file === file)!

/** An answer on record for a question: questions about the newest block were asked by its tag. */
const recorded = (method: string, [first]: unknown[]): Answer | undefined => {
  const isLatest = first === LATEST['number'] || first === LATEST['hash']
  return answers.find((one) => one.method === method && one.params[0] === (isLatest ? 'latest' : first))
}

let adapter: AccountChainAdapter & { close(): Promise<void> }
/** An answer to the next request of its method, with any parameters. */
let forced: Answer | undefined
interface Question {
  id: number
  method: string
  params: unknown[]
}
const answer = ({ id, method, params }: Question): object => {
  const found = forced?.method === method ? forced : recorded(method, params)
  const said = found?.error === undefined ? { result: found?.result ?? null } : { error: found.error }
  return { jsonrpc: '2.0', id, ...said }
}
const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[]
    outgoing.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
  })
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  adapter = createEvmAdapter({
    network: 'ETHEREUM',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokens: [],
    finality: 'finalized',
    traces: 'off',
    legacyGas: false,
    gasPriceFloor: 1n,
    gasPriceCap: 10n ** 12n,
    random: () => 0,
  })
})
afterAll(async () => {
  await adapter.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('the chain, its head and its final block', async () => {
  expect(await adapter.identity()).toBe('3503995874084926')
  const head = { height: 54, hash: LATEST['hash'] }
  expect(await adapter.head()).toMatchObject(head)
  expect(await adapter.finalized()).toMatchObject(head)
})

test.each([
  [0, '0x44fd89d504659cd58f48f4796b77a7e7012cf296a2409afa2f6c3cb99b5b3d99'],
  [27, '0xb82be38216daf4487ab4fcafe9413892e7140f6816276560ec10d94d039db1aa'],
  [36, '0xd26a1e23d9d002e78866b369def0241d073eb0642c3dca25ef2f2417242ac9d3'],
  [39, '0x8690870c2ff6dd397319efe697eae4aa9459995e9281a9e56363ca1a7bb881d8'],
  [42, '0x9e5e1e79c57f257def6a0e882d10863e2a98b034e6e0fdaccd7ff7b31312105d'],
  [45, '0xe4165d5a6e4d31469f4a9354c30bffec633a640940b40bc0bc1ae86d1b391643'],
  [1_000, null],
])('the block of each fork by its height: %i', async (height, hash) => {
  expect(await adapter.hashAt(height)).toBe(hash)
})

test('a block of creations and a call: senders, transfers and fees', async () => {
  const block = (await adapter.blockAt(54))!
  expect(block.parent).toBe('0x1c40cb1eae4d15a808b06f18145f4585fd6d45244b332853bd695e62e6990454')
  expect(block.transactions.map(({ hash, succeeded, fee }) => [hash.slice(0, 10), succeeded, fee])).toEqual([
    ['0x0d1cf59d', true, 105_782n * 27_399_064n],
    ['0x492784ac', true, 64_613n * 27_399_064n],
    ['0x02a69bc3', true, 119_662n * 27_399_064n],
    ['0x42bbb542', true, 49_768n * 27_399_064n],
    // The block itself, for its tips: one wei for each unit of gas, to the fee recipient of this chain.
    ['0xd226371d', true, 0n],
  ])
  expect(block.time).toBe(540_000)
  expect(block.transactions.flatMap(({ transfers }) => transfers)).toEqual([
    expect.objectContaining({
      contract: null,
      from: ['0x7435ed30A8b4AEb0877CEf0c6E8cFFe834eb865f'],
      to: '0x7Dcd17433742F4c0Ca53122aB541D0Ba67fC27Df',
      units: 2n,
    }),
    expect.objectContaining({ contract: null, from: [], to: `0x${'0'.repeat(40)}`, units: 339_825n }),
  ])
  expect(await adapter.blockAt(0)).toMatchObject({ height: 0, transactions: [] })
  expect(await adapter.blockAt(1_000)).toBeNull()
})

describe('transactions', () => {
  test.each([
    ['get-dynamic-fee.io', 27],
    ['get-blob-tx.io', 42],
    ['get-setcode-tx.io', 45],
  ])('%s: mined, and its fee with that of its blobs', async (file, height) => {
    const receipt = named(`eth_getTransactionReceipt/${file}`).result as Record<string, string>
    const gas = BigInt(receipt['gasUsed']!) * BigInt(receipt['effectiveGasPrice']!)
    const blobs = BigInt(receipt['blobGasUsed'] ?? 0) * BigInt(receipt['blobGasPrice'] ?? 0)
    expect(await adapter.statusOf(receipt['transactionHash']!)).toEqual({
      kind: 'mined',
      height,
      blockHash: receipt['blockHash'],
      succeeded: true,
      fee: gas + blobs,
    })
  })

  test.each(['get-notfound-tx.io', 'get-empty-tx.io'])('%s: not known', async (file) => {
    const [hash] = named(`eth_getTransactionByHash/${file}`).params
    expect(await adapter.statusOf(String(hash))).toEqual({ kind: 'unknown' })
  })

  test('a receipt from before Byzantium, which has a state root and no status, is not believed', async () => {
    const { params } = named('eth_getTransactionReceipt/get-legacy-receipt.io')
    await expect(adapter.statusOf(String(params[0]))).rejects.toThrow('not believed: status')
  })

  test.each([
    'send-legacy-transaction.io',
    'send-access-list-transaction.io',
    'send-dynamic-fee-transaction.io',
    'send-dynamic-fee-access-list-transaction.io',
  ])('%s: taken, under the hash that we compute', async (file) => {
    const { params } = named(`eth_sendRawTransaction/${file}`)
    expect(await adapter.broadcast(String(params[0]))).toEqual({ kind: 'accepted' })
  })
})

describe('requests before sending', () => {
  const call = { from: `0x${'01'.repeat(20)}`, to: `0x${'02'.repeat(20)}`, value: 0n, data: '0x' }

  test.each([
    ['estimate-simple-transfer.io', { ok: true, gas: 21_000n }],
    ['estimate-successful-call.io', { ok: true, gas: 21_270n }],
    ['estimate-with-eip4844.io', { ok: true, gas: 21_000n }],
    ['estimate-failed-call.io', { ok: false }],
    ['estimate-call-abi-error.io', { ok: false }],
  ])('%s', async (file, expected) => {
    forced = named(`eth_estimateGas/${file}`)
    expect(await adapter.estimateGas(call)).toMatchObject(expected)
  })

  test('the fee of the next block, by its history', async () => {
    forced = named('eth_feeHistory/fee-history.io')
    const rate = await adapter.feeRate()
    expect(rate).toMatchObject({ kind: 'gas', legacy: false, maxPriorityFeePerGas: 1n })
    expect(rate.kind === 'gas' && rate.maxFeePerGas >= 0x342a385an).toBe(true)
  })

  test('code, delegated and absent, nonces and balances', async () => {
    forced = undefined
    expect(await adapter.isContract('0x7dcd17433742f4c0ca53122ab541d0ba67fc27df')).toBe(true)
    expect(await adapter.isContract('0xc1cadaffffffffffffffffffffffffffffffffff')).toBe(false)
    expect(await adapter.codeAt('0xeda8645ba6948855e3b3cd596bbb07596d59c603')).toBe(
      '0xef01008c2319620d7c348bb4e2b2a0b230c81f310e9561',
    )
    expect(await adapter.minedNonce('0xeda8645ba6948855e3b3cd596bbb07596d59c603')).toBe(1)
    const addresses = ['0x7dcd17433742f4c0ca53122ab541d0ba67fc27df', '0xc1cadaffffffffffffffffffffffffffffffffff']
    const wanted = addresses.map((address) => ({ address, contract: null }))
    // The first balance on record is that of an older block.
    expect((await adapter.balancesAt(54, wanted))[1]).toBe(0n)
  })
})
