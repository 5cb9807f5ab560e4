import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { createStop } from '../../ledger/stops/index.ts'
import { proveAccount, type AuditedAccount, type Finding, type FindingKind, type AccountVersion } from './account.ts'
import {
  acceptedFindings,
  faultyExchanges,
  faultyTransfers,
  groundlessCredits,
  MOST_ENTRIES,
  NEEDS_CAUSE,
  readUnproved,
  settleProved,
  storeFinding,
  storeProved,
  type EntryAsked,
  type Fault,
  type Unproved,
} from './store.ts'
import { unsignedCredits } from './signatures.ts'

const ALERT = 'books-unproved'

interface Result extends AccountVersion {
  account: AuditedAccount
  finding: Finding | null
  /** there are more entries to prove */
  more: boolean
}

/**
 * Proves accounts from their last proved state. A finding stops withdrawals of the account's asset and of its merchant,
 * and raises an alert. An open finding of an account that can be proved again is resolved.
 * @returns accounts with a finding, which are not proved to their end
 */
export const auditAccounts = async (runtime: Runtime, ids: readonly number[]): Promise<ReadonlySet<number>> => {
  const unproved = new Set<number>()
  for (let left = ids; left.length > 0;) {
    const results = await proveAll(runtime, left)
    const ended = results.filter(({ more }) => !more)
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const now = new Date(runtime.clock.now())
      await storeProved(
        tx,
        results
          .filter(({ account, version }) => version > account.proved.version)
          .map(({ account, version, posted, held }) => ({ id: account.id, version, posted, held })),
        now,
      )
      for (const { account, finding } of ended) if (finding) await stopFor(tx, account, finding, moment, now)
      for (const id of await settleProved(
        tx,
        ended.filter(({ finding }) => finding === null).map(({ account }) => account.id),
        now,
      ))
        await resolveAlert(tx, ALERT, String(id), moment.at)
    })
    for (const { account, finding } of ended) if (finding) unproved.add(account.id)
    left = results.filter(({ more }) => more).map(({ account }) => account.id)
  }
  return unproved
}

const proveAll = async ({ db }: Runtime, ids: readonly number[]): Promise<Result[]> => {
  const read = await readUnproved(db, ids)
  const asked = read.flatMap(({ account, entries }) =>
    entries.map(({ version, transferId, posted, held }): EntryAsked => ({
      accountId: account.id,
      merchantId: account.merchantId,
      asset: account.asset,
      kind: account.kind,
      version,
      transferId,
      posted,
      held,
    })),
  )
  const credits = asked.filter(({ kind, posted }) => posted > 0n && NEEDS_CAUSE.includes(kind))
  const ofMerchants = asked.filter(({ kind, posted }) => posted !== 0n && kind === 'merchant')
  const [transfers, exchanges, causes, unsigned, accepted] =
    asked.length === 0
      ? [[], [], [], [], new Set<string>()]
      : await Promise.all([
          faultyTransfers(db, asked),
          ofMerchants.length === 0 ? [] : faultyExchanges(db, ofMerchants),
          credits.length === 0 ? [] : groundlessCredits(db, credits),
          credits.length === 0 ? [] : unsignedCredits(db, credits),
          acceptedFindings(db, ids),
        ])
  const faults = faultsByAccount({ transfer: transfers, cause: [...causes, ...unsigned, ...exchanges] }, accepted)
  return read.map(({ account, entries }: Unproved): Result => {
    const isWhole = entries.length < MOST_ENTRIES
    const { proved, finding } = proveAccount(account, entries, isWhole, faults.get(account.id) ?? new Map())
    return { account, ...proved, finding, more: !isWhole && finding === null }
  })
}

type Faults = Map<number, Map<number, Pick<Finding, 'finding' | 'detail'>>>

const faultsByAccount = (
  found: Readonly<Partial<Record<FindingKind, readonly Fault[]>>>,
  accepted: ReadonlySet<string>,
): Faults => {
  const all: Faults = new Map()
  for (const [finding, faults] of Object.entries(found) as [FindingKind, readonly Fault[]][]) {
    for (const { accountId, version, detail } of faults) {
      if (accepted.has(`${accountId}/${version}/${finding}`)) continue
      const ofAccount = all.get(accountId) ?? new Map<number, Pick<Finding, 'finding' | 'detail'>>()
      if (!ofAccount.has(version)) ofAccount.set(version, { finding, detail })
      all.set(accountId, ofAccount)
    }
  }
  return all
}

const stopFor = async (
  tx: Tx,
  { id, merchantId, asset, kind }: AuditedAccount,
  finding: Finding,
  moment: Moment,
  now: Date,
): Promise<void> => {
  const reason = `account ${id} is not proved: ${finding.finding} at version ${finding.version}`
  const whose = merchantId === PLATFORM ? 'the platform' : `merchant ${merchantId}`
  const text =
    `Account ${id} (${kind} of ${whose} in ${asset}) can't be proved at version ${finding.version}: ${finding.detail}. Withdrawals of ${asset} are stopped, and all of this merchant's. ` +
    'Find out who changed the database before you lift a stop: docs/operating/recovery.md, "Books that can\'t be proved"'
  await raiseOrRenewAlert(
    tx,
    { kind: ALERT, subject: String(id), text, detail: { check: finding.finding, version: finding.version } },
    moment,
  )
  if (!(await storeFinding(tx, finding, now))) return
  await createStop(tx, { asset, merchantId: null, reason }, moment)
  if (merchantId !== PLATFORM) await createStop(tx, { asset: null, merchantId, reason }, moment)
}
