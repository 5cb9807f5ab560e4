/** Reading blocks again as an operator types it, from nodes with scripted answers. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { depositAddress } from '../../chain/addresses/derivation.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, file, ...installation } = useInstallation()
const OURS = depositAddress(TEST_KEYS, 'EVM', 0)
const hash = (byte: string): string => `0x${byte.repeat(32)}`
const PAID = hash('77')
let env: Record<string, string>
let node: Server
/** The chain of the node, and its block at height 100. */
let chain = { id: 1, final: hash('aa') }

const blockAt = (height: number) => ({
  number: `0x${height.toString(16)}`,
  hash: height === 100 ? chain.final : hash('bb'),
  parentHash: hash('cc'),
  timestamp: '0x1',
  miner: `0x${'22'.repeat(20)}`,
  baseFeePerGas: '0x1',
  transactions:
    height === 5
      ? [{ hash: PAID, from: `0x${'11'.repeat(20)}`, to: OURS, value: '0xde0b6b3a7640000', nonce: '0x0' }]
      : [],
})
const answer = (method: string, [height]: unknown[]): unknown => {
  if (method === 'eth_chainId') return `0x${chain.id.toString(16)}`
  if (method === 'eth_getBlockByNumber') return blockAt(Number(height))
  if (method === 'eth_getBlockReceipts')
    return [
      {
        blockHash: hash('bb'),
        transactionHash: PAID,
        status: '0x1',
        gasUsed: '0x5208',
        effectiveGasPrice: '0x1',
        logs: [],
      },
    ]
  throw new Error(`not asked here: ${method}`)
}

beforeAll(async () => {
  node = createServer((request, response) => {
    let body = ''
    request
      .on('data', (chunk) => (body += String(chunk)))
      .on('end', () => {
        const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] }
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) }))
      })
  })
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  const crypto = [
    {
      ticker: 'ETH',
      name: 'Ether',
      networks: { ETHEREUM: { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.01' } },
    },
  ]
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  env = {
    ...installation.env,
    BURSAR_ASSETS_FILE: file('assets.json', { crypto, fiat: [] }),
    BURSAR_NETWORKS_FILE: file('networks.json', { ETHEREUM: { url, chainId: 1, traces: 'off' } }),
  }
  // Raw: an address, and a watcher's cursor at the node's own blocks: no signer and no watcher runs here.
  await sql`insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, created_at) values (${randomUUID()}, ${randomUUID()}, 'EVM', 'ETHEREUM', ${OURS}, 0, now())`.execute(
    db,
  )
  await sql`insert into watch_cursors values ('ETHEREUM', 110, ${hash('dd')}, 1, 110, 100, false, now())`.execute(db)
  await sql`insert into watch_blocks values ('ETHEREUM', 100, ${hash('aa')}, ''), ('ETHEREUM', 110, ${hash('dd')}, '')`.execute(
    db,
  )
})
afterAll(() => {
  node.closeAllConnections()
  node.close()
})

const type = (...words: string[]) => captured(() => runCommand(words, env, null))
const deposits = async () =>
  (await sql<{ transaction: string }>`select transaction from deposits`.execute(db)).rows.map((row) => row.transaction)

test('audit M-A4: bursar rescan refuses a node of another chain, and one that lacks the final block of the books', async () => {
  chain = { id: 11_155_111, final: hash('aa') }
  const other = await type('rescan', 'ETHEREUM', '5', '5')
  expect([other.code, other.text]).toEqual([1, expect.stringContaining('of chain 11155111')])
  chain = { id: 1, final: hash('ee') }
  const fork = await type('rescan', 'ETHEREUM', '5', '5')
  expect([fork.code, fork.text]).toEqual([1, expect.stringContaining('does not have block 100')])
  expect(await deposits()).toEqual([])
  chain = { id: 1, final: hash('aa') }
  const right = await type('rescan', 'ETHEREUM', '5', '5')
  expect([right.code, right.text]).toEqual([0, expect.stringContaining('read 1 block(s) again')])
  expect(await deposits()).toEqual([PAID])
})
