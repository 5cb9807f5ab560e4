import { isEvmNetwork, type Head, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { AccountChainAdapter, ChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { forEachIsolated } from '../../platform/jobs/index.ts'
import { raiseAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { isAtStolenSeed, isOfStolenSeed } from '../addresses/index.ts'
import { isRemembered, newestFinal, shareHeight } from '../watcher/index.ts'
import { endSuperseded } from './commands.ts'
import { lostOf } from './conflicts.ts'
import { UNCLEAR, signedFor, stillPossible } from './possible.ts'
import type { SendingDeps } from './sending.ts'
import { OUTGOING_COLUMNS } from './store.ts'
import type { Outgoing } from './transaction.ts'

type Waiting = Outgoing & { isStolen: boolean }
type Deps = SendingDeps & { adapter: AccountChainAdapter }

/**
 * Ends transactions whose nonce an authorisation of the sender has used (EIP-7702): no transaction in the block shows
 * that. The proof is the sender's nonce at a final block: the books have read that block, and would have the
 * transaction as mined.
 *
 * - Sweeps sent by deposit addresses: anyone who saw an authorisation in a transaction of ours that was never mined can
 *   submit it later. The address is then swept again, by the code it delegates to.
 * - Everything that addresses of a stolen seed send: the thief can authorise anything. A payment is paid again from
 *   the second seed, under another intent.
 *
 * Other payments don't need this, because the signer never signs one where it has signed an authorisation.
 */
export const endUsedNonces = async (deps: SendingDeps): Promise<void> => {
  const { runtime, network, adapter, policy } = deps
  if (!isEvmNetwork(network) || !readsNonces(adapter)) return
  const waiting = await waitingOn(runtime.db, network, new Date(runtime.clock.business() - policy.bumpAfterMs))
  const block = waiting.length === 0 ? undefined : await newestFinal(runtime.db, network)
  if (block === undefined) return
  await forEachIsolated(waiting, async (outgoing) => {
    if ((await adapter.minedNonceIn(block, outgoing.senders[0]!)) <= outgoing.nonce!) return
    await endUsed({ ...deps, adapter }, outgoing, block)
  })
}

const endUsed = async (deps: Deps, outgoing: Waiting, block: Head): Promise<void> => {
  const { runtime, network, subscribers } = deps
  const alive = outgoing.purpose === 'payout' ? await mayStillPay(deps, outgoing) : undefined
  if (alive !== undefined) {
    const text = `The nonce ${outgoing.nonce} of ${outgoing.senders[0]} on ${network}, which payment ${outgoing.id} needs, is used, but transaction ${alive}, which was signed for the same payment, may be mined. The payment waits. See docs/operating/recovery.md`
    await raiseAlert(runtime.db, { kind: UNCLEAR, subject: outgoing.id, text }, momentOf(runtime))
    return
  }
  await inTransaction(runtime.db, async (tx) => {
    // No block is taken back until the transaction ends.
    await shareHeight(tx, network)
    const still = await newestFinal(tx, network)
    if (still === undefined || still.height < block.height || !(await isRemembered(tx, network, block))) return
    // A transaction in a block has used the nonce: the other step of the job judges it.
    if ((await lostOf(tx, outgoing)).length > 0) return
    const moment = momentOf(runtime)
    if (!(await endSuperseded(tx, outgoing.id, subscribers, moment, new Set()))) return
    if (!outgoing.isStolen) return
    await resolveAlertsOf(tx, [UNCLEAR], [outgoing.id], moment.at)
    await raiseAlert(tx, { kind: 'overtaken', subject: outgoing.id, text: textOf(outgoing, block) }, moment)
  })
}

const textOf = ({ id, network, purpose, senders, nonce }: Outgoing, { height }: Head): string =>
  `An authorisation by ${senders[0]}, whose seed another party may have, used up nonce ${nonce} until final block ${height} of ${network}. The ${purpose} ${id} needed this nonce, so that it can never be mined. ` +
  (purpose === 'payout' ? 'Its withdrawals are paid again' : 'Its money is moved again')

/**
 * Returns the hash of a transaction signed for the same payment that does not need the used nonce, or that the node
 * knows: the database may be a restored copy, which read the transaction's block before it knew the transaction.
 */
const mayStillPay = async (deps: Deps, outgoing: Outgoing): Promise<string | undefined> => {
  const { intents } = await deps.purposeOf(outgoing)
  const signed = await signedFor(
    deps,
    intents.map(({ id }) => id),
  )
  const alive = await stillPossible(deps, outgoing, signed, [{ key: `${outgoing.senders[0]}:${outgoing.nonce}` }])
  if (alive !== undefined) return alive
  for (const { hash } of signed) if ((await deps.adapter.statusOf(hash)).kind === 'mined') return hash
  return undefined
}

const readsNonces = (adapter: ChainAdapter): adapter is AccountChainAdapter => 'minedNonceIn' in adapter

const waitingOn = async (db: Db, network: Network, before: Date): Promise<Waiting[]> => {
  const sender = sql`o.senders[1]`
  const isStolen = sql`(${isAtStolenSeed(sender)} or exists (select from house_addresses k
    where k.family = 'EVM' and k.account = 'hot' and k.address = ${sender} and ${isOfStolenSeed('EVM', sql`k.derivation_index`)}))`
  const { rows } = await sql<Waiting>`select ${OUTGOING_COLUMNS}, ${isStolen} as "isStolen" from outgoing o
    where o.network = ${network} and o.state in ('signed', 'broadcast') and o.nonce is not null and o.created_at <= ${before}
      and ((o.purpose = 'sweep' and exists (select from addresses a where a.family = 'EVM' and a.address = ${sender}))
        or (o.purpose in ('payout', 'filler', 'rebalance', 'sweep', 'gas') and ${isStolen}))
    order by o.id`.execute(db)
  return rows
}
