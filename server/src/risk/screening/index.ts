/**
 * Where money comes from and goes to. Promises that what is asked about is judged once and stays so, that no answer is
 * never taken for a clean one, that subscribers are called in the transaction that stores the judgement, and that what
 * a provider said is kept with it; that what is risky is decided by people, and who decided what and why is kept.
 */
export { ask, conclude, decide, decideAs } from './commands.ts'
export type { DecidedSubscriber, JudgedSubscriber } from './commands.ts'
export { opinionsOn } from './decisions-store.ts'

export { createListAgeJob, createScreenJob, createWaitingAlarm } from './jobs.ts'

export { complianceOf } from './judging.ts'
export type { ComplianceBody } from './judging.ts'
export { ageInDays, importList } from './lists.ts'
export { readListFile } from './list-file.ts'

export type { ScreeningState } from './machine.ts'
export {
  findScreening,
  findScreeningById,
  listLists,
  listOpen,
  listRejected,
  lookUpListed,
  standingOfSender,
  statesOf,
} from './queries.ts'
export { findingsOn, noteFindings, screenAgain } from './rescreening.ts'

export { reportPage, screeningRoutes } from './routes.ts'
export type { Opinion, Screening, ScreeningRules } from './screening.ts'
export { SCREENING_MEMBERS, screeningRulesOf } from './settings.ts'
export { lockDeposits } from './store.ts'
