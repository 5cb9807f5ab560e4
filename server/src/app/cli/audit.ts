import { acceptFinding, auditAccounts, listOpenFindings } from '../../treasury/auditing/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { restoreBalance } from '../../ledger/postings/index.ts'
import { actor } from './recording.ts'
import { command, UsageError, type Command } from './command.ts'
import { withInstallation } from '../installation/open.ts'

const numberOf = (typed: string, name: string): number => {
  if (!/^\d{1,15}$/.test(typed))
    throw new UsageError(`${name} is a whole number, as \`bursar audit findings\` shows it`)
  return Number(typed)
}

export const auditCommands: readonly Command[] = [
  command({
    name: 'audit findings',
    summary: 'list accounts whose balance is not proved by their entries, with the reasons',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const findings = await listOpenFindings(runtime.db)
        for (const one of findings) {
          const { accountId, version, finding, detail, merchantId, asset, kind, foundAt } = one
          out.add(
            'findings',
            { ...one },
            `${foundAt.toISOString()} account ${accountId} (${kind} of ${merchantId} in ${asset}), version ${version}, ${finding}: ${detail}`,
          )
        }
        if (findings.length === 0) out.say('every audited account is proved')
        else process.exitCode = 1
      }),
  }),
  command({
    name: 'audit accept',
    summary: 'accept a finding about a transfer or a cause, after a correcting posting',
    args: ['ACCOUNT', 'VERSION', 'REASON...'],
    irreversible: 'The entry remains in the books, and the audit continues after it.',
    run: async ({ args }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const finding = { accountId: numberOf(args.ACCOUNT, 'ACCOUNT'), version: numberOf(args.VERSION, 'VERSION') }
        const by = { actor: actor(), reason: args.REASON }
        const done = await inTransaction(runtime.db, (tx) =>
          acceptFinding(tx, finding, by, new Date(runtime.clock.now())),
        )
        if (!done)
          throw new Error(
            'there is no open finding about a transfer or a cause of this account at this version: see `bursar audit findings`. Correct a balance with `bursar audit restore`',
          )
        const left = await auditAccounts(runtime, [finding.accountId])
        out.say(
          left.size === 0
            ? 'accepted; the account is proved again. Lift the stops: bursar freezes'
            : 'accepted; the account has another finding: bursar audit findings',
        )
      }),
  }),
  command({
    name: 'audit restore',
    summary: 'reset an account whose balance was changed without entries to its last entry',
    args: ['ACCOUNT'],
    irreversible: 'The present balance is lost: note it before.',
    run: async ({ args }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const id = numberOf(args.ACCOUNT, 'ACCOUNT')
        const restored = await inTransaction(runtime.db, (tx) => restoreBalance(tx, id))
        if (!restored) throw new Error('there is no such account')
        out.say(`posted/held were ${restored.before.join('/')}, are ${restored.after.join('/')}`)
        const left = await auditAccounts(runtime, [id])
        out.say(
          left.size === 0
            ? 'the account is proved again. Lift the stops: bursar freezes'
            : 'the account is not proved: bursar audit findings',
        )
      }),
  }),
]
