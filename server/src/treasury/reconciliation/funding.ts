import {
  isEvmNetwork,
  SECOND_SEED,
  type Block,
  type ChainTransaction,
  type Network,
  type Transfer,
} from '@bursar/chainkit'
import { sql } from 'kysely'
import {
  coldAddressesAmong,
  familyOf,
  isFirstSeedStolen,
  ownAddressesAmong,
  ownerOf,
  type OwnAddress,
} from '../../chain/addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import {
  forgetRecent,
  isInner,
  onAccounts,
  opposite,
  suspendForgotten,
  unknownInner,
  type CustodyMove,
} from '../../ledger/address-balances/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { applyAll, PLATFORM, type Item } from '../../ledger/postings/index.ts'
import { formatUnits, rescale } from '../../platform/money/index.ts'
import { oursAmong, coldPayers } from '../../chain/transactions/index.ts'
import { raiseOrRenewAlert } from '../../platform/runtime/alerts.ts'
import { restoredAt } from '../../platform/runtime/installation.ts'
import { platformMoneyItem } from './postings.ts'

/** Depth below the final block at which moves are deleted: even a node that lags never asks for them again. */
const RECENT_BLOCKS = 10_000

interface Funding {
  transaction: string
  index: string
  asset: string
  address: string
  units: bigint
  suspense: boolean
}

/** How far block times may be ahead of a clock: Bitcoin's rules allow two hours. */
const STAMP_AHEAD_MS = 2 * 3_600_000

/**
 * Creates the subscriber for money that the platform's wallets receive from outside. It belongs to the owner: it is
 * recorded when it is seen, and posted as capital once its block is final. Our own change and transfers back from cold
 * storage are not money from outside. Receipts of forgotten addresses, and of blocks from the time that a restored copy
 * does not know, may have any owner: they are posted to suspense. So is coin that a call brought to a hot address of a
 * stolen seed, because it may be a deposit.
 */
export const createFunding = (catalogue: Catalogue) => ({
  block: async (tx: Tx, network: Network, block: Block, _moment: Moment): Promise<Effects> => {
    const targets = [...new Set(block.transactions.flatMap((t) => t.transfers.map((x) => x.to)))]
    const platform = await ownAddressesAmong(tx, familyOf(network), targets)
    if (platform.size === 0) return noEffects
    const arriving = block.transactions.filter((t) => t.transfers.some((x) => platform.has(x.to)))
    const fromCold = await coldSpenders(tx, network, arriving)
    const ours = await oursAmong(
      tx,
      network,
      arriving.map((t) => t.hash),
    )
    const moved = await movedAmongOurs(tx, network, arriving, platform)
    const restored = await restoredAt(tx)
    const isUnknown = restored !== null && block.time <= restored.getTime() + STAMP_AHEAD_MS
    const isStolen = isEvmNetwork(network) && (await isFirstSeedStolen(tx))
    /** Coin that a call brought to an old hot address: anyone may start the sweep of an old deposit address. */
    const isUntold = (index: string, { account, index: key }: OwnAddress): boolean =>
      isStolen && isInner({ index }) && account === 'hot' && key < SECOND_SEED
    const shown = arriving
      .filter(({ hash }) => !ours.has(hash))
      .flatMap(({ hash, transfers }) =>
        transfers
          .filter((x) => platform.has(x.to) && !fromCold(hash, x) && !moved(x))
          .flatMap(({ index, contract, to: address, units }): Funding[] => {
            const known = catalogue.byContract(network, contract)
            if (!known) return []
            const own = platform.get(address)!
            const suspense = isUnknown || own.account === 'forgotten' || isUntold(index, own)
            return [
              {
                transaction: hash,
                index,
                asset: known.asset.ticker,
                address,
                units: rescale(units, known.on.decimals, known.asset.scale),
                suspense,
              },
            ]
          }),
      )
    const moves: CustodyMove[] = []
    for (const { transaction, index, asset, address, units, suspense } of await withoutKnownInner(tx, network, shown)) {
      const { rows } =
        await sql`insert into fundings(network, transaction, index, asset, address, units, block_height, suspense)
        values (${network}, ${transaction}, ${index}, ${asset}, ${address}, ${units}, ${block.height}, ${suspense})
        on conflict (network, transaction, index) do nothing returning 1`.execute(tx)
      if (rows.length === 1) moves.push({ network, asset, address, units, height: block.height })
    }
    return { ...noEffects, moves: onAccounts(moves) }
  },

  orphaned: async (tx: Tx, network: Network, fromHeight: number, _moment: Moment): Promise<Effects> => {
    await forgetRecent(tx, network, { from: fromHeight })
    const { rows } =
      await sql<CustodyMove>`delete from fundings where network = ${network} and block_height >= ${fromHeight} and not booked
      returning network, asset, address, units, block_height as height`.execute(tx)
    return { ...noEffects, moves: opposite(onAccounts(rows)) }
  },

  settled: async (tx: Tx, network: Network, heights: { finalHeight: number }, moment: Moment): Promise<Effects> => {
    await forgetRecent(tx, network, { below: heights.finalHeight - RECENT_BLOCKS })
    const { rows } = await sql<Funding>`update fundings set booked = true
      where network = ${network} and not booked and block_height <= ${heights.finalHeight}
      returning transaction, index, asset, units, address, suspense`.execute(tx)
    const suspended = rows.filter(({ suspense }) => suspense)
    if (suspended.length > 0) await suspend(tx, network, suspended, catalogue, moment)
    return {
      items: rows.map(({ asset, units, suspense }) =>
        platformMoneyItem(network, { asset, units, is: suspense ? 'suspense' : 'capital' }, moment),
      ),
      notices: [],
    }
  },

  mempool: async (): Promise<Effects> => noEffects,
})

