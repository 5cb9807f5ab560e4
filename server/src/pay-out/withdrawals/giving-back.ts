import { sql } from 'kysely'
import type { SignedTransaction, Signer } from '../../adapters/signer/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { giveUp } from './commands.ts'
import type { WithdrawalSubscriber } from './subscribers.ts'
import { bar } from './refusals.ts'
import { findById } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

export interface GivingBackDeps {
  runtime: Runtime
  catalogue: Catalogue
  signer: Pick<Signer, 'closeIntent'>
  withdrawalSubscribers?: readonly WithdrawalSubscriber[]
}

export type GivenBack =
  | { kind: 'given-back' }
  /** it is planned, sent or over, or `within` did not allow it */
  | { kind: 'not-waiting' }
  /** the signer has signed for it: it is barred from being planned until what was signed is attached */
  | { kind: 'signed'; transactions: SignedTransaction[] }

/**
 * Ends a waiting withdrawal as Failed and gives its money back, once the signer has closed its intent: nothing was
 * signed for it, and no process, replica or restored copy can have anything signed for it later. Throws when the signer
 * can't be asked.
 * @param within what else is done in the same transaction; false: nothing is given back
 */
export const giveBack = async (
  deps: GivingBackDeps,
  key: { merchantId: string; id: string },
  {
    failReason = 'ERRROR_CODE_GENERIC',
    within,
  }: {
    failReason?: 'ERRROR_CODE_GENERIC' | 'AML_REJECTED'
    within?: (tx: Tx, moment: Moment) => Promise<boolean>
  } = {},
): Promise<GivenBack> => {
  const { runtime, signer } = deps
  const withdrawal = await findById(runtime.db, key.merchantId, key.id)
  if (withdrawal?.state !== 'requested') return { kind: 'not-waiting' }
  const transactions = await signer.closeIntent(withdrawal.intentId)
  if (transactions.length > 0) {
    const message = `transaction ${transactions.map(({ hash }) => hash).join(', ')}`
    await inTransaction(runtime.db, (tx) => bar(tx, withdrawal, 'signed', message, momentOf(runtime)))
    return { kind: 'signed', transactions }
  }
  return inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    if (within && !(await within(tx, moment))) return { kind: 'not-waiting' }
    const effects = await giveUp(tx, withdrawal, deps, moment, failReason)
    if (!effects) {
      if (within) throw new Error(`withdrawal ${withdrawal.id} was taken up meanwhile`)
      return { kind: 'not-waiting' }
    }
    await carryOut(tx, effects, moment)
    return { kind: 'given-back' }
  })
}

const CLOSED_EVERY_MS = 5_000
const MOST = 100

/**
 * Gives back what the signer has closed: it was given back before by a database that has since been restored or lost.
 */
export const createClosedJob = (deps: GivingBackDeps): Job => ({
  name: 'withdrawals that were closed',
  everyMs: CLOSED_EVERY_MS,
  run: async () => {
    await forEachIsolated(await closedOf(deps.runtime.db), (withdrawal) => giveBack(deps, withdrawal))
    return false
  },
})

const closedOf = async (db: Db): Promise<Pick<Withdrawal, 'merchantId' | 'id'>[]> => {
  const { rows } = await sql<
    Pick<Withdrawal, 'merchantId' | 'id'>
  >`select merchant_id as "merchantId", id from withdrawals
    where barred = 'closed' and state = 'requested' order by merchant_id, id limit ${MOST}`.execute(db)
  return rows
}
