import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { isOpenToFirstSeed } from '../../chain/transactions/index.ts'
import { joinEffects, type Effects } from '../../ledger/effects/index.ts'
import { opposite } from '../../ledger/address-balances/index.ts'
import { consequencesOf } from './consequences.ts'
import { brought } from './custody.ts'
import { isUndecided } from './first-seed.ts'
import type { DepositSettings } from './settings.ts'
import { addUpSmall, coveredSums } from './small.ts'
import { moveWhere } from './store.ts'
import { clearConflicts } from './unmined.ts'

/**
 * Moves waiting deposits: those deep enough, those that can never be mined any more, and those that have been gone for
 * too long. An inner transfer also waits until a balance confirms it or an operator has decided about it, a coin of a
 * replaced seed until it is moved, and a deposit at a stolen seed of EVM chains until an operator decides.
 */
export const settleDeposits = async (
  tx: Tx,
  network: Network,
  { headHeight, finalHeight }: { headHeight: number; finalHeight: number },
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const { at } = moment
  const deep = sql`d.network = ${network} and d.block_height <= ${headHeight}
    and (d.credit_height <= ${headHeight} or (d.credit_height is null and d.block_height <= ${finalHeight}))
    and (d.index not like 't:%' or d.balance_height is not null or d.first_seed_decided is not null)
    and (d.network <> 'BITCOIN' or not ${isOpenToFirstSeed(sql`d.transaction`, sql`d.index`, finalHeight)})
    and (d.index not like 's:%' or d.id = any(${await coveredSums(tx, network, headHeight, moment)}::uuid[]))`
  const undecided = isEvmNetwork(network) ? isUndecided(sql`d`) : sql<boolean>`false`
  const withheld = await moveWhere(
    tx,
    'withheld',
    sql`${deep} and ${isWithheld(settings)} and not ${undecided}`,
    sql`hold_until_verified = true`,
    at,
  )
  const confirmed = await moveWhere(
    tx,
    'confirmed',
    sql`${deep} and d.fail_reason is null and not ${isWithheld(settings)} and not ${undecided}`,
    sql`told = case when d.told = 'Verified' then d.told else 'Done' end`,
    at,
  )
  const refused = await moveWhere(
    tx,
    'refused',
    sql`${deep} and d.fail_reason <> 'AML_REJECTED' and d.index not like 's:%'`,
    sql`told = 'Failed'`,
    at,
  )
  // A sum that an operator has refused (`first-seed.ts`): the money of its parts stays in suspense.
  const refusedSums = await moveWhere(
    tx,
    'replaced',
    sql`${deep} and d.fail_reason <> 'AML_REJECTED' and d.index like 's:%'`,
    sql`told = 'Failed'`,
    at,
  )

  const unmined = sql`d.network = ${network} and d.block_height is null`
  // The reason that the merchant was notified of first remains the reason.
  const failed = (reason: ReturnType<typeof sql>) =>
    sql`told = 'Failed', fail_reason = case when d.told = 'Failed' then d.fail_reason else ${reason} end`
  const replaced = await moveWhere(
    tx,
    'replaced',
    sql`${unmined} and d.conflict_height <= ${finalHeight}`,
    // The conflicting transaction is the deposit's own: mined again on another branch, with another result.
    failed(sql`case when d.conflict_transaction = d.transaction then 'REORGANIZED' else 'TRANSACTION_REPLACED' end`),
    at,
  )
  const cutoff = new Date(at.getTime() - settings.policy[network].goneAfterMs)
  const gone = sql`${unmined} and d.conflict_height is null and d.gone_at <= ${cutoff}`
  const lost = await moveWhere(tx, 'lost', gone, failed(sql`'REORGANIZED'`), at)

  const sums = await addUpSmall(tx, network, { suspended: refused, ended: [...replaced, ...lost] }, settings, moment)
  return joinEffects([
    sums.effects,
    await consequencesOf(tx, 'withheld', withheld, settings, moment),
    await consequencesOf(tx, 'confirmed', confirmed, settings, moment),
    await consequencesOf(tx, 'refused', refused, settings, moment),
    await consequencesOf(tx, 'replaced', [...replaced, ...refusedSums, ...sums.failed], settings, moment),
    await consequencesOf(tx, 'lost', lost, settings, moment),
  ])
}

/**
 * Whether a deposit `d` that is deep enough must wait for screening. A deposit that was held once waits until screening
 * clears it, even if the merchant's setting has changed since. A deposit whose merchant was notified of Done is
 * credited again without waiting.
 */
const isWithheld = ({
  holds = () => sql`false`,
}: DepositSettings): RawBuilder<boolean> => sql`((d.fail_reason is null or d.fail_reason = 'AML_REJECTED')
  and d.told in ('Pending', 'Failed') and (d.hold_until_verified or ${holds(sql`d.merchant_id`)}))`

/** Handles the loss of all blocks from a height: their deposits wait again, and their postings are reversed. */
export const orphanDeposits = async (
  tx: Tx,
  network: Network,
  fromHeight: number,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  await clearConflicts(tx, network, fromHeight)
  const moved = await moveWhere(
    tx,
    'reorganized',
    sql`d.network = ${network} and d.block_height >= ${fromHeight}`,
    sql`block_height = null, block_hash = null, credit_height = null, balance_height = null, gone_at = ${moment.at}, first_seed_decided = null`,
    moment.at,
  )
  const moves = opposite(brought(moved.map(({ deposit }) => deposit)))
  return { ...(await consequencesOf(tx, 'reorganized', moved, settings, moment)), moves }
}
