import { isFinalPast } from '../../chain/watcher/index.ts'
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { TronChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { rescale } from '../../platform/money/index.ts'
import {
  evmHotKeys,
  insertPlanned,
  lockNextNonce,
  paymentCall,
  planEvm,
  readOffered,
  takeNonce,
  withdrawOffer,
  type Attempt,
  type HotKey,
} from '../../chain/transactions/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { excessOf, inLedgerUnits, positionsOf, type HotLimits, type Position } from '../reconciliation/index.ts'
import { OFFER_ALERT, offerTransfer } from './commands.ts'
import { freeAt } from './free.ts'
import { onChainUnits, planTransfer } from './jobs-plan.ts'
import type { ColdDeps, Wanted } from './plan.ts'
import { assetsUnderWay, forgetPrevious, listOffered, noteEnd, noteOvertaken } from './store.ts'
import type { ColdTransfer } from './transfer.ts'

/**
 * Offers a transfer to cold storage for every asset of a network that is above its cap, one at a time for each asset,
 * and ends offers that were not signed in time.
 */
export const createColdJob = (deps: ColdDeps, everyMs: number): Job => ({
  name: `cold storage ${deps.network}`,
  everyMs,
  run: async () => {
    await endOffers(deps)
    if (deps.network === 'BITCOIN') await forgetPrevious(deps.runtime.db)
    if (isEvmNetwork(deps.network)) await fillBefore(deps, deps.network)
    const underWay = await assetsUnderWay(deps.runtime.db, deps.network)
    for (const position of await positionsOf(deps.runtime.db, deps.catalogue, deps.network)) {
      const limits = deps.treasury.hot.get(position.ticker)
      if (limits) await judge(deps, position, limits, underWay.has(position.ticker))
    }
    return false
  },
})

const judge = async (deps: ColdDeps, position: Position, given: HotLimits, isUnderWay: boolean): Promise<void> => {
  const { runtime, catalogue, network } = deps
  const { ticker } = position
  const limits = inLedgerUnits(catalogue, network, ticker, given)
  const subject = `${network}/${ticker}`
  const above = excessOf(position, limits)
  const from = isEvmNetwork(network) && above > 0n ? await richestKeyOf(deps, ticker) : undefined
  // One address sends, and keeps its share of the target; the excess of others goes with the next transfer.
  const movable = from ? from.free - limits.target / BigInt(deps.sending.hotAddresses) : above
  const excess = movable <= 0n ? 0n : onChainUnits(deps, ticker, movable < above ? movable : above)
  const trouble =
    excess === 0n || isUnderWay || limits.cold === null
      ? undefined
      : await offer(deps, {
          ticker,
          units: excess,
          reserved: given.low + onChainUnits(deps, ticker, position.waiting),
          slack: given.slack,
          above: onChainUnits(deps, ticker, above),
          to: limits.cold,
          ...(from && { from: from.key }),
        })
  if (trouble === undefined) return resolveAlert(runtime.db, 'cold-impossible', subject, momentOf(runtime).at)
  const text = `The hot wallet on ${network} holds too much ${ticker}, and no transfer to cold storage can be made: ${trouble}`
  await raiseOrRenewAlert(runtime.db, { kind: 'cold-impossible', subject, text }, momentOf(runtime))
}

/** Returns the hot address with the most free units of an asset (`freeAt`), and these units. */
const richestKeyOf = async (deps: ColdDeps, ticker: string): Promise<{ key: HotKey; free: bigint }> => {
  const { runtime, wallet, sending } = deps
  const keys = evmHotKeys(wallet, sending.hotAddresses)
  const all: { key: HotKey; free: bigint }[] = []
  for (const key of keys) all.push({ key, free: await freeAt(runtime.db, deps, ticker, key.address) })
  return all.reduce((richest, one) => (one.free > richest.free ? one : richest))
}

/** Offers a transfer. @returns the reason when that is impossible */
const offer = async (deps: ColdDeps, given: Omit<Wanted, 'id'>): Promise<string | undefined> => {
  const { ticker, to } = given
  const { runtime, network, catalogue, treasury } = deps
  const theirs = await deps.signersCold(ticker)
  if (theirs !== to) return `the policy here says ${to}, the signer's ${theirs ?? 'nothing'}`
  const wanted = { ...given, id: runtime.newId() }
  const plan = await planTransfer(deps, wanted)
  if (plan === undefined || typeof plan === 'string') return plan
  await deps.pause('cold-planned')
  const asset = catalogue.findCrypto(ticker)!
  const moment = momentOf(runtime)
  const ledger = rescale(plan.units, asset.networks.get(network)!.decimals, asset.scale)
  const expiresAt = new Date(moment.at.getTime() + treasury.signWithinMs)
  class Taken extends Error {}
  await inTransaction(runtime.db, async (tx) => {
    // Another worker may have made the same offer meanwhile.
    await sql`select pg_advisory_xact_lock(hashtext(${`cold ${network}`}))`.execute(tx)
    if ((await assetsUnderWay(tx, network)).has(ticker)) throw new Taken()
    const offered = await offerTransfer(tx, { wanted, plan, network, units: ledger, expiresAt }, asset.scale, moment)
    if (!offered) throw new Taken()
  }).catch((error: unknown) => {
    if (!(error instanceof Taken)) throw error
  })
  return undefined
}

/** Ends offers that are too old or were cancelled, and those whose coins or nonce a payout has taken. */
const endOffers = async (deps: ColdDeps): Promise<void> => {
  const { runtime, network } = deps
  const { at } = momentOf(runtime)
  for (const id of await noteOvertaken(runtime.db, network)) await resolveAlert(runtime.db, OFFER_ALERT, id, at)
  for (const transfer of await listOffered(runtime.db, network)) {
    if (transfer.ended === null && at < transfer.expiresAt) continue
    await deps.pause('cold-ending')
    if (network === 'TRON' && !(await isDead(deps, transfer))) continue
    await inTransaction(runtime.db, async (tx) => {
      if (!(await withdrawOffer(tx, transfer.id, { at }))) return
      await noteEnd(tx, transfer.id, 'expired')
      await resolveAlert(tx, OFFER_ALERT, transfer.id, at)
    })
  }
}

/**
 * Whether an offer is proven dead: it may have been signed without our knowledge, and can be mined until it expires.
 */
const isDead = async ({ runtime, adapter }: ColdDeps, { id }: ColdTransfer): Promise<boolean> => {
  const offered = await readOffered(runtime.db, id)
  const { hash, expiresAt } = offered!.attempt
  const expiration = expiresAt!.getTime()
  return (
    (await isFinalPast(runtime.db, 'TRON', expiration)) && (adapter as TronChainAdapter).isProvenDead(hash!, expiration)
  )
}

/** How long payouts may take to use the nonces below that of a signed transfer; then fillers are sent. */
const FILL_AFTER_MS = 10 * 60_000
const FILLER_GAS = 21_000n

/** Plans a filler for one nonce below that of a signed transfer, when nothing else is sent. */
const fillBefore = async (deps: ColdDeps, network: Network): Promise<void> => {
  const { runtime } = deps
  if (!isEvmNetwork(network) || deps.chainId === undefined) return
  const since = new Date(runtime.clock.business() - FILL_AFTER_MS)
  const { rows } = await sql<{
    id: string
    nonce: number
    sender: string
    keys: Attempt['keys']
  }>`select o.id, o.nonce, h.address as sender, a.signing_keys as keys from cold_transfers t
    join outgoing o on o.id = t.id join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = 1
    join hot_wallets h on h.network = t.network and h.address = o.senders[1]
    where t.network = ${network} and o.network = ${network} and o.state in ('signed', 'broadcast') and o.nonce > h.next_nonce and t.imported_at <= ${since}
      and not exists (select from outgoing p where p.network = t.network and p.senders[1] = h.address and p.purpose <> 'cold'
        and p.nonce is not null and p.created_at > ${since} and p.purpose <> 'filler')
    order by o.nonce limit 1`.execute(runtime.db)
  const [waiting] = rows
  if (!waiting) return
  const rate = await deps.adapter.feeRate()
  if (rate.kind !== 'gas') throw new Error(`${network} estimates fees for each unit of gas`)
  const { sender } = waiting
  await inTransaction(runtime.db, async (tx) => {
    if ((await lockNextNonce(tx, network, sender)) >= waiting.nonce) return
    const moment = momentOf(runtime)
    const nonce = await takeNonce(tx, network, sender, moment.at)
    const call = paymentCall({ to: sender, units: 0n, contract: null })
    const plan = planEvm({ network, chainId: deps.chainId!, nonce, call, gas: FILLER_GAS, rate })
    const keys = { keys: [`${sender}:${nonce}`], signingKeys: waiting.keys }
    await insertPlanned(
      tx,
      { id: runtime.newId(), network, purpose: 'filler', senders: [sender], nonce, ...keys, ...plan, feeRate: rate },
      moment,
    )
  })
}
