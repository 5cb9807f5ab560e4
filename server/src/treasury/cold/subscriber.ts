import { coldPayers } from '../../chain/transactions/index.ts'
import { NATIVE_TICKER, type Block, type ChainTransaction, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { coldAddressesAmong, familyOf } from '../../chain/addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { onAccounts, opposite, type CustodyMove } from '../../ledger/address-balances/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { PLATFORM, type Item } from '../../ledger/postings/index.ts'
import { rescale } from '../../platform/money/index.ts'

/** The network fee that a cold address paid for a transaction of the operator. */
interface ColdFee {
  transaction: string
  asset: string
  address: string
  /** ledger units */
  units: bigint
}

/**
 * Creates the subscriber for the operator's transactions from cold addresses. It posts their network fees as costs of
 * the platform. Transfers to other addresses of ours are handled like all moves between them. Transfers elsewhere stay
 * unexplained, and the comparison with the chain reports them.
 */
export const createColdSubscriber = (catalogue: Catalogue) => ({
  block: async (tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects> => {
    const fees = await feesOf(tx, network, block, catalogue)
    if (fees.length === 0) return noEffects
    const { rows } = await sql<ColdFee>`insert into cold_fees(network, transaction, asset, address, units, block_height)
      select ${network}, t, a, f, u, ${block.height} from unnest(${fees.map((s) => s.transaction)}::text[], ${fees.map((s) => s.asset)}::text[],
        ${fees.map((s) => s.address)}::text[], ${fees.map((s) => s.units.toString())}::numeric[]) x(t, a, f, u)
      on conflict do nothing returning transaction, asset, address, units`.execute(tx)
    return joinEffects(rows.map((fee) => effectsOf(network, fee, block.height, 'out', moment)))
  },

  orphaned: async (tx: Tx, network: Network, fromHeight: number, moment: Moment): Promise<Effects> => {
    const { rows } =
      await sql<ColdFee>`delete from cold_fees where network = ${network} and block_height >= ${fromHeight}
      returning transaction, asset, address, units`.execute(tx)
    return joinEffects(rows.map((fee) => effectsOf(network, fee, fromHeight, 'back', moment)))
  },

  settled: async (): Promise<Effects> => noEffects,
  mempool: async (): Promise<Effects> => noEffects,
})

const feesOf = async (tx: Tx, network: Network, block: Block, catalogue: Catalogue): Promise<ColdFee[]> => {
  const payers =
    network === 'BITCOIN'
      ? await coldPayers(
          tx,
          block.transactions.map(({ hash }) => hash),
        )
      : await accountPayers(tx, network, block)
  const native = catalogue.findCrypto(NATIVE_TICKER[network])
  const on = native?.networks.get(network)
  if (!native || !on) return []
  return block.transactions.flatMap(({ hash, fee }): ColdFee[] => {
    const address = payers.get(hash)
    if (address === undefined || fee === null || fee === 0n) return []
    return [{ transaction: hash, asset: native.ticker, address, units: rescale(fee, on.decimals, native.scale) }]
  })
}

const accountPayers = async (tx: Tx, network: Network, { transactions }: Block): Promise<Map<string, string>> => {
  const asked = transactions.map((one) => ({ hash: one.hash, payer: payerOf(network, one) }))
  const cold = await coldAddressesAmong(tx, familyOf(network), [...new Set(asked.flatMap(({ payer }) => payer ?? []))])
  return new Map(
    asked.flatMap(({ hash, payer }) => (payer !== undefined && cold.has(payer) ? [[hash, payer] as const] : [])),
  )
}

/**
 * Returns the sender, who pays the fee. On EVM chains a transaction's key is `ADDRESS:NONCE`. TRON names no payer, but
 * mostly it is the payment's sender.
 */
const payerOf = (network: Network, { keys, transfers, payer }: ChainTransaction): string | undefined =>
  network === 'TRON' ? (payer ?? transfers[0]?.from[0]) : keys[0]?.split(':')[0]

const effectsOf = (
  network: Network,
  fee: ColdFee,
  height: number,
  direction: 'out' | 'back',
  moment: Moment,
): Effects => {
  const moves: CustodyMove[] = [{ network, asset: fee.asset, address: fee.address, units: -fee.units, height }]
  return {
    items: [feeItem(network, fee, direction === 'out' ? 1n : -1n, moment)],
    notices: [],
    moves: onAccounts(direction === 'out' ? moves : opposite(moves)),
  }
}

const feeItem = (network: Network, { asset, units }: ColdFee, sign: bigint, { at, newId }: Moment): Item => {
  const id = newId()
  return {
    transfer: {
      id,
      merchantId: PLATFORM,
      kind: 'post',
      cause: { kind: 'adjustment', id },
      entries: [
        { account: { merchantId: PLATFORM, asset, kind: `custody:${network}` }, posted: sign * units, held: 0n },
        { account: { merchantId: PLATFORM, asset, kind: 'network-costs' }, posted: -sign * units, held: 0n },
      ],
      at,
    },
  }
}
