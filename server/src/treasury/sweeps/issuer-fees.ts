import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { PLATFORM, type Item } from '../../ledger/postings/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'

/** A transfer of a token within a transaction. Ledger units. */
interface Moved {
  transaction: string
  asset: string
  from: string
  units: bigint
}

/**
 * A fee is at most this fraction of the received amount. Anything larger is missing money, which the comparison with
 * the chain finds. Tether's contract (`setParams` of TetherToken.sol) allows less than 20 basis points.
 */
const SMALLEST_SHARE = 100n

const wayOf = ({ transaction, asset, from }: Moved): string => `${transaction}/${asset}/${from}`

const sumsOf = (transfers: readonly Moved[]): Map<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const one of transfers) sums.set(wayOf(one), (sums.get(wayOf(one)) ?? 0n) + one.units)
  return sums
}

/**
 * Returns the transfers to foreign addresses that are an issuer's fee of a transfer between two addresses of ours: same
 * transaction, token and sender, and small in comparison. TetherToken.sol emits a `Transfer` to its owner for the fee.
 */
export const feesAmong = <T extends Moved>(inside: readonly Moved[], outside: readonly T[]): T[] => {
  const [arrived, left] = [sumsOf(inside), sumsOf(outside)]
  return outside.filter((one) => left.get(wayOf(one))! * SMALLEST_SHARE <= (arrived.get(wayOf(one)) ?? 0n))
}

/**
 * Returns postings of fees as costs of the platform, or their reversal when the block is lost.
 * @param outgoingOf our transactions by hash; a sweep that another party started has none
 */
export const feeItems = (
  network: Network,
  fees: readonly Moved[],
  outgoingOf: ReadonlyMap<string, { outgoingId: string }>,
  direction: 'out' | 'back',
  { at, newId }: Moment,
): Item[] =>
  fees.map(({ transaction, asset, units }) => {
    const posted = direction === 'out' ? units : -units
    const account = (kind: `custody:${typeof network}` | 'network-costs') => ({ merchantId: PLATFORM, asset, kind })
    return {
      transfer: {
        id: newId(),
        merchantId: PLATFORM,
        kind: 'post',
        cause: { kind: 'outgoing', id: outgoingOf.get(transaction)?.outgoingId ?? newId() },
        entries: [
          { account: account(`custody:${network}`), posted, held: 0n },
          { account: account('network-costs'), posted: -posted, held: 0n },
        ],
        at,
      },
    }
  })

/** Raises an alert for each token, even if the contract's change of its terms was never seen. */
export const alertFees = async (tx: Tx, network: Network, fees: readonly Moved[], moment: Moment): Promise<void> => {
  for (const asset of new Set(fees.map((fee) => fee.asset))) {
    const text = `The issuer of ${asset} takes a fee of transfers on ${network}: sweeps cost it, and receivers get less than withdrawals say. See docs/operating/chain-trouble.md`
    await raiseAlert(tx, { kind: 'issuer-fee', subject: `${network}/${asset}`, text }, moment)
  }
}
