/** Requests of payouts in Bitcoin by members of a merchant that has money: for tests. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { catalogueOn } from '../../../../test/world/catalogue.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { now, NOW, nowAt, useTeams } from '../../people/access/test-teams.ts'
import type { Now, Session } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Rules } from '../withdrawals/index.ts'
import { storeFeeRate } from '../withdrawals/terms.ts'
import {
  approveRequest,
  judgePayouts,
  lineOf,
  PayoutProblem,
  readRequest,
  requestPayouts,
  type ApprovalResult,
  type TypedPayout,
} from './index.ts'

export const TO = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
export const OTHER = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry'
export const RULES = {
  catalogue: catalogueOn('BITCOIN', { BTC: { decimals: 8 } }),
  bitcoinChain: 'regtest' as const,
}
export const BTC = 100_000_000n

/** What a command has done: its result, or the trouble or the name of its error. */
export const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (done) => (done as ApprovalResult | undefined)?.kind ?? 'done',
    (error: unknown) => (error instanceof PayoutProblem ? error.trouble : (error as Error).name),
  )

export const usePayouts = () => {
  const teams = useTeams()
  const { db, shop, memberOf } = teams

  /** A merchant with ten BTC. */
  const richShop = async (at = NOW): Promise<string> => {
    const merchantId = await shop()
    await storeFeeRate(db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, at)
    await giveMoney(
      createTestRuntime(db, () => NOW),
      { merchantId, asset: 'BTC' },
      10n * BTC,
    )
    return merchantId
  }
  /** A request of one payout. @returns its id */
  const ask = async (
    session: Session,
    merchantId: string,
    { formKey = randomUUID(), at = now, ...typed }: Partial<TypedPayout> & { formKey?: string; at?: Now } = {},
  ): Promise<string> => {
    const payout = { ticker: 'BTC', blockchain: 'BITCOIN', to: TO, amount: '1', meta: 'salary', ...typed }
    await storeFeeRate(db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, at.real.getTime())
    const [judged] = await judgePayouts(db, merchantId, [payout], RULES, at.real.getTime())
    if (!judged || !('priced' in judged)) throw new Error('the payout has problems')
    const lines = [lineOf(judged.priced, 1, payout.meta)]
    return inTransaction(db, (tx) =>
      requestPayouts(tx, session, { merchantId, kind: 'one', name: '', formKey, lines }, at),
    )
  }
  const shownOf = async (merchantId: string, id: string): Promise<string> =>
    (await readRequest(db, merchantId, id, now.real))!.contentHash.toString('hex')
  const approve = async (
    session: Session,
    merchantId: string,
    id: string,
    { shown, at = now, rules = RULES }: { shown?: string; at?: Now; rules?: Rules } = {},
  ): Promise<ApprovalResult> =>
    approveRequest(db, session, { merchantId, id, shown: shown ?? (await shownOf(merchantId, id)) }, rules, at)
  const stateOf = async (merchantId: string, id: string): Promise<string> =>
    (await readRequest(db, merchantId, id, now.real))!.state
  const withdrawals = async (merchantId: string) =>
    (
      await sql<{ to: string; units: bigint; localId: string; meta: string | null }>`select to_address as "to", units,
        local_id as "localId", meta from withdrawals where merchant_id = ${merchantId} order by local_id`.execute(db)
    ).rows
  /** The actions of the audit log of a merchant, oldest first. */
  const audited = async (merchantId: string): Promise<string[]> =>
    (
      await sql<{ action: string }>`select action from dashboard_audit where merchant_id = ${merchantId}
        and action like '%pa%' order by at, id`.execute(db)
    ).rows.map(({ action }) => action)
  /** A merchant with a maker and a checker, and a request of one BTC. */
  const asked = async () => {
    const merchantId = await richShop()
    const [maker, checker] = [await memberOf(merchantId, 'finance'), await memberOf(merchantId, 'approver')]
    return { merchantId, maker, checker, id: await ask(maker, merchantId) }
  }
  return { ...teams, richShop, ask, approve, asked, stateOf, shownOf, withdrawals, audited }
}

export { now, nowAt, NOW }