/** Drops inner transfers that are stored already, except for the excess over the stored sums. */
const withoutKnownInner = async (tx: Tx, network: Network, shown: readonly Funding[]): Promise<Funding[]> => {
  const inner = shown.filter(isInner)
  if (inner.length === 0) return [...shown]
  const { rows } = await sql<Funding>`select transaction, index, asset, address, units, suspense from fundings
    where network = ${network} and transaction = any(${inner.map(({ transaction }) => transaction)}::text[])`.execute(
    tx,
  )
  const wayOf = ({ transaction, asset, address }: Funding): string => `${transaction}/${asset}/${address}`
  return [...shown.filter((one) => !isInner(one)), ...unknownInner(inner, rows.filter(isInner), wayOf)]
}

/**
 * Marks receipts of forgotten addresses as unexplained, and raises an alert for each asset of receipts in suspense. If an address no longer
 * holds them, the reconciliation takes them out of suspense: they were swept, and the receiver has them in suspense.
 */
const suspend = async (
  tx: Tx,
  network: Network,
  fundings: readonly Funding[],
  catalogue: Catalogue,
  moment: Moment,
): Promise<void> => {
  await suspendForgotten(tx, network, familyOf(network), fundings)
  const isRestored = (await restoredAt(tx)) !== null
  for (const ticker of new Set(fundings.map(({ asset }) => asset))) {
    const {
      rows: [all],
    } = await sql<{ count: number; units: bigint }>`select count(*), coalesce(sum(units), 0) as units from fundings
      where network = ${network} and asset = ${ticker} and suspense and booked`.execute(tx)
    const { scale } = catalogue.findCrypto(ticker)!
    const { units, address, transaction } = fundings.findLast(({ asset }) => asset === ticker)!
    const arrived = `${formatUnits(all!.units, scale)} ${ticker} arrived on ${network} in ${all!.count} transfer(s)`
    const last = `and went to suspense, the last of them ${formatUnits(units, scale)} to ${address} (${transaction})`
    const text = !isRestored
      ? `${arrived} by calls of contracts at hot addresses of the stolen first seed, ${last}. They may be deposits that another party had swept: docs/operating/rotation.md`
      : `${arrived} that the restored database can't explain, ${last}. They are from the owner, sweeps of forgotten deposits, or deposits to forgotten addresses: docs/operating/recovery.md says how to distinguish them`
    await raiseOrRenewAlert(tx, { kind: 'restored-funding', subject: `${network}/${ticker}`, text }, moment)
  }
}

/**
 * Returns a test for transfers from cold addresses of ours: on Bitcoin by the coins that the transaction spends,
 * elsewhere by the sender.
 */
const coldSpenders = async (
  tx: Tx,
  network: Network,
  arriving: readonly ChainTransaction[],
): Promise<(hash: string, transfer: Transfer) => boolean> => {
  if (network === 'BITCOIN') {
    const spenders = await coldPayers(
      tx,
      arriving.map(({ hash }) => hash),
    )
    return (hash) => spenders.has(hash)
  }
  const senders = [...new Set(arriving.flatMap(({ transfers }) => transfers.flatMap(({ from }) => from)))]
  const cold = await coldAddressesAmong(tx, familyOf(network), senders)
  return (_, { from }) => from.some((address) => cold.has(address))
}

/**
 * Returns a test for transfers from our own addresses, which are not money from outside, whichever party sent the
 * transaction: anyone may start the sweep of an address that has delegated, and a restored copy does not know all of
 * our own transactions.
 */
const movedAmongOurs = async (
  tx: Tx,
  network: Network,
  arriving: Block['transactions'],
  platform: ReadonlyMap<string, unknown>,
): Promise<(transfer: Transfer) => boolean> => {
  if (network === 'BITCOIN') return () => false
  const senders = arriving.flatMap(({ transfers }) =>
    transfers.filter(({ to }) => platform.has(to)).flatMap(({ from }) => from),
  )
  const [owned, known] = [
    await ownerOf(tx, familyOf(network), [...new Set(senders)]),
    await ownAddressesAmong(tx, familyOf(network), [...new Set(senders)]),
  ]
  return ({ from }) => from.length === 1 && (owned.has(from[0]!) || known.has(from[0]!))
}

/**
 * Grants a merchant money of the owner, in the ledger only: from capital to the merchant through the clearing accounts
 * of both.
 * @param units ledger units of the asset
 */
export const grantCapital = async (
  tx: Tx,
  grant: { merchantId: string; asset: string; units: bigint },
  { at, newId }: Moment,
): Promise<void> => {
  const id = newId()
  const { merchantId, asset, units } = grant
  await sql`insert into capital_grants(id, merchant_id, asset, units, created_at) values (${id}, ${merchantId}, ${asset}, ${units}, ${at})`.execute(
    tx,
  )
  const transfer = (owner: string, kind: 'capital' | 'merchant', posted: bigint): Item => ({
    transfer: {
      id: newId(),
      merchantId: owner,
      kind: 'post',
      cause: { kind: 'adjustment', id },
      entries: [
        { account: { merchantId: owner, asset, kind }, posted, held: 0n },
        { account: { merchantId: owner, asset, kind: 'clearing' }, posted: -posted, held: 0n },
      ],
      at,
    },
  })
  await applyAll(tx, [transfer(PLATFORM, 'capital', -units), transfer(merchantId, 'merchant', units)])
}
