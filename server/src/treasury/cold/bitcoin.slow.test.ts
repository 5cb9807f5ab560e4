/**
 * BTC to cold storage on bitcoind: a PSBT signed by another wallet with the hot keys, followed to the last satoshi,
 * beside payouts.
 */
import { randomUUID } from 'node:crypto'
import { HARDENED, isRefused } from '@bursar/chainkit'
import { accountPath, parsePsbt } from '@bursar/chainkit/bitcoin'
import { HDKey } from '@scure/bip32'
import { RawTx, Transaction } from '@scure/btc-signer'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Rpc } from '../../../../sandbox/rpc.ts'
import { seed } from '../../../../test/world/signer.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { describeWithBitcoind, useBitcoind } from '../../../../test/setup/nodes.ts'
import { openBitcoinWorld, type BitcoinWorld } from '../../../../test/world/bitcoin-node.ts'
import type { CoinChainAdapter } from '../../adapters/chains/port.ts'
import { bitcoinCatalogue } from '../../../../test/world/bitcoin-money.ts'
import { bitcoinHotAddress } from '../../chain/transactions/index.ts'
import { openCold, type ColdWorld } from '../../../../test/world/cold.ts'
import { WALLET } from '../../../../test/world/wallet.ts'

const database = useDatabase({ template: migrated })
const BTC = 100_000_000n
const HOUR = 3_600_000
const FINAL = 7
const HOT = bitcoinHotAddress(WALLET)
interface Decoded {
  tx: { txid: string; vin: { txid: string }[] }
  inputs: { non_witness_utxo?: { txid: string }; witness_utxo?: { scriptPubKey: { address: string } } }[]
}

/** A wallet of the node that has the hot keys, by a descriptor. */
const walletOfHotKeys = async ({ node }: BitcoinWorld): Promise<Rpc> => {
  const master = HDKey.fromMasterSeed(seed(), { private: 0x04358394, public: 0x043587cf })
  const path = accountPath('hot', 'regtest')
  const account = path.reduce((parent, index) => parent.deriveChild(index), master)
  const steps = path.map((index) => `${index - HARDENED}h`).join('/')
  const origin = `${master.fingerprint.toString(16).padStart(8, '0')}/${steps}`
  const descriptors = await Promise.all(
    [0, 1].map(async (branch) => {
      const plain = `wpkh([${origin}]${account.privateExtendedKey}/${branch}/*)`
      const { checksum } = await node.rpc<{ checksum: string }>('getdescriptorinfo', plain)
      return { desc: `${plain}#${checksum}`, timestamp: 'now', range: [0, 20] }
    }),
  )
  const name = `hot-${randomUUID()}`
  await node.rpc('createwallet', name, false, true)
  const wallet = node.walletRpc(name)
  const imported = await wallet<{ success: boolean }[]>('importdescriptors', descriptors)
  expect(imported.map(({ success }) => success)).toEqual([true, true])
  return wallet
}

/** The same with a script that makes it larger than anything carried along. */
const padded = (raw: Uint8Array): Uint8Array => {
  const { inputs, ...rest } = RawTx.decode(raw)
  return RawTx.encode({
    ...rest,
    inputs: inputs.map((input) => ({ ...input, finalScriptSig: new Uint8Array(300_000) })),
  })
}

/** As a wallet with the seed words does it: finds its keys by the origins, signs what is its own. */
const signElsewhere = (psbt: Uint8Array): Uint8Array => {
  const master = HDKey.fromMasterSeed(seed(), { private: 0x04358394, public: 0x043587cf })
  const parsed = parsePsbt(psbt)
  if (isRefused(parsed)) throw new Error(parsed.message)
  const transaction = Transaction.fromPSBT(psbt)
  for (const [at, { origins }] of parsed.inputs.entries()) {
    const [origin] = origins
    expect(origin!.masterFingerprint).toBe(master.fingerprint)
    const key = origin!.path.reduce((parent, index) => parent.deriveChild(index), master)
    transaction.signIdx(key.privateKey!, at)
  }
  return transaction.toPSBT()
}

