/**
 * Payouts by two people: a member of a merchant asks for a payout, another one approves it. Guarantees:
 * - a member can't approve their own request; without a policy, every payout needs an approval;
 * - an approval is valid for one request: it names the hash of what the person saw, which is compared in the
 *   transaction that places the withdrawal;
 * - a payout is placed at most once, also when two approvals arrive at the same time: the withdrawal and the state of
 *   the request, or of the line of a file, are stored in one transaction;
 * - the policy, the address book and the roles are read at the time of the approval;
 * - a refund of a claim or of a card payment is a request with the same policy, limits and approvals; a claim and a
 *   card payment have one open request at a time;
 * - the number of a card is stored sealed while its request can be paid, and is erased after that;
 * - a change of the policy that allows more takes effect after a day, one that allows less at once.
 */
export { addAddress, keyOf, knownAddresses, listAddresses, removeAddress, type BookAddress } from './address-book.ts'
export { createOrderPolicy } from './api-policy.ts'
export { approvalsOfRequests, everyAddress, everyPolicy, linesOfRequests, requestsInOrder } from './archiving.ts'
export { approvalsFor, approveRequest, type ApprovalResult } from './approving.ts'
export { refuseRequest, requestPayouts, requestRefund, withdrawRequest } from './asking.ts'
export { CARD_NETWORK, totalsOf, type PayoutLine } from './content.ts'
export { duplicatesIn, FILE_COLUMNS, readPayoutFile, type FileTrouble } from './file.ts'
export { createPlacingJob, RefundImpossible, type ApprovedRefund, type RefundMakers } from './jobs-placing.ts'
export { networksOf, offersFor, type Offer } from './offers.ts'
export {
  judgeAll,
  judgePayouts,
  lineOf,
  typedAmount,
  type FieldProblem,
  type JudgedPayout,
  type TypedPayout,
} from './judging.ts'
export type { RequestState } from './machine.ts'
export { countWaiting, newestStates, openRefundOf } from './store.ts'
export {
  countCardsOfRequests,
  currenciesForCards,
  judgeCardPayout,
  requestCardPayout,
  type CardPlacingDeps,
  type CardProblem,
  type PricedCardPayout,
  type TypedCardPayout,
} from './to-cards.ts'
export { changePolicy, readPolicy } from './policy.ts'
export { PayoutProblem, type PayoutTrouble } from './problem.ts'
export { listRequests, readRequest, type RequestDetail, type RequestLine, type RequestRow } from './reading.ts'
export { hoursBetween, ruleOf, spanOf, type AssetRule, type PayoutRules } from './rules.ts'
