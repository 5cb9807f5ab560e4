/** BTC to cold storage on bitcoind: a PSBT signed by another wallet with the hot keys, followed to the last satoshi, beside payouts. */
import { isRefused } from '@bursar/chainkit'
import { parsePsbt } from '@bursar/chainkit/bitcoin'
import { HDKey } from '@scure/bip32'
import { Transaction } from '@scure/btc-signer'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { seed } from '../../../signer/src/test-world.ts'
import { useDatabase } from '../../../test/setup/database.ts'
import { migrated } from '../../../test/setup/migrated.ts'
import { describeWithBitcoind, useBitcoind } from '../../../test/setup/nodes.ts'
import { openBitcoinWorld, type BitcoinWorld } from '../adapters/chains/bitcoin/test-world.ts'
import { createCatalogue } from '../assets/index.ts'
import { bitcoinHotAddress } from '../outgoing/index.ts'
import { openCold, WALLET, type ColdWorld } from './test-world.ts'

const database = useDatabase({ template: migrated })
const BTC = 100_000_000n
const HOUR = 3_600_000
const FINAL = 7
const HOT = bitcoinHotAddress(WALLET)
const catalogue = createCatalogue({
  crypto: [{ ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: { decimals: 8, minDeposit: '0', minWithdrawal: '0' } } }],
  fiat: [],
})

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
  let vault: string

  beforeAll(async () => {
    node = await openBitcoinWorld(await startNode())
  }, 120_000)

  beforeEach(async () => {
    vault = await node.faucet<string>('getnewaddress')
    const treasury = { hot: { BTC: { cap: `${5n * BTC}`, target: `${2n * BTC}`, low: `${BTC}`, cold: vault } }, signWithinMs: HOUR }
    cold = await openCold({ url: database.url, network: 'BITCOIN', chain: node, catalogue, treasury })
    return () => cold.close()
  }, 60_000)

  /** What the hot address has on the chain from tests before is not in these books. */
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
    const { rows } = await sql<{ recorded: bigint; ledger: bigint }>`select (select sum(booked) from custody_addresses where asset = 'BTC') as recorded,
      (select -sum(posted) from ledger_accounts where asset = 'BTC' and kind = 'custody:BITCOIN') as ledger`.execute(cold.db)
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
    const fee = -(await cold.house('BTC', 'network-costs'))
    expect(fee).toBeGreaterThan(0n)
    expect(await books()).toBe(before - fee)
    await cold.offer()
    expect(await cold.transfers()).toEqual(['final'])
    // What lies in cold storage pays nobody here.
    const payout = await cold.request('BTC', await node.newAddress(), 3n * BTC)
    await cold.pay()
    expect(await cold.withdrawal(payout)).toBe('requested')
    const [line] = (await cold.reconcile()).lines
    expect(line).toMatchObject({ booked: before - fee, onChain: before - fee, short: 0n, surplus: 0n })
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
    const free = async (): Promise<number> => (await sql<{ n: number }>`select count(*) as n from utxos where reserved_by is null and spent_by is null`.execute(cold.db)).rows[0]!.n
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
    const capital = await cold.house('BTC', 'capital')
    const [coin] = await node.faucet<{ txid: string; vout: number }[]>('listunspent', 1, 9_999_999, [vault])
    const outputs = [{ [HOT]: '3' }, { [vault]: '1.9999' }]
    const raw = await node.faucet<string>('createrawtransaction', [{ txid: coin!.txid, vout: Number(coin!.vout) }], outputs)
    const { hex } = await node.faucet<{ hex: string }>('signrawtransactionwithwallet', raw)
    await node.node.rpc('sendrawtransaction', hex)
    await cold.mine(1)
    expect(await cold.custody(vault, 'BTC')).toBe(199_990_000n)
    expect(await cold.custody(HOT, 'BTC')).toBe(BTC / 2n + 3n * BTC)
    expect(await cold.house('BTC', 'network-costs')).toBe(-10_000n)
    await books()
    await node.reorg(1, [])
    await cold.catchUp()
    await cold.mine(FINAL)
    expect(await cold.house('BTC', 'network-costs')).toBe(-10_000n)
    expect(await cold.house('BTC', 'capital')).toBe(capital)
    await books()
  })
})
