import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { evmSettingsOf } from '../settings.ts'
import { createEvmAdapter, type EvmAdapterSettings } from './index.ts'

const HEAD = 100
const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
const quantity = (height: number): string => `0x${height.toString(16)}`

type Answer = { result: unknown } | { error: { code: number; message: string } }
const blockAt = (height: number): Answer => ({
  result: { number: quantity(height), hash: hashOf(height), parentHash: hashOf(Math.max(0, height - 1)), timestamp: '0x1', transactions: [] },
})
const refusal = (code: number, message: string): Answer => ({ error: { code, message } })

/** A node with blocks up to `HEAD`. `say` answers for the tag `finalized` and for heights that it does not have. */
const start = async (say: { finalized?: Answer; beyond?: Answer }, more: Partial<EvmAdapterSettings> = {}) => {
  const placed = (place: string): Answer => {
    if (place === 'finalized') return say.finalized ?? { result: null }
    const height = place === 'latest' ? HEAD : Number(place)
    return height > HEAD ? (say.beyond ?? { result: null }) : blockAt(height)
  }
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { id, params } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; params: [string] }
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...placed(params[0]) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const adapter = createEvmAdapter({ ...evmSettingsOf('ETHEREUM', { url, chainId: 1, traces: 'off' }), tokens: [], random: () => 0, ...more })
  onTestFinished(async () => {
    await adapter.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return adapter
}

/** Sources: go-ethereum eth/api_backend.go; erigon rpc_block.go and execution-apis block.yaml; reth and Nethermind from memory. */
describe('audit D-E6: a node that does not know its final block yet', () => {
  test.each([
    ['row E-1: geth and bsc', refusal(-32000, 'finalized block not found')],
    ['row E-2: Erigon', refusal(-39001, 'Unknown block')],
    ['row E-3: reth', { result: null }],
  ] as const)('%s: is unavailable for that question alone', async (_client, finalized) => {
    const adapter = await start({ finalized })
    await expect(adapter.finalized()).rejects.toMatchObject({ name: 'ChainUnavailable', message: expect.stringContaining('does not know yet which block is final') })
    expect(await adapter.head()).toEqual({ height: HEAD, hash: hashOf(HEAD) })
  })
})

describe('audit D-E6: a final block is never less deep than the network makes it', () => {
  test('row E-4: Hardhat, reth-bsc of August 2025: the head is called final', async () => {
    // reth-bsc src/node/network/block_import/service.rs; edr data.rs
    const ethereum = await start({ finalized: blockAt(HEAD) })
    expect(await ethereum.finalized()).toEqual({ height: HEAD - 31, hash: hashOf(HEAD - 31) })
    const { leastFinalDepth } = evmSettingsOf('BINANCE_SMART_CHAIN', { url: '', chainId: 56 })
    const bsc = await start({ finalized: blockAt(HEAD) }, { network: 'BINANCE_SMART_CHAIN', leastFinalDepth })
    expect(await bsc.finalized()).toEqual({ height: HEAD - 1, hash: hashOf(HEAD - 1) })
  })

  test('rows E-5 and E-6: a deeper one is believed as it is', async () => {
    expect(await (await start({ finalized: blockAt(HEAD - 70) })).finalized()).toEqual({ height: HEAD - 70, hash: hashOf(HEAD - 70) })
    // bsc parlia.go GetFinalizedHeader: block 0 while there is no attestation
    expect(await (await start({ finalized: blockAt(0) })).finalized()).toEqual({ height: 0, hash: hashOf(0) })
    const bsc = await start({ finalized: blockAt(HEAD - 1) }, { network: 'BINANCE_SMART_CHAIN', leastFinalDepth: 2 })
    expect((await bsc.finalized()).height).toBe(HEAD - 1)
  })

  test('a number of confirmations goes without the tag', async () => {
    expect((await (await start({}, { finality: 15 })).finalized()).height).toBe(HEAD - 14)
  })
})

describe('audit D-E6: row E-8: a height above the head', () => {
  test.each([
    ['null', { result: null }],
    ['an error of a gateway', refusal(-32000, 'header not found')],
    ['another', refusal(-32001, 'block not found')],
    ['the specification', refusal(-39001, 'Unknown block')],
  ] as const)('answered with %s is no block', async (_how, beyond) => {
    const adapter = await start({ beyond })
    expect([await adapter.blockAt(HEAD + 1), await adapter.hashAt(HEAD + 1)]).toEqual([null, null])
  })

  test('another error says nothing of it', async () => {
    const adapter = await start({ beyond: refusal(4444, 'pruned history unavailable') })
    await expect(adapter.blockAt(HEAD + 1)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })
})
