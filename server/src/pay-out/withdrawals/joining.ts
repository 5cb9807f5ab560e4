import { sql } from 'kysely'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import {
  lockOutgoing,
  oursAmong,
  readOffered,
  type Outgoing,
  type OutgoingChange,
} from '../../chain/transactions/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { WithdrawalSubscriber } from './commands.ts'
import { SIGNED_BEFORE } from './refusals.ts'
import { settleAlone } from './settlement.ts'
import { findById, move } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

interface JoinDeps {
  runtime: Runtime
  catalogue: Catalogue
  withdrawalSubscribers?: readonly WithdrawalSubscriber[]
}

/** The events of a transaction up to each state, in the order in which subscribers are called. */
const NOTIFIED: Partial<Record<Outgoing['state'], readonly OutgoingChange['event'][]>> = {
  signed: [],
  broadcast: ['accepted'],
  mined: ['accepted', 'mined'],
  final: ['accepted', 'mined', 'final'],
  failed: ['accepted', 'mined', 'reverted'],
}

/**
 * Attaches a waiting withdrawal to a known transaction that pays it together with others, according to the signer, and
 * applies the events that the others have had. The network fee is posted for the others already.
 * @param hashes of all transactions that the signer signed for it
 * @returns the transaction; undefined if this database knows none of them. Throws an Error if it can't be the one that
 * pays.
 */
export const joinLate = (
  { runtime, catalogue, withdrawalSubscribers = [] }: JoinDeps,
  waiting: Withdrawal,
  hashes: readonly string[],
): Promise<Outgoing | undefined> =>
  inTransaction(runtime.db, async (tx) => {
    const known = await oursAmong(tx, waiting.blockchain, hashes)
    const [id, ...more] = new Set([...known.values()].map(({ outgoingId }) => outgoingId))
    if (id === undefined) return undefined
    const names = [...known.keys()].join(', ')
    if (more.length > 0 || known.size < hashes.length) {
      throw new Error(
        `of ${hashes.join(', ')} these books know ${names}, which may not be the one that is mined: wait until a final block shows which is`,
      )
    }
    await lockOutgoing(tx, id)
    const { outgoing } = (await readOffered(tx, id))!
    const events = NOTIFIED[outgoing.state]
    if (!events || (await isPaidOtherwise(tx, waiting)))
      throw new Error(`transaction ${names} is in these books already: it pays another withdrawal`)
    const moment = momentOf(runtime)
    if (!(await move(tx, waiting, 'planned', moment.at, { outgoingId: id })))
      throw new Error('it does not wait any more')
    for (const event of events) {
      const current = (await findById(tx, waiting.merchantId, waiting.id))!
      await carryOut(
        tx,
        await settleAlone(
          tx,
          { catalogue, withdrawalSubscribers },
          { event, outgoing, hash: outgoing.minedHash ?? hashes.at(-1)! },
          current,
          moment,
        ),
        moment,
      )
    }
    await resolveAlert(tx, SIGNED_BEFORE, waiting.id, moment.at)
    return outgoing
  })

/** Whether another withdrawal has the same intent, and so may be the one that was paid. */
const isPaidOtherwise = async (tx: Tx, { merchantId, id, intentId }: Withdrawal): Promise<boolean> => {
  const { rows } =
    await sql`select from withdrawals where merchant_id = ${merchantId} and id <> ${id} and coalesce(intent_id, id) = ${intentId} limit 1`.execute(
      tx,
    )
  return rows.length > 0
}
