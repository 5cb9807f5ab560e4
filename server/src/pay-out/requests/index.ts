/**
 * Payouts by two people: a member of a merchant asks for a payout, another one approves it. Guarantees:
 * - a member can't approve their own request; without a policy, every payout needs an approval;
 * - an approval fits one request: it names the hash of what the person saw, which is compared in the transaction that
 *   places the withdrawal;
 * - a payout is placed at most once, whatever races: the withdrawal and the state of the request, or of the line of a
 *   file, are stored in one transaction;
 * - the policy, the address book and the roles that count are those at the time of the approval;
 * - a policy that allows more is in force a day later, one that allows less at once.
 */
export { addAddress, keyOf, knownAddresses, listAddresses, removeAddress, type BookAddress } from './address-book.ts'
export { approvalsFor, approveRequest, type ApprovalResult } from './approving.ts'
export { refuseRequest, requestPayouts, withdrawRequest } from './asking.ts'
export { totalsOf, type PayoutLine } from './content.ts'
export { duplicatesIn, FILE_COLUMNS, readPayoutFile, type FileTrouble } from './file.ts'
export { createPlacingJob } from './jobs-placing.ts'
export { judgePayouts, lineOf, pointed, type FieldProblem, type JudgedPayout, type TypedPayout } from './judging.ts'
export type { RequestState } from './machine.ts'
export { changePolicy, readPolicy } from './policy.ts'
export { PayoutProblem, type PayoutTrouble } from './problem.ts'
export { listRequests, readRequest, type RequestDetail, type RequestLine, type RequestRow } from './reading.ts'
export { hoursBetween, ruleOf, spanOf, type AssetRule, type PayoutRules } from './rules.ts'
