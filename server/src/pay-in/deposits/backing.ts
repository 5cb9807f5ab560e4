import type { Head, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import { explainedAt } from '../../ledger/address-balances/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { formatUnits, rescale } from '../../platform/money/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { holdHeights, hasRead } from '../../chain/watcher/index.ts'
import type { DepositSettings } from './settings.ts'
import { settleDeposits } from './settling.ts'

/** An address with inner transfers in final blocks that have not been compared with its balance. */
export interface Unbacked {
  address: string
  asset: string
}

/** The balance of an address in one asset, in the chain's units. */
export interface HeldAt extends Unbacked {
  units: bigint
}

const OPEN = sql`d.state = 'pending' and d.index like 't:%' and d.balance_height is null and d.first_seed_decided is null`

/** Returns addresses with inner transfers to compare with their balance, one page in the order of addresses. */
export const unbackedOn = async (
  db: Db,
  network: Network,
  finalHeight: number,
  after: string,
  most: number,
): Promise<Unbacked[]> => {
  const { rows } = await sql<Unbacked>`select distinct d.address, d.asset from deposits d
    where d.network = ${network} and d.block_height <= ${finalHeight} and ${OPEN} and d.address > ${after}
    order by d.address, d.asset limit ${most}`.execute(db)
  return rows
}

/**
 * Makes inner transfers creditable if the address holds, at a final block, at least the balance in the books, these
 * transfers included. The others stay pending, with an alert. So nothing is credited if the node lists transfers that
 * did not happen, or if the reader misinterprets them.
 * @param at the final block of the balances
 */
export const backInner = async (
  tx: Tx,
  network: Network,
  at: Head,
  held: readonly HeldAt[],
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const heights = await holdHeights(tx, network)
  if (!heights) return noEffects
  if (!(await hasRead(tx, network, at))) return noEffects
  const explained = await explainedAt(tx, network, held, at.height)
  for (const [i, { address, asset, units }] of held.entries()) {
    const listed = settings.catalogue.findCrypto(asset)
    const on = listed?.networks.get(network)
    if (!listed || !on) continue
    const has = rescale(units, on.decimals, listed.scale)
    const subject = `${network}/${address}`
    if (has < explained[i]!) {
      const text =
        `${address} on ${network} holds ${formatUnits(has, listed.scale)} ${asset} at block ${at.height}, but should hold ${formatUnits(explained[i]!, listed.scale)} including the ` +
        `transfers of contracts that the node reports. Bursar does not credit these transfers. Compare the pending deposits of this address with another node`
      await raiseAlert(tx, { kind: 'deposit-not-held', subject, text, detail: { asset, height: at.height } }, moment)
      continue
    }
    await resolveAlert(tx, 'deposit-not-held', subject, moment.at)
    await sql`update deposits d set balance_height = ${at.height} where d.network = ${network} and d.address = ${address}
      and d.asset = ${asset} and d.block_height <= ${at.height} and ${OPEN}`.execute(tx)
  }
  return settleDeposits(tx, network, heights, settings, moment)
}
