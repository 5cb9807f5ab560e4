import type { Block, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, ownAddressesAmong, ownerOf } from '../../chain/addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { isInner, opposite, unknownInner, type CustodyMove } from '../../ledger/address-balances/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { rescale } from '../../platform/money/index.ts'
import { oursAmong, payoutsAmong } from '../../chain/transactions/index.ts'
import { feeItems, feesAmong, alertFees } from './issuer-fees.ts'

interface OwnTransfer {
  index: string
  transaction: string
  asset: string
  from: string
  /** null when it is also a deposit, which posts the receiver's increase, and when it is a fee */
  to: string | null
  units: bigint
  /** the token's issuer took it from a transfer between addresses of ours */
  isFee: boolean
}

/**
 * Creates the subscriber for moves between addresses of ours. It uses the transfers that a block shows, not the plan:
 * an address may have received more meanwhile, or may still have the amount that its token refused to move.
 */
export const createSweepSubscriber = (catalogue: Catalogue) => ({
  block: async (tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects> => {
    if (network === 'BITCOIN') return noEffects
    const transfers = await withoutKnownInner(tx, network, await between(tx, network, block, catalogue))
    if (transfers.length === 0) return noEffects
    const column = (of: (t: OwnTransfer) => string | null): (string | null)[] => transfers.map(of)
    const { rows } =
      await sql<OwnTransfer>`insert into house_transfers(network, transaction, index, asset, from_address, to_address, units, issuer_fee, block_height)
      select ${network}, t, i, a, f, r, u, e, ${block.height} from unnest(${column((t) => t.transaction)}::text[], ${column((t) => t.index)}::text[],
        ${column((t) => t.asset)}::text[], ${column((t) => t.from)}::text[], ${column((t) => t.to)}::text[],
        ${column((t) => t.units.toString())}::numeric[], ${transfers.map((t) => t.isFee)}::boolean[]) x(t, i, a, f, r, u, e)
      on conflict do nothing returning ${STORED}`.execute(tx)
    await alertFees(
      tx,
      network,
      rows.filter(({ isFee }) => isFee),
      moment,
    )
    return effectsOf(tx, network, rows, 'out', block.height, moment)
  },

  orphaned: async (tx: Tx, network: Network, fromHeight: number, moment: Moment): Promise<Effects> => {
    const { rows } =
      await sql<OwnTransfer>`delete from house_transfers where network = ${network} and block_height >= ${fromHeight}
      returning ${STORED}`.execute(tx)
    return effectsOf(tx, network, rows, 'back', fromHeight, moment)
  },

  settled: async (): Promise<Effects> => noEffects,
  mempool: async (): Promise<Effects> => noEffects,
})

const STORED = sql.raw(
  'transaction, index, asset, from_address as "from", to_address as "to", units, issuer_fee as "isFee"',
)

const effectsOf = async (
  tx: Tx,
  network: Network,
  transfers: readonly OwnTransfer[],
  direction: 'out' | 'back',
  height: number,
  moment: Moment,
): Promise<Effects> => {
  const fees = transfers.filter(({ isFee }) => isFee)
  const ours = await oursAmong(
    tx,
    network,
    fees.map(({ transaction }) => transaction),
  )
  const moves = movesOf(network, transfers, height)
  return {
    ...noEffects,
    items: feeItems(network, fees, ours, direction, moment),
    moves: direction === 'out' ? moves : opposite(moves),
  }
}

/**
 * Returns transfers between our own addresses, and the fees that issuers took from them. Not only in our own
 * transactions: anyone may start the sweep of an address that has delegated.
 */
const between = async (tx: Tx, network: Network, block: Block, catalogue: Catalogue): Promise<OwnTransfer[]> => {
  const all = block.transactions.flatMap(({ hash, transfers }) =>
    transfers.map((transfer) => ({ ...transfer, transaction: hash })),
  )
  const platform = await ownAddressesAmong(tx, familyOf(network), [
    ...new Set(all.flatMap(({ from, to }) => [...from, to])),
  ])
  const seen = all.filter(
    ({ from, to }) => from.length === 1 && from[0] !== to && (platform.has(to) || platform.has(from[0]!)),
  )
  if (seen.length === 0) return []
  const others = [...new Set(seen.flatMap(({ from, to }) => [from[0]!, to]))].filter(
    (address) => !platform.has(address),
  )
  const deposits = await ownerOf(tx, familyOf(network), others)
  const isOurs = (address: string): boolean => platform.has(address) || deposits.has(address)
  const ours = await oursAmong(tx, network, [...new Set(seen.map(({ transaction }) => transaction))])
  const read = (transfers: typeof all): OwnTransfer[] =>
    transfers.flatMap(({ transaction, index, contract, from: [from], to, units }) => {
      const listed = catalogue.byContract(network, contract)
      if (!listed || units === 0n) return []
      const isDeposit = deposits.has(to) && !ours.has(transaction) && platform.get(from!)?.account === 'cold'
      return [
        {
          transaction,
          index,
          asset: listed.asset.ticker,
          from: from!,
          to: isDeposit ? null : to,
          units: rescale(units, listed.on.decimals, listed.asset.scale),
          isFee: false,
        },
      ]
    })
  const inside = read(seen.filter(({ from, to }) => isOurs(from[0]!) && isOurs(to)))
  const senders = new Set(inside.map(({ transaction, from }) => `${transaction}/${from}`))
  const outside = read(
    all.filter(
      ({ transaction, contract, from, to }) =>
        contract !== null && from.length === 1 && senders.has(`${transaction}/${from[0]}`) && !isOurs(to),
    ),
  )
  const fees = feesAmong(inside, outside)
  const payouts = await payoutsAmong(
    tx,
    fees.flatMap(({ transaction }) => ours.get(transaction)?.outgoingId ?? []),
  )
  return [
    ...inside,
    ...fees
      .filter(({ transaction }) => !payouts.has(ours.get(transaction)?.outgoingId ?? ''))
      .map((fee) => ({ ...fee, to: null, isFee: true })),
  ]
}

/** Drops inner transfers that are stored already, except for the excess over the stored sums. */
const withoutKnownInner = async (tx: Tx, network: Network, shown: readonly OwnTransfer[]): Promise<OwnTransfer[]> => {
  const inner = shown.filter(isInner)
  if (inner.length === 0) return [...shown]
  const { rows } = await sql<OwnTransfer>`select ${STORED} from house_transfers
    where network = ${network} and transaction = any(${inner.map(({ transaction }) => transaction)}::text[])`.execute(
    tx,
  )
  const wayOf = ({ transaction, asset, from, to }: OwnTransfer): string =>
    `${transaction}/${asset}/${from}/${to ?? 'a deposit'}`
  return [...shown.filter((one) => !isInner(one)), ...unknownInner(inner, rows.filter(isInner), wayOf)]
}

const movesOf = (network: Network, transfers: readonly OwnTransfer[], height: number): CustodyMove[] =>
  transfers.flatMap(({ asset, from, to, units }) => [
    { network, asset, address: from, units: -units, height },
    ...(to === null ? [] : [{ network, asset, address: to, units, height }]),
  ])
