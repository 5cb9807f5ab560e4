/**
 * Screening: judges the origin of deposits and the destination of withdrawals. Guarantees:
 * - a deposit or withdrawal is judged once. Its judgement does not change, except that a withdrawal which is not signed
 *   yet is judged again when a new list names its destination;
 * - a missing answer never counts as clean;
 * - subscribers are called in the transaction that stores the judgement, and the providers' answers are stored with it;
 * - people decide whether risky deposits are released or rejected (a withdrawal to a risky destination fails without a
 *   decision); each decision is stored with its author and reason.
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
  depositScreenings,
  findScreening,
  findScreeningById,
  judgedById,
  listLists,
  listOpen,
  listRejected,
  lookUpListed,
  screeningsOfSender,
  statesOf,
} from './queries.ts'
export { findingsOn, noteFindings, screenAgain } from './rescreening.ts'

export { reportPage, screeningRoutes } from './routes.ts'
export type { ScreenedDeposit } from './queries.ts'
export type { Opinion, Screening, ScreeningRules } from './screening.ts'
export { SCREENING_MEMBERS, screeningRulesOf } from './settings.ts'
export { lockDeposits } from './store.ts'
