import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, ownerOf, replenish } from '../../chain/addresses/index.ts'
import { chargeOf } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, type Effects } from '../../ledger/effects/index.ts'
import { consequencesOf } from './consequences.ts'

import { notifySubscribers } from './subscribers.ts'
import { depositNotice } from './notice.ts'
import type { DepositSettings } from './settings.ts'
import { insertDeposits, moveWhere, type NewDeposit } from './store.ts'

/** The receiver's view of a withdrawal to one of our deposit addresses. */
export interface InternalTransfer {
  /** of the withdrawal */
  id: string
  ticker: string
  blockchain: Network
  /** one of our deposit addresses, in canonical form */
  to: string
  /** ledger units that the receiver gets */
  units: bigint
}

const isHolding = async (tx: Tx, merchantId: string, { holds }: DepositSettings): Promise<boolean> => {
  if (holds === undefined) return false
  const { rows } = await sql<{ held: boolean }>`select (${holds(sql`${merchantId}::uuid`)}) as held`.execute(tx)
  return rows[0]!.held
}

/** Puts an internal deposit into quarantine until it is screened, like any other. */
const hold = async (tx: Tx, deposit: NewDeposit, settings: DepositSettings, moment: Moment): Promise<Effects> => {
  const { effects, unnotified } = await notifySubscribers(
    tx,
    settings.depositSubscribers,
    [{ deposit, became: 'sighted', at: moment.at }],
    moment,
  )
  const notices = unnotified.has(deposit.id) ? [] : [depositNotice(deposit, settings.catalogue)]
  const moved = await moveWhere(
    tx,
    'withheld',
    sql`d.merchant_id = ${deposit.merchantId} and d.id = ${deposit.id}`,
    sql`hold_until_verified = true`,
    moment.at,
  )
  return joinEffects([{ items: [], notices }, effects, await consequencesOf(tx, 'withheld', moved, settings, moment)])
}

/**
 * Receives an internal transfer as a deposit, which is credited at once and notified once, as Done; or held, like any
 * other deposit. The posting takes the amount from the receiver's `clearing`, to which the sender's posting in the same
 * transaction must add it. The deposit fee is charged as usual. There is no minimum, because nothing has to be swept.
 * @returns effects to carry out together with the sender's
 */
export const receiveInternal = async (
  tx: Tx,
  transfer: InternalTransfer,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const { id, ticker, blockchain, to, units } = transfer
  const owner = (await ownerOf(tx, familyOf(blockchain), [to])).get(to)
  const on = settings.catalogue.findCrypto(ticker)?.networks.get(blockchain)
  if (!owner || !on) throw new Error(`withdrawal ${id} is not internal: ${ticker} on ${blockchain} to ${to}`)
  const held = await isHolding(tx, owner.merchantId, settings)
  const deposit: NewDeposit = {
    merchantId: owner.merchantId,
    id: moment.newId(),
    network: blockchain,
    asset: ticker,
    transaction: id,
    index: 'internal',
    address: to,
    addressId: owner.addressId,
    senders: [],
    units,
    fee: chargeOf(on.depositFee, units, units),
    ...(held
      ? ({ state: 'pending', notified: 'Pending' } as const)
      : ({ state: 'credited', notified: 'Done' } as const)),
    compliance: null,
    failReason: null,
    blockHeight: null,
    blockHash: null,
    creditHeight: null,
    keys: [],
    internal: true,
    late: owner.leasedUntil !== null && owner.leasedUntil <= moment.at,
    meta: owner.meta,
    createdAt: moment.at,
  }
  const stored = await insertDeposits(tx, [deposit])
  if (stored.size === 0) throw new Error(`withdrawal ${id} was received before`)
  await replenish(tx, [deposit], moment.at)
  if (held) return hold(tx, deposit, settings, moment)
  const before = { state: 'pending', notified: 'Pending' } as const
  return consequencesOf(tx, 'confirmed', [{ deposit, before }], settings, moment)
}
