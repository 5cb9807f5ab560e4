import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../test/setup/nodes.ts'
import { endProcess, waitUntilGone } from '../process/end.ts'
import { freePort } from '../process/port.ts'
import type { Rpc } from '../rpc.ts'
import { findBitcoind, startBitcoind } from './index.ts'
import type { Bitcoind, BitcoindOptions } from './index.ts'

/** Someone outside: BIP-173's example key on regtest. */
const someone = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

const height = async (rpc: Rpc) => Number(await rpc('getblockcount'))

describeWithBitcoind('bitcoind', () => {
  let dir: string
  let started: Bitcoind[] = []

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'bursar-bitcoind-'))
  })

  afterEach(async () => {
    for (const node of started) await node.stop()
    started = []
    rmSync(dir, { recursive: true, force: true })
  })

  async function start(options: Partial<BitcoindOptions> = {}): Promise<Bitcoind> {
    const found = await findBitcoind()
    if (!('program' in found)) throw new Error(found.missing)
    const node = await startBitcoind({ program: found.program, dataDir: join(dir, 'data'), ...options })
    started.push(node)
    return node
  }

  test('runs regtest with an index of all transactions and the policy of Bitcoin Core', async () => {
    const node = await start()
    expect(await node.rpc('getblockchaininfo')).toMatchObject({ chain: 'regtest' })
    expect(await node.rpc('getindexinfo')).toMatchObject({ txindex: { synced: true } })
    const found = await findBitcoind()
    // Knots asks ten times as much unless it is set to follow Core.
    if ('program' in found && found.program.isKnots) {
      expect(await node.rpc('getnetworkinfo')).toMatchObject({ relayfee: '0.00000100' })
    }
  })

  test('refuses a wrong password, and keeps its own over a restart', async () => {
    const first = await start()
    const answer = await fetch(first.url, { method: 'POST', headers: { authorization: 'Basic eDp5' }, body: '{}' })
    expect(answer.status).toBe(401)
    await first.rpc('generatetoaddress', 2, someone)
    await first.stop()
    const second = await start()
    expect(second).toMatchObject({ adopted: false, password: first.password })
    expect(await height(second.rpc)).toBe(2)
  })

  test('blocks survive kill -9', async () => {
    const first = await start()
    await first.rpc('generatetoaddress', 105, someone)
    const tip = await first.rpc('getbestblockhash')
    await endProcess(first, [{ signal: 'SIGKILL', waitMs: 5_000 }])
    const second = await start()
    expect(second.adopted).toBe(false)
    expect(await second.rpc('getbestblockhash')).toBe(tip)
    await second.stop()
    expect(await height((await start()).rpc)).toBe(105)
  })

  test('a node that still runs is adopted', async () => {
    const first = await start()
    const second = await start()
    expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url })
    await second.stop()
    expect(await waitUntilGone(first, 1_000)).toBe(true)
  })

  test('a node whose record was lost is found by the directory it works in', async () => {
    const first = await start()
    rmSync(join(dir, 'data', 'process.json'))
    expect(await start()).toMatchObject({ adopted: true, pid: first.pid })
  })

  test('a port in use is named', async () => {
    const first = await start({ rpcPort: await freePort() })
    const port = Number(new URL(first.url).port)
    const second = start({ dataDir: join(dir, 'other'), rpcPort: port, rpcPortSetting: 'BURSAR_PORT_BITCOIN' })
    await expect(second).rejects.toThrow(
      new RegExp(`port ${port}, wanted by bitcoind, is in use by process ${first.pid}.*BURSAR_PORT_BITCOIN`),
    )
  })

  test('amounts keep every digit', async () => {
    const node = await start()
    await node.rpc('generatetoaddress', 1, someone)
    const block = await node.rpc<{ tx: { vout: { value: string }[] }[] }>(
      'getblock',
      await node.rpc('getbestblockhash'),
      2,
    )
    expect(block.tx[0]?.vout[0]?.value).toBe('50.00000000')
  })

  test('two nodes meet, and the longer branch wins', async () => {
    const a = await start({ peerPort: 0 })
    const b = await start({ dataDir: join(dir, 'b'), peerPort: 0 })
    await a.rpc('generatetoaddress', 1, someone)
    await b.rpc('generatetoaddress', 3, someone)
    await a.rpc('addnode', `127.0.0.1:${b.peerPort}`, 'onetry')
    await expect.poll(() => height(a.rpc)).toBe(3)
    expect(await a.rpc('getbestblockhash')).toBe(await b.rpc('getbestblockhash'))
  })
})

describeWithBitcoind('the node of a test file', () => {
  const bitcoin = useBitcoind()

  test('is one for all its tests', async () => {
    const [one, two] = await Promise.all([bitcoin(), bitcoin()])
    expect(one.pid).toBe(two.pid)
    expect(await height(one.rpc)).toBe(0)
  })
})
