import { createChainSubscribers } from '../composition/index.ts'
import { createDecided } from '../composition/screening.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { findDeposit } from '../../pay-in/deposits/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import {
  decideAs,
  findingsOn,
  findScreeningById,
  listOpen,
  listRejected,
  noteFindings,
  opinionsOn,
  type Opinion,
  type Screening,
} from '../../risk/screening/index.ts'
import { command, flag, type Command } from './command.ts'
import type { Fields } from './output.ts'
import { actor } from './recording.ts'
import { withInstallation, type Opened } from '../installation/open.ts'
import { worldOf } from '../installation/world.ts'

const MOST_LISTED = 1_000

/** Formats one line of a list; for a deposit, with the place of its money. */
const lineOf = async (
  { runtime, config }: Opened,
  { id, merchantId, kind, subjectId, state, subject, report, problem, createdAt }: Screening,
): Promise<Fields> => {
  const deposit = kind === 'deposit' ? await findDeposit(runtime.db, merchantId, subjectId) : undefined
  const scale = deposit && config.assets?.findCrypto(deposit.asset)?.scale
  return {
    id,
    merchantId,
    kind,
    subjectId,
    state,
    ...subject,
    ...(deposit && {
      amount: scale === undefined ? null : formatUnits(deposit.units, scale),
      deposit: deposit.state,
      quarantined: deposit.state === 'held' || deposit.state === 'rejected',
    }),
    riskScore: report?.riskScore ?? null,
    complete: report?.complete ?? null,
    flags: report?.flags ?? [],
    problem,
    since: createdAt.toISOString(),
  }
}

/** Used when screening is switched off now. */
const STANDARD_RULES = { deciders: 1, riskyFrom: 0.5 }

const decision = (event: Opinion['event'], name: string, summary: string, irreversible: string): Command =>
  command({
    name,
    summary,
    args: ['SCREENING_ID', 'REASON...'],
    irreversible,
    run: async ({ args }, env, out) => {
      const id = args.SCREENING_ID
      const opinion = { event, actor: actor(), reason: args.REASON }
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        const world = worldOf(opened)
        const { deciders, riskyFrom } = world.screening?.rules ?? STANDARD_RULES
        const by = {
          deciders,
          riskyFrom,
          subscribers: [createDecided(world.publicUrl, createChainSubscribers(world).deposits)],
        }
        const decided = await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          const outcome = await decideAs(tx, id, opinion, by, moment)
          if (outcome) await carryOut(tx, outcome.effects, moment)
          return outcome
        })
        if (!decided)
          throw new Error(
            'there is nothing to decide: the money is clean, is still being judged, or has a decision: see bursar screening list',
          )
        out.say(decided.missing === 0 ? event : `noted; ${decided.missing} more must agree`)
      })
    },
  })

/** Operators' decisions about risky screening results. */
export const screeningDecisions: readonly Command[] = [
  command({
    name: 'screening list',
    summary:
      'list screenings that need a decision: risky, unanswered for too long, or listed after the judgement; or rejected deposits',
    options: { rejected: flag('deposits that were rejected') },
    run: async ({ options: values }, env, out) => {
      await withInstallation(env, async (opened) => {
        const listed = await (values.rejected ? listRejected : listOpen)(opened.runtime.db, MOST_LISTED)
        const rows = await Promise.all(listed.map((screening) => lineOf(opened, screening)))
        out.list('screenings', rows, {
          columns: [
            'id',
            'merchantId',
            'kind',
            'subjectId',
            'state',
            'asset',
            'amount',
            'deposit',
            'riskScore',
            'flags',
            'since',
          ],
          none: values.rejected ? 'no deposit was rejected' : 'nothing waits for a decision',
        })
      })
    },
  }),
  command({
    name: 'screening show',
    summary: "show a screening: the queried addresses, each provider's answer, and the decisions with their reasons",
    args: ['SCREENING_ID'],
    run: async ({ args }, env, out) => {
      const id = args.SCREENING_ID
      await withInstallation(env, async (opened) => {
        const { db } = opened.runtime
        const screening = await findScreeningById(db, id)
        if (!screening) throw new Error('there is no screening with this id: see bursar screening list')
        const shown = {
          ...(await lineOf(opened, screening)),
          report: screening.report,
          answers: screening.answers,
          decisions: await opinionsOn(db, id),
          findings: await findingsOn(db, id),
        }
        out.show(shown as unknown as Fields)
      })
    },
  }),
  command({
    name: 'screening note',
    summary: 'note your action about an address that was listed after the judgement, and end its alert',
    args: ['SCREENING_ID', 'NOTE...'],
    run: async ({ args: { SCREENING_ID: given, NOTE: note } }, env, out) => {
      const id = given
      await withInstallation(env, async ({ runtime }) => {
        if (
          !(await inTransaction(runtime.db, (tx) => noteFindings(tx, id, { actor: actor(), note }, momentOf(runtime))))
        )
          throw new Error(
            'none of its addresses was listed later, or a note was made already: see bursar screening list',
          )
        out.say('noted')
      })
    },
  }),
  decision(
    'released',
    'screening release',
    'release a quarantined deposit, risky or not judged by any provider: it is credited to its merchant. If the money is already credited, only the decision is recorded',
    'The quarantined money is credited to the merchant.',
  ),
  decision(
    'rejected',
    'screening reject',
    'reject a quarantined deposit: it is never credited, its merchant gets Failed with AML_REJECTED, and the money stays in quarantine',
    'The deposit is never credited, and the merchant gets Failed.',
  ),
]