describeWithBitcoind('cold storage on Bitcoin', () => {
  const startNode = useBitcoind()
  let node: BitcoinWorld
  let cold: ColdWorld
  let adapter: CoinChainAdapter
  let vault: string

  beforeAll(async () => {
    node = await openBitcoinWorld(await startNode())
  })

  beforeEach(async () => {
    vault = await node.faucet<string>('getnewaddress')
    const treasury = {
      hot: { BTC: { cap: `${5n * BTC}`, target: `${2n * BTC}`, low: `${BTC}`, cold: vault } },
      signWithinMs: HOUR,
    }
    adapter = { ...(node.adapter as CoinChainAdapter) }
    cold = await openCold({
      url: database.url,
      network: 'BITCOIN',
      chain: { ...node, adapter },
      catalogue: bitcoinCatalogue,
      treasury,
    })
    return () => cold.close()
  })

  /** The coins of the hot address from earlier tests are not in these books. */
  const fund = async (...amounts: bigint[]): Promise<void> => {
    for (const units of amounts) await node.pay(HOT, units)
    await cold.mine(FINAL)
  }
  const offered = async () => {
    await cold.offer()
    const { transfer, attempt } = await cold.open()
    return { id: transfer.id, transfer, psbt: Buffer.from(attempt.unsigned, 'hex') }
  }
  const books = async (): Promise<bigint> => {
    const { rows } = await sql<{
      recorded: bigint
      ledger: bigint
    }>`select (select sum(booked) from custody_addresses where asset = 'BTC') as recorded,
      (select -sum(posted) from ledger_accounts where asset = 'BTC' and kind = 'custody:BITCOIN') as ledger`.execute(
      cold.db,
    )
    expect(rows[0]!.recorded).toBe(rows[0]!.ledger)
    return rows[0]!.ledger
  }

  test('over the cap: a PSBT with origins, signed by another wallet, taken in, mined, final; the books hold', async () => {
    await fund(4n * BTC, 3n * BTC)
    const { id, transfer, psbt } = await offered()
    expect(transfer).toMatchObject({ units: 5n * BTC, to: vault })
    const before = await books()
    expect(await cold.take(id, psbt)).toMatchObject({ refused: 'not-it' })
    expect(await cold.take(id, signElsewhere(psbt))).toHaveProperty('hash')
    await cold.send()
    await cold.mine(1)
    expect(await cold.state(id)).toBe('mined')
    expect(await cold.custody(vault, 'BTC')).toBe(5n * BTC)
    await cold.mine(FINAL)
    expect(await cold.state(id)).toBe('final')
    const fee = -(await cold.platform('BTC', 'network-costs'))
    expect(fee).toBeGreaterThan(0n)
    expect(await books()).toBe(before - fee)
    await cold.offer()
    expect(await cold.transfers()).toEqual(['final'])
    // Coins in cold storage pay no withdrawal.
    const payout = await cold.request('BTC', await node.newAddress(), 3n * BTC)
    await cold.pay()
    expect(await cold.withdrawal(payout)).toBe('requested')
    const [line] = (await cold.reconcile()).lines
    expect(line).toMatchObject({ booked: before - fee, onChain: before - fee, short: 0n, surplus: 0n })
  })

  test('the file has the transactions its coins come from: a node finds nothing missing, and signs it as a wallet', async () => {
    await fund(4n * BTC, 3n * BTC)
    const { id, transfer, psbt } = await offered()
    const handed = (await cold.file(id)).psbt!
    const decoded = await node.node.rpc<Decoded>('decodepsbt', handed)
    expect(decoded.inputs.map(({ non_witness_utxo }) => non_witness_utxo?.txid)).toEqual(
      decoded.tx.vin.map(({ txid }) => txid),
    )
    expect(decoded.inputs.map(({ witness_utxo }) => witness_utxo?.scriptPubKey.address)).toEqual(
      decoded.inputs.map(() => HOT),
    )
    const bare = await node.node.rpc<Decoded>('decodepsbt', psbt.toString('base64'))
    expect(bare.inputs.some(({ non_witness_utxo }) => non_witness_utxo)).toBe(false)
    expect(decoded.tx.txid).toBe(bare.tx.txid)
    const analysed = await node.node.rpc<{ next: string; fee: string; inputs: { has_utxo: boolean; next: string }[] }>(
      'analyzepsbt',
      handed,
    )
    expect(analysed).toMatchObject({
      next: 'signer',
      inputs: decoded.inputs.map(() => ({ has_utxo: true, next: 'signer' })),
    })
    const wallet = await walletOfHotKeys(node)
    const { psbt: signed, complete } = await wallet<{ psbt: string; complete: boolean }>(
      'walletprocesspsbt',
      handed,
      true,
      'ALL',
      true,
      true,
    )
    expect(complete).toBe(true)
    expect(await cold.take(id, Buffer.from(signed, 'base64'))).toHaveProperty('hash', decoded.tx.txid)
    await cold.send()
    await cold.mine(1)
    expect(await cold.state(id)).toBe('mined')
    expect(await cold.custody(vault, 'BTC')).toBe(transfer.units)
    await cold.mine(FINAL)
    await cold.offer()
    // It can not be signed any more: its carried coins are dropped.
    expect((await sql`select 1 from cold_previous`.execute(cold.db)).rows).toEqual([])
  })

  test('coins of transactions too large for the file stay for payouts; an alert is raised when none are left without them', async () => {
    // All but two are sent, so that any four of five will do.
    await fund(...Array.from({ length: 5 }, () => (19n * BTC) / 10n))
    const large = new Set<string>()
    adapter.rawTransactions = async (hashes) => {
      if (large.size === 0) large.add(hashes[0]!)
      const found = await (node.adapter as CoinChainAdapter).rawTransactions(hashes)
      return new Map([...found].map(([hash, raw]) => [hash, large.has(hash) ? padded(raw) : raw]))
    }
    const { id, transfer } = await offered()
    expect(transfer.units).toBe((75n * BTC) / 10n)
    const reserved = (
      await sql<{ transaction: string }>`select transaction from utxos where reserved_by is not null`.execute(cold.db)
    ).rows.map(({ transaction }) => transaction)
    expect(reserved).toHaveLength(4)
    expect(reserved).not.toContain([...large][0])
    expect(await cold.file(id)).toMatchObject({ amount: '7.5' })
    await cold.cancel(id)
    for (const transaction of reserved) large.add(transaction)
    await cold.offer()
    expect(await cold.transfers()).toEqual(['cancelled'])
    const { rows } = await sql<{
      text: string
    }>`select text from alerts where kind = 'cold-impossible' and resolved_at is null`.execute(cold.db)
    expect(rows.map(({ text }) => text)).toEqual([
      expect.stringMatching(/without those of [1-5] transactions too large/),
    ])
  })

  test('coins wait for a signature only as long as no payout needs them', async () => {
    await fund(3n * BTC, 3n * BTC)
    const { id, psbt } = await offered()
    const small = await cold.request('BTC', await node.newAddress(), BTC / 2n)
    await cold.pay()
    const large = await cold.request('BTC', await node.newAddress(), 4n * BTC)
    for (let round = 0; round < 4; round += 1) {
      await cold.pay()
      await cold.send()
      await cold.mine(1)
      cold.later(60_000)
    }
    await cold.mine(FINAL)
    expect([await cold.withdrawal(small), await cold.withdrawal(large)]).toEqual(['settled', 'settled'])
    expect(await cold.take(id, signElsewhere(psbt))).toMatchObject({ refused: 'not-open' })
    await cold.offer()
    expect(await cold.transfers()).toEqual(['overtaken'])
    await books()
  })

  test('cancelled and expired ones free their coins; another wallet may have sent it itself, and it is followed', async () => {
    await fund(4n * BTC, 4n * BTC)
    const first = await offered()
    await cold.cancel(first.id)
    const free = async (): Promise<number> =>
      (
        await sql<{
          n: number
        }>`select count(*) as n from utxos where reserved_by is null and spent_by is null`.execute(cold.db)
      ).rows[0]!.n
    expect(await free()).toBe(2)
    const second = await offered()
    expect(await free()).toBeLessThan(2)
    cold.later(2 * HOUR)
    const third = await offered()
    expect(await cold.transfers()).toEqual(['cancelled', 'expired', 'offered'])
    expect(second.transfer.units).toBe(third.transfer.units)
    const transaction = Transaction.fromPSBT(signElsewhere(third.psbt))
    transaction.finalize()
    await node.node.rpc('sendrawtransaction', transaction.hex)
    await cold.mine(1)
    expect(await cold.state(third.id)).toBe('mined')
    await cold.mine(FINAL)
    expect(await cold.state(third.id)).toBe('final')
    expect(await cold.custody(vault, 'BTC')).toBe(third.transfer.units)
    await books()
  })

  test('a reorganisation takes it back, and the same bytes are mined again', async () => {
    await fund(6n * BTC)
    const { id, psbt } = await offered()
    await cold.take(id, signElsewhere(psbt))
    await cold.send()
    await cold.mine(1)
    const before = await books()
    await node.reorg(1, [])
    await cold.catchUp()
    await cold.send()
    await cold.mine(2)
    expect(await cold.state(id)).toBe('mined')
    expect(await books()).toBe(before)
    expect(await cold.custody(vault, 'BTC')).toBe(4n * BTC)
  })

  test('a refill that returns its change to the cold address is no money from outside; its fee is a cost', async () => {
    await node.pay(vault, 5n * BTC)
    await fund(BTC / 2n)
    const capital = await cold.platform('BTC', 'capital')
    const [coin] = await node.faucet<{ txid: string; vout: number }[]>('listunspent', 1, 9_999_999, [vault])
    const outputs = [{ [HOT]: '3' }, { [vault]: '1.9999' }]
    const raw = await node.faucet<string>(
      'createrawtransaction',
      [{ txid: coin!.txid, vout: Number(coin!.vout) }],
      outputs,
    )
    const { hex } = await node.faucet<{ hex: string }>('signrawtransactionwithwallet', raw)
    await node.node.rpc('sendrawtransaction', hex)
    await cold.mine(1)
    expect(await cold.custody(vault, 'BTC')).toBe(199_990_000n)
    expect(await cold.custody(HOT, 'BTC')).toBe(BTC / 2n + 3n * BTC)
    expect(await cold.platform('BTC', 'network-costs')).toBe(-10_000n)
    await books()
    await node.reorg(1, [])
    await cold.catchUp()
    await cold.mine(FINAL)
    expect(await cold.platform('BTC', 'network-costs')).toBe(-10_000n)
    expect(await cold.platform('BTC', 'capital')).toBe(capital)
    await books()
  })
})
