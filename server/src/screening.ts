import { randomBytes } from 'node:crypto'
import { createScreeners, type ScreeningFile } from './screening-file.ts'
import { hasHash, type CreditedSubscriber, type Deposit, type Deposits } from './deposits/index.ts'
import type { Job } from './jobs/index.ts'
import { joinEffects, noEffects, type Effects } from './effects/index.ts'
import type { PausePoint } from './outgoing/index.ts'
import type { Runtime } from './platform/runtime.ts'
import { ask, complianceOf, createListAgeJob, createScreenJob, findScreening, lookUpListed, type JudgedSubscriber } from './screening/index.ts'

const newToken = (): string => randomBytes(16).toString('hex')

/**
 * Asks for a judgement of every deposit that is credited, once. One that was judged while a reorganisation had taken it away is
 * told so now.
 * @param deposits the room that calls this
 */
export const createScreenCredited = (publicUrl: string, deposits: () => Pick<Deposits, 'verify'>): CreditedSubscriber => async (tx, credited, moment) => {
  const asked = credited.map(({ deposit }) => ({ merchantId: deposit.merchantId, kind: 'deposit' as const, subjectId: deposit.id, subject: subjectOf(deposit) }))
  await ask(tx, asked, newToken, moment)
  const all: Effects[] = []
  for (const { deposit, again } of credited) {
    const judged = again ? await findScreening(tx, 'deposit', deposit.merchantId, deposit.id) : undefined
    if (judged?.report) all.push(await deposits().verify(tx, { merchantId: deposit.merchantId, id: deposit.id, compliance: complianceOf(judged, publicUrl) }, moment))
  }
  return joinEffects(all)
}

const subjectOf = (deposit: Deposit) => ({
  network: deposit.network,
  asset: deposit.asset,
  direction: 'deposit' as const,
  transaction: hasHash(deposit) ? deposit.transaction : null,
  own: deposit.address,
  others: deposit.senders,
})

export interface ScreeningWorld {
  runtime: Runtime
  publicUrl: string
  /** null: nothing is screened */
  screening: ScreeningFile | null
}

/** What a worker does about screening; nothing without settings. */
export const createScreeningJobs = ({ runtime, publicUrl, screening }: ScreeningWorld, deposits: Pick<Deposits, 'verify'>, pause: PausePoint): Job[] => {
  if (screening === null) return []
  const verify: JudgedSubscriber = (tx, judged, moment) =>
    judged.kind === 'deposit' ? deposits.verify(tx, { merchantId: judged.merchantId, id: judged.subjectId, compliance: complianceOf(judged, publicUrl) }, moment) : Promise.resolve(noEffects)
  const screeners = createScreeners(screening, { lookUp: (addresses) => lookUpListed(runtime.db, addresses), now: runtime.clock.now })
  const job = createScreenJob({ runtime, screeners, rules: screening.rules, onJudged: [verify], pause })
  const usesLists = screening.providers.some(({ kind }) => kind === 'local-lists')
  return [job, ...(usesLists ? [createListAgeJob(runtime)] : [])]
}
