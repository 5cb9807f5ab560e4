import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { onAccounts } from '../../ledger/address-balances/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { mergeEntries, type Item } from '../../ledger/postings/index.ts'
import { allocate, rescale } from '../../platform/money/index.ts'
import type { Outgoing, OutgoingChange } from './transaction.ts'

/** Converts native units of a network's coin to ledger units. */
export const nativeLedgerUnits = (catalogue: Catalogue, network: Network, units: bigint): bigint => {
  const native = catalogue.findCrypto(NATIVE_TICKER[network])
  const on = native?.networks.get(network)
  if (!native || !on) throw new Error(`the catalogue lacks ${NATIVE_TICKER[network]}, in which ${network} is paid`)
  return rescale(units, on.decimals, native.scale)
}

/** Returns the network fee in ledger units of the coin; 0 before the transaction is mined. */
export const feeInLedgerUnits = (catalogue: Catalogue, { network, networkFee }: Outgoing): bigint =>
  nativeLedgerUnits(catalogue, network, networkFee ?? 0n)

/**
 * Returns the postings of the cost of a transaction without a payment. When it is mined, the fee leaves the custody of
 * the sender and is charged to `payers`, split evenly to the last unit. When its block is lost, exactly that is
 * reversed.
 * @param payers merchants, or the platform; one entry for each part in it
 */
export const ownCosts = (
  catalogue: Catalogue,
  { event, outgoing }: OutgoingChange,
  payers: readonly string[],
  moment: Moment,
): Effects => {
  if (event !== 'mined' && event !== 'reorganized') return noEffects
  const fee = feeInLedgerUnits(catalogue, outgoing)
  const sign = event === 'mined' ? 1n : -1n
  const sums = new Map<string, bigint>()
  for (const [i, share] of allocate(
    fee,
    payers.map(() => 1n),
  ).entries())
    sums.set(payers[i]!, (sums.get(payers[i]!) ?? 0n) + share)
  const { network, senders, minedHeight: height } = outgoing
  return {
    items: [...sums]
      .filter(([, share]) => share > 0n)
      .map(([merchantId, share]) => costItem(outgoing, merchantId, sign * share, moment)),
    notices: [],
    moves: onAccounts([{ network, asset: NATIVE_TICKER[network], address: senders[0]!, units: -sign * fee, height }]),
  }
}

const costItem = ({ id, network }: Outgoing, merchantId: string, units: bigint, { at, newId }: Moment): Item => {
  const account = (kind: `custody:${typeof network}` | 'network-costs') => ({
    merchantId,
    asset: NATIVE_TICKER[network],
    kind,
  })
  return {
    transfer: {
      id: newId(),
      merchantId,
      kind: 'post',
      cause: { kind: 'outgoing', id },
      entries: mergeEntries([
        { account: account(`custody:${network}`), posted: units, held: 0n },
        { account: account('network-costs'), posted: -units, held: 0n },
      ]),
      at,
    },
  }
}
