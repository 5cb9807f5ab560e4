/**
 * Records requests of adapters to real nodes, and the answers (`test-conversations.ts`). Off unless `BURSAR_RECORD` is
 * set: BURSAR_RECORD=1 npx vitest run --project slow server/src/adapters/chains/recording.slow.test.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { useAnvil, useBitcoind } from '../../../../test/setup/nodes.ts'
import { startTronChain, type TronChain } from '../../../../sandbox/tron/index.ts'
import { createBitcoinAdapter } from './bitcoin/index.ts'
import { BITCOIN_OPERATIONS, type BitcoinRecorded } from './bitcoin/test-operations.ts'
import { openBitcoinWorld, scriptTo, SETTINGS, urlOf } from '../../../../test/world/bitcoin-node.ts'
import { adapterOf as evmAdapterOf, openEvmWorld } from '../../../../test/world/evm-node.ts'
import { EVM_OPERATIONS, type EvmRecorded } from './evm/test-operations.ts'
import {
  bodyOf,
  NO_PAUSES,
  type Conversation,
  type Exchanged,
  type Operation,
  type Recording,
} from './test-conversations.ts'
import { adapterOf as tronAdapterOf, FAUCET, openTronWorld, SOLID_LAG } from '../../../../test/world/tron-node.ts'
import { TRON_OPERATIONS, type TronRecorded } from './tron/test-operations.ts'
import { spend, takeCoin } from '../../../../test/world/bitcoin-transaction.ts'

/** A proxy that notes each exchange, and refuses some methods itself. */
const startRecorder = async (nodeUrl: string) => {
  const recorder = { url: '', noted: [] as Exchanged[], without: [] as readonly string[] }
  const server = createServer(async (incoming, outgoing) => {
    const [path, asked] = [incoming.url ?? '/', await bodyOf(incoming)]
    const without = recorder.without.some((method) => asked.includes(`"method":"${method}"`))
    // A gateway that gives up on a long answer sends a page of its own.
    const answered = recorder.without.some((method) => path === `/${method}`)
      ? '<html><body>502 Bad Gateway</body></html>'
      : without
        ? '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"the method does not exist"}}'
        : await forward(nodeUrl, path, asked, incoming.headers.authorization)
    recorder.noted.push({ path, asked, answered })
    outgoing.end(answered)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const target = new URL(nodeUrl)
  target.port = String((server.address() as AddressInfo).port)
  recorder.url = target.href
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return recorder
}

const forward = async (nodeUrl: string, path: string, body: string, authorization?: string): Promise<string> => {
  const headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) }
  const answer = await request(new URL(nodeUrl).origin + path, { method: 'POST', headers, body })
  return answer.body.text()
}

const record = async <Adapter, World>(
  folder: string,
  source: string,
  world: World,
  nodeUrl: string,
  adapterAt: (url: string) => Adapter & { close(): Promise<void> },
  operations: Readonly<Record<string, Operation<Adapter, World>>>,
): Promise<void> => {
  const recorder = await startRecorder(nodeUrl)
  const conversations: Conversation[] = []
  for (const [name, { run, check, without = [] }] of Object.entries(operations)) {
    recorder.noted = []
    recorder.without = without
    const adapter = adapterAt(recorder.url)
    check(await run(adapter, world), world)
    await adapter.close()
    const exchanges = [...new Map(recorder.noted.map((one) => [`${one.path} ${one.asked}`, one])).values()]
    conversations.push({ operation: name, exchanges })
  }
  const recording: Recording<World> = { source, world, conversations }
  mkdirSync(join(import.meta.dirname, folder, 'recorded'), { recursive: true })
  writeFileSync(
    join(import.meta.dirname, folder, 'recorded', 'conversations.json'),
    `${JSON.stringify(recording, null, 2)}\n`,
  )
}

describe.skipIf(!process.env['BURSAR_RECORD'])('conversations', () => {
  const anvil = useAnvil()
  const bitcoind = useBitcoind()
  let chain: TronChain | undefined
  afterAll(() => chain?.stop())

  test('with an EVM node', async () => {
    const node = await anvil()
    const kind = { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' } as const
    const { contracts, newAddress, pay, mine, adapter, conflicting } = await openEvmWorld(node, kind)
    const to = await newAddress()
    const freezing = await contracts.freezing!('UsdtLike', to)
    const { raw } = (await conflicting(to, 9n)).first
    const transaction = await pay(to, 5n)
    await contracts.payToken(contracts.token, to, 6n)
    await contracts.payInside([{ to, units: 7n }])
    await contracts.payThenRevert(to, 8n)
    await contracts.payToken(contracts.lookAlike, to, 9n)
    await mine(1)
    const { height, hash } = await adapter.head()
    const { token, payer } = contracts
    const world: EvmRecorded = { height, hash, transaction, raw, token: token.toLowerCase(), freezing, payer, to }
    await record(
      'evm',
      'anvil 1.7.1 on a chain of its own; written by recording.slow.test.ts',
      world,
      node.url,
      (url) => evmAdapterOf(url, { ...kind, tokens: [token], timer: NO_PAUSES }),
      EVM_OPERATIONS,
    )
    expect(height).toBeGreaterThan(0)
  })

  test('with bitcoind', async () => {
    const node = await bitcoind()
    const { newAddress, pay, mine, payAll, adapter, faucet } = await openBitcoinWorld(node)
    const to = await newAddress()
    const mined = await payAll([
      { to, units: 123_456n },
      { to: await newAddress(), units: 100_000_000n },
    ])
    await pay(to, 250_000_000n)
    await mine(1)
    const pooled = await pay(to, 60_000n)
    const { height, hash } = await adapter.head()
    const coin = await takeCoin(faucet)
    const { raw, hash: parent } = await spend(faucet, coin, [{ script: scriptTo(to), units: 70_000n }], 5_000n)
    await faucet('sendrawtransaction', raw)
    const change = { txid: parent, vout: 1, units: coin.units - 75_000n }
    const child = (await spend(faucet, change, [{ script: scriptTo(to), units: 80_000n }], 5_000n)).raw
    const world: BitcoinRecorded = { height, hash, mined, pooled, raw, child, to }
    await record(
      'bitcoin',
      `${(await node.rpc<{ subversion: string }>('getnetworkinfo')).subversion} on regtest; written by recording.slow.test.ts`,
      world,
      urlOf(node),
      (url) => createBitcoinAdapter({ ...SETTINGS, url, now: () => 0, timer: NO_PAUSES }),
      BITCOIN_OPERATIONS,
    )
    expect(height).toBeGreaterThan(0)
  })

  test('with a TRON chain', async () => {
    chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
    const { contracts, newAddress, pay, mine, payment, adapter } = await openTronWorld(chain)
    const to = await newAddress()
    const freezing = await contracts.freezing!('UsdtLike', to)
    const transaction = await pay(to, 5n)
    await contracts.payToken(contracts.token, to, 6n)
    await contracts.payInside([{ to, units: 7n }])
    await contracts.payThenRevert(to, 8n)
    await mine(1)
    const { height } = await adapter.head()
    const { raw } = await payment(to, 9n)
    const { token, payer } = contracts
    const world: TronRecorded = { height, transaction, raw, token, freezing, payer, from: FAUCET, to }
    await record(
      'tron',
      "the sandbox's TRON chain, which imitates java-tron 4.8 (sandbox/tron); written by recording.slow.test.ts",
      world,
      chain.url,
      (url) => tronAdapterOf(url, { tokens: [token], timer: NO_PAUSES }),
      TRON_OPERATIONS,
    )
    expect(height).toBeGreaterThan(0)
  })
})
