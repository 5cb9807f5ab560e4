import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, ownerOf } from '../../chain/addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { pairText } from '../../ledger/debts/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { balancesOf } from '../../ledger/postings/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { isSum, type Deposit } from './deposit.ts'
import { notifySubscribers } from './subscribers.ts'
import { openDeposits } from './opening.ts'
import type { DepositSettings } from './settings.ts'
import { moveWhere, type Moved } from './store.ts'

/** A deposit below the minimum, in suspense. */
interface Part {
  id: string
  transaction: string
  senders: string[]
  sendersOmitted: boolean
  units: bigint
  height: number
  hash: string
}

type Place = Pick<Deposit, 'merchantId' | 'asset' | 'address'>

const LOST_SUM = sql`d.index like 's:%' and d.block_height is null`
const PARTS = sql`from deposits p where p.merchant_id = d.merchant_id and p.summed_in = d.id`

/**
 * Opens a deposit for the sum of small deposits of one asset at one address, once the sum reaches the minimum. It takes
 * their money out of suspense, and is as deep as the last of them. It is lost, and mined again, together with that one.
 * If one of them fails, it fails too, and the others are summed again.
 * @param suspended deposits that have just moved to suspense
 * @param ended deposits that have just failed
 */
export const addUpSmall = async (
  tx: Tx,
  network: Network,
  { suspended, ended }: { suspended: readonly Moved[]; ended: readonly Moved[] },
  settings: DepositSettings,
  moment: Moment,
): Promise<{ effects: Effects; failed: Moved[] }> => {
  const mined = await moveWhere(
    tx,
    'mined',
    sql`d.network = ${network} and d.state in ('pending', 'orphaned') and ${LOST_SUM} and not exists (select ${PARTS} and p.state <> 'suspended')`,
    sql`gone_at = null, (block_height, block_hash, credit_height) = (select p.block_height, p.block_hash, p.block_height ${PARTS} order by p.block_height desc, p.id limit 1)`,
    moment.at,
  )
  // The time that an invoice's payment may spend in no block is limited for such a deposit, too.
  const { effects: reaction } = await notifySubscribers(
    tx,
    settings.depositSubscribers,
    mined.map(({ deposit }) => ({ deposit, became: 'mined' as const, at: moment.at })),
    moment,
  )
  const failed = await moveWhere(
    tx,
    'replaced',
    sql`d.network = ${network} and d.state in ('pending', 'orphaned') and ${LOST_SUM} and exists (select ${PARTS} and p.state = 'failed')`,
    sql`told = 'Failed', fail_reason = 'REORGANIZED'`,
    moment.at,
  )
  const free = await freeParts(tx, [...failed, ...ended].map(({ deposit }) => deposit).filter(isSum))
  const small = suspended
    .map(({ deposit }) => deposit)
    .filter(({ failReason }) => failReason === 'LESS_THEN_MIN_AMOUNT')
  const places = new Map([...small, ...free].map((place) => [`${place.asset}/${place.address}`, place]))
  const effects: Effects[] = [reaction]
  for (const place of places.values()) effects.push(await openSum(tx, network, place, settings, moment))
  return { effects: joinEffects(effects), failed }
}

/** Releases the parts of failed sums, to be summed again. */
const freeParts = async (tx: Tx, sums: readonly Deposit[]): Promise<Place[]> => {
  if (sums.length === 0) return []
  const { rows } = await sql<Place>`update deposits p set summed_in = null
    from unnest(${sums.map(({ merchantId }) => merchantId)}::uuid[], ${sums.map(({ id }) => id)}::uuid[]) u(m, i)
    where p.merchant_id = u.m and p.summed_in = u.i returning p.merchant_id as "merchantId", p.asset, p.address`.execute(
    tx,
  )
  return rows
}

const openSum = async (
  tx: Tx,
  network: Network,
  place: Place,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const asset = settings.catalogue.findCrypto(place.asset)
  const on = asset?.networks.get(network)
  const owner = (await ownerOf(tx, familyOf(network), [place.address])).get(place.address)
  if (!asset || !on || !owner) return noEffects
  const { rows: parts } =
    await sql<Part>`select id, transaction, senders, senders_omitted as "sendersOmitted", units, block_height as height, block_hash as hash from deposits
    where network = ${network} and address = ${place.address} and asset = ${place.asset} and merchant_id = ${place.merchantId}
      and state = 'suspended' and fail_reason = 'LESS_THEN_MIN_AMOUNT' and summed_in is null and not internal
      and block_height is not null and block_hash is not null
    order by block_height, id`.execute(tx)
  const units = parts.reduce((sum, part) => sum + part.units, 0n)
  const last = parts.at(-1)
  if (!last || parts.length < 2 || units < on.minDeposit) return noEffects
  const index = `s:${moment.newId()}`
  const block = { height: last.height, hash: last.hash }
  const senders = [...new Set(parts.flatMap((part) => part.senders))]
  const sendersOmitted = parts.some((part) => part.sendersOmitted)
  const arrival = {
    owner,
    asset,
    on,
    units,
    transaction: last.transaction,
    index,
    keys: [],
    senders,
    sendersOmitted,
    block,
    creditHeight: last.height,
  }
  const effects = await openDeposits(tx, network, [arrival], moment.at, settings, moment)
  await sql`update deposits p set summed_in = s.id from deposits s
    where s.network = ${network} and s.transaction = ${last.transaction} and s.index = ${index}
      and p.merchant_id = s.merchant_id and p.id = any(${parts.map(({ id }) => id)}::uuid[])`.execute(tx)
  return effects
}

/**
 * Returns the sums that are deep enough and covered by the money in suspense, and so may be credited. If an operator
 * has posted money out of suspense meanwhile, the sums that it no longer covers wait, with an alert.
 */
export const coveredSums = async (tx: Tx, network: Network, headHeight: number, moment: Moment): Promise<string[]> => {
  const { rows } = await sql<
    Pick<Deposit, 'merchantId' | 'id' | 'asset' | 'units'>
  >`select merchant_id as "merchantId", id, asset, units from deposits
    where network = ${network} and state = 'pending' and block_height <= ${headHeight} and index like 's:%' order by created_at, id`.execute(
    tx,
  )
  if (rows.length === 0) return []
  // Not locked, because the code that follows locks invoices before accounts: if an operator's posting comes first, the
  // ledger refuses and everything is retried.
  const left = new Map(
    (await balancesOf(tx, 'suspense', rows)).map((account) => [pairText(account), account.posted - account.held]),
  )
  const covered: string[] = []
  for (const { id, units, ...pair } of rows) {
    const suspense = left.get(pairText(pair))!
    if (suspense < units) {
      const text =
        `Deposits below the minimum of merchant ${pair.merchantId} add up to deposit ${id} of ${pair.asset}, but suspense holds less: ` +
        `the money was posted elsewhere. Post it back to suspense by \`bursar adjust\` (docs/operating/adjustments.md): then the deposit is credited`
      await raiseAlert(tx, { kind: 'small-deposits-short', subject: id, text }, moment)
      continue
    }
    await resolveAlert(tx, 'small-deposits-short', id, moment.at)
    left.set(pairText(pair), suspense - units)
    covered.push(id)
  }
  return covered
}
