/** Screening by a list of sanctions: its jobs and decisions as app/composition and the command line compose them. */
import { sql } from 'kysely'
import { createDecided, createScreenHeld, createScreeningJobs } from '../../server/src/app/composition/screening.ts'
import { carryOut } from '../../server/src/ledger/effects/index.ts'
import type { Deposits } from '../../server/src/pay-in/deposits/index.ts'
import type { Signer } from '../../server/src/adapters/signer/port.ts'
import { halt } from '../../server/src/pay-out/withdrawals/index.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { ask, decideAs, importList, screenAgain, type Opinion } from '../../server/src/risk/screening/index.ts'
import { PUBLIC_URL, screeningBy } from '../world/screening.ts'
import { catalogue, LISTED, NETWORK, OUTSIDE } from './assets.ts'

const { signal } = new AbortController()
const screening = screeningBy()
const SOURCE = 'OFAC SDN'
const DAY_MS = 86_400_000

/** Holds deposits of merchants that want it, until they are judged. */
export const screenHeld = (deposits: () => Deposits) => createScreenHeld(PUBLIC_URL, deposits)

/** Puts a list in force. Destinations that it adds halt the withdrawals to them. */
const list = ({ runtime }: { runtime: Runtime }, date: string, addresses: readonly string[]): Promise<void> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const entries = addresses.map((address) => ({ address, asset: 'ETH', name: 'BODY' }))
    const outcome = await importList(tx, { source: SOURCE, sha256: addresses.join(), date, entries }, false, moment)
    if (outcome !== 'unchanged') await screenAgain(tx, SOURCE, { windowMs: 90 * DAY_MS, halt }, moment)
  })

export const listFirst = (process: { runtime: Runtime }): Promise<void> => list(process, '2026-01-01', [LISTED])

/** The list with the address that withdrawals of the scene pay. */
export const listMore = (process: { runtime: Runtime }): Promise<void> => list(process, '2026-01-02', [LISTED, OUTSIDE])

/** A judgement of a withdrawal is wanted, as before it is planned. */
export const askAbout = ({ runtime }: { runtime: Runtime }, merchantId: string, id: string, to: string) =>
  ask(
    runtime.db,
    [
      {
        merchantId,
        kind: 'withdrawal',
        subjectId: id,
        subject: {
          network: NETWORK,
          asset: 'USDT',
          direction: 'withdrawal',
          transaction: null,
          own: null,
          others: [to],
        },
      },
    ],
    () => `token of ${id}`,
    momentOf(runtime),
  )

const jobsOf = ({ runtime }: { runtime: Runtime }, deposits: Deposits, signer: Signer) => {
  const world = { runtime, catalogue, publicUrl: PUBLIC_URL, screening }
  const all = createScreeningJobs(world, { deposits, adapters: new Map(), signer, pause: async () => {} })
  const named = (name: string) => all.find((job) => job.name === name)!
  return { judge: named('screen'), endHalted: named('withdrawals judged again') }
}

export const judgeAll = async (...given: Parameters<typeof jobsOf>): Promise<void> => {
  await jobsOf(...given).judge.run(signal)
}

/** Rejects halted withdrawals whose destinations are risky, and lets the others go on. */
export const endHalted = async (...given: Parameters<typeof jobsOf>): Promise<void> => {
  await jobsOf(...given).endHalted.run(signal)
}

/** An operator decides. @returns whether there was anything to decide */
export const decide = (
  { runtime }: { runtime: Runtime },
  deposits: Deposits,
  id: string,
  event: Opinion['event'],
): Promise<boolean> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const rules = { ...screening.rules, subscribers: [createDecided(PUBLIC_URL, deposits)] }
    const outcome = await decideAs(tx, id, { event, actor: 'cli:ann', reason: 'looked at it' }, rules, moment)
    if (outcome) await carryOut(tx, outcome.effects, moment)
    return outcome !== undefined
  })

/** The id of the screening of a deposit or a withdrawal, or of the only one in a state. */
export const screeningOf = async (
  { db }: Runtime,
  { kind, state }: { kind: 'deposit' | 'withdrawal'; state: string },
): Promise<string> => {
  const { rows } = await sql<{
    id: string
  }>`select id from screenings where kind = ${kind} and state = ${state}`.execute(db)
  if (rows.length !== 1) throw new Error(`${rows.length} ${kind}s are ${state}`)
  return rows[0]!.id
}
