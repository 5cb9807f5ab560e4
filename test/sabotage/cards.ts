import type { Sabotage } from './sabotage.ts'

/** Faults of card payments, refunds and card payouts. */
export const cardsSabotages: readonly Sabotage[] = [
  {
    name: 'refund-of-what-is-queued-refused',
    file: 'server/src/adapters/acquirers/refunds.ts',
    replace: [
      'return !isQueued && refundSoFar(order, payment, true) === undefined',
      'return refundSoFar(order, payment, true) === undefined',
    ],
    fault: 'audit F-1',
    breaks: 'A refund that the acquirer has queued is given back to the merchant, and paid.',
    finder:
      'server/src/adapters/acquirers/queued-refunds.test.ts › a refund that is refused while the payment waits in reserve',
  },
  {
    name: 'refund-question-failed-is-refusal',
    file: 'server/src/adapters/acquirers/refunds.ts',
    replace: [
      "if (error instanceof AcquirerUnreachable) return { kind: 'unknown', reason: error.message }",
      "if (error instanceof AcquirerUnreachable) return refusedRefund('unreachable', error.message)",
    ],
    fault: 'audit F-1',
    breaks: 'A refund that was sent is given back to the merchant.',
    finder:
      'server/src/adapters/acquirers/queued-refunds.test.ts › a query that arrived nowhere does not prove that the refund before it did not',
  },
  {
    name: 'two-refunds-at-once',
    file: 'server/src/cards/acquiring/refunding.ts',
    replace: ['if (await hasOpenRefund(tx, payment))', "if (payment.id === '' && (await hasOpenRefund(tx, payment)))"],
    fault: 'audit F-1, I13',
    breaks: 'Two refunds of one payment are under way, and one answer ends the other.',
    finder:
      'server/src/pay-in/fiat-invoices/refunds-under-way.test.ts › an answer from before sending does not refuse a refund that another worker has sent since',
  },
  {
    name: 'refund-more-than-paid',
    file: 'server/src/cards/acquiring/refunding.ts',
    replace: ['const left = payment.paidUnits! - payment.refundedUnits', 'const left = payment.paidUnits!'],
    fault: 'F5, I13',
    breaks: 'Refunds come to more than the payment.',
    finder:
      'server/src/pay-in/fiat-invoices/ending.test.ts › F5 fifty refunds at once never come to more than the payment',
  },
  {
    name: 'refund-of-unbooked-payment',
    file: 'server/src/cards/acquiring/refunding.ts',
    replace: [
      "if (payment.state !== 'credited' && payment.state !== 'suspended') {",
      "if (payment.state === 'refused') {",
    ],
    fault: 'F6, I25',
    breaks: 'Money is given back that was never booked.',
    finder: 'server/src/pay-in/fiat-invoices/ending.test.ts › F6 nothing is given back that was never posted',
  },
  {
    name: 'refund-released-by-old-answer',
    file: 'server/src/cards/acquiring/refunding.ts',
    replace: ["const isDecided = refund.state === 'requested' || isToRefund", "const isDecided = refund.id !== ''"],
    fault: 'audit F-1',
    breaks: 'An answer from before a refund was sent releases its money.',
    finder:
      'server/src/pay-in/fiat-invoices/refunds-under-way.test.ts › a refusal heard later than the answer to the refund itself releases nothing',
  },
  {
    name: 'amount-of-payment-ignored',
    file: 'server/src/cards/acquiring/booking.ts',
    replace: [
      'if (answer.ticker !== payment.ticker || answer.units !== payment.units) {',
      'if (answer.ticker !== payment.ticker) {',
    ],
    fault: 'F2',
    breaks: 'A payment of another amount than the order credits the invoice.',
    finder: 'server/src/pay-in/fiat-invoices/failing.test.ts › audit F-7: another amount is received and being checked',
  },
  {
    name: 'ticker-of-payment-ignored',
    file: 'server/src/cards/acquiring/booking.ts',
    replace: ['answer.ticker !== payment.ticker || ', ''],
    fault: 'F2',
    breaks: 'A payment in a cheaper currency credits the invoice.',
    finder:
      'server/src/pay-in/fiat-invoices/failing.test.ts › as much of another currency is in suspense, and credits nothing',
  },
  {
    name: 'payment-refused-for-good',
    file: 'server/src/cards/acquiring/machine.ts',
    replace: ["refused: { ...money, reversed: to('reversed') },", "refused: { reversed: to('reversed') },"],
    fault: 'audit F-4',
    breaks: 'Money that arrives after a refusal is never booked.',
    finder: 'server/src/cards/acquiring/machine.test.ts › takes exactly the events of the table',
  },
  {
    name: 'chargeback-keeps-money',
    file: 'server/src/cards/acquiring/taking-back.ts',
    replace: [
      'return { items: [item], notices: [] }',
      "return { items: payment.id === '' ? [item] : [], notices: [] }",
    ],
    fault: 'F8',
    breaks: 'A merchant keeps money that a chargeback took back.',
    finder:
      'server/src/pay-in/fiat-invoices/ending.test.ts › F8 a chargeback takes back the available money, once; the acquirer keeps its cost',
  },
  {
    name: 'callback-wakes-nothing',
    file: 'server/src/cards/acquiring/answering.ts',
    replace: ['afterMove: locked.epoch === epoch ? null : at,', 'afterMove: null,'],
    fault: 'F3',
    breaks: 'A callback that meets an answer is forgotten, and its payment is never booked.',
    finder:
      'server/src/pay-in/fiat-invoices/callbacks.test.ts › one that comes while the acquirer is being asked makes it be asked again',
  },
  {
    name: 'card-payout-sent-twice',
    file: 'server/src/cards/card-payouts/machine.ts',
    replace: [
      "sending: {\n    unsent: to('planned'),",
      "sending: {\n    begun: to('sending'),\n    unsent: to('planned'),",
    ],
    fault: 'I5, I6',
    breaks: 'A card payout that is being sent is sent again.',
    finder: 'server/src/cards/card-payouts/machine.test.ts › a part is sent from planned alone',
  },
  {
    name: 'card-payout-timeout-is-unsent',
    file: 'server/src/cards/card-payouts/jobs-sending.ts',
    replace: [
      'return error instanceof AcquirerUnreachable && !error.sent',
      'return error instanceof AcquirerUnreachable',
    ],
    fault: 'P2, I11',
    breaks: 'A card payout that timed out is sent to another acquirer.',
    finder: 'server/src/cards/card-payouts/faults.test.ts › send each part once and book each end once',
  },
  {
    name: 'card-payout-timeout-is-refusal',
    file: 'server/src/cards/card-payouts/jobs-sending.ts',
    replace: [
      "      : { kind: 'unknown', reason: message }\n",
      "      : { kind: 'refused', acquirerReference: undefined, code: 'timeout', message, maskedCard: undefined }\n",
    ],
    fault: 'P2, I11',
    breaks: 'The money of a card payout that timed out is given back, and the card is paid.',
    finder: 'server/src/cards/card-payouts/faults.test.ts › send each part once and book each end once',
  },
  {
    name: 'card-payout-refused-account-again',
    file: 'server/src/cards/card-payouts/jobs-sending.ts',
    replace: ['    (name) => !refused.has(name),', "    (name) => name !== '' || !refused.has(name),"],
    fault: 'F7',
    breaks: 'A card payout is sent again to an acquirer that refused it.',
    finder:
      'server/src/cards/card-payouts/payouts.test.ts › goes to another account when the first could not take it, and only then',
  },
  {
    name: 'card-payout-callback-race',
    file: 'server/src/cards/card-payouts/attempts.ts',
    replace: [
      "called_at = case when ${state}::text = 'succeeded' then called_at end,",
      'next_ask_at = null, called_at = null,',
    ],
    fault: 'audit F-4',
    breaks: 'A merchant never gets back the money of a card payout that came back while an answer was being booked.',
    finder:
      'server/src/cards/card-payouts/late-answers.test.ts › that the money came back, while an earlier answer is being posted',
  },
  {
    name: 'card-payout-return-not-asked',
    file: 'server/src/cards/card-payouts/attempts.ts',
    replace: ["    ...(said === 'reversed' ? ['open'] : []),\n", ''],
    fault: 'audit F-4',
    breaks: 'A return of money that is reported early is never booked.',
    finder:
      'server/src/cards/card-payouts/late-answers.test.ts › that the money came back before it said that it was paid, and confirms it later: it is asked until then',
  },
  {
    name: 'card-payout-forgotten-order',
    file: 'server/src/cards/card-payouts/jobs-sending.ts',
    replace: [
      'if (!(await wasRestoredSince(runtime.db, since))) return undefined',
      'if (since !== undefined) return undefined',
    ],
    fault: 'audit M-A5',
    breaks: 'A restored database pays a card at another acquirer that has paid it before.',
    finder:
      'server/src/cards/card-payouts/faults.test.ts › a database restored from an older copy sends nothing to one account that another has had',
  },
  {
    name: 'card-payout-random-reference',
    file: 'server/src/cards/card-payouts/sending.ts',
    replace: [
      'uuidOf(`card payout ${partId} ${attempt}`)',
      'uuidOf(`card payout ${partId} ${attempt} ${String(process.hrtime.bigint())}`)',
    ],
    fault: 'audit M-A5, C10',
    breaks: 'A restored database pays a card a second time.',
    finder:
      'server/src/cards/card-payouts/faults.test.ts › a database restored from an older copy sends under the reference the acquirer has seen: nothing is paid twice',
  },
  {
    name: 'suspense-accepted-while-given-back',
    file: 'server/src/cards/acquiring/booking.ts',
    replace: ['if (payment.refundedUnits > 0n) throw', 'if (payment.refundedUnits < 0n) throw'],
    fault: 'F5',
    breaks: 'Money in suspense is given back to the payer and credited to the merchant as well.',
    finder:
      'server/src/pay-in/fiat-invoices/ending.test.ts › money in suspense of which a part is given back is not given to the merchant as well',
  },
  {
    name: 'bank-callback-not-signed',
    file: 'server/src/adapters/acquirers/bank/index.ts',
    replace: [' || !isSignedCallback(secret, { timestamp, body, signature })', ''],
    fault: 'F1',
    breaks: 'Anybody calls in the name of the bank.',
    finder: 'server/src/adapters/acquirers/bank/signature.test.ts › is forged when it is signed by another secret',
  },
  {
    name: 'card-in-refusal-stored',
    file: 'server/src/cards/card-payouts/jobs-sending.ts',
    replace: ['return withoutCardIn(state, card)', 'return state'],
    fault: 'F10',
    breaks: 'The number of a card is stored, and shown to operators, because an acquirer names it in a refusal.',
    finder: 'server/src/cards/card-payouts/secrecy.test.ts › that refuses-elsewhere, in words that name the card',
  },
]
