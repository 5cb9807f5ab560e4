import type { PayoutTrouble } from '../../../pay-out/requests/index.ts'
import type { CardTrouble } from '../commands.ts'
import type { Kind, RefundStatus } from '../refund.ts'

/** The texts of the pages of refunds. Every language must have these keys, or it does not compile. */
export interface RefundWords {
  refund: string
  kinds: Record<Kind, string>
  statuses: Record<RefundStatus, string>
  /** a claim whose withdrawal has failed */
  failedBefore: string
  amount: string
  to: string
  asked: string
  waiting: string
  none: string
  noneText: string
  noneFit: string
  back: string
  claimTitle: string
  payment: string
  openPayment: string
  received: string
  depositFee: string
  requested: string
  decided: string
  payerGets: string
  note: string
  withdrawal: string
  openWithdrawal: string
  transaction: string
  refundTitle: string
  refundText: string
  fromBalance: string
  networkFee: string
  feeText: string
  alone: string
  approvalsNeeded: (count: number) => string
  noteToPayer: string
  ask: string
  refuseTitle: string
  refuseText: string
  reasonToPayer: string
  refuse: string
  refusedNow: string
  requestOpen: string
  openRequest: string
  notPossible: string
  proveFirst: string
  noteTooLong: string
  ended: string
  changed: string
  troubles: Partial<Record<PayoutTrouble, string>>
  cardTitle: string
  cardText: string
  refundedBefore: string
  left: string
  nothingLeft: string
  /** the balance is smaller than what can be refunded */
  short: string
  amountIn: (ticker: string) => string
  amountHint: string
  reason: string
  reasonNeeded: string
  cardTroubles: Record<CardTrouble | 'unclear', string>
}

export const en: RefundWords = {
  refund: 'Refund',
  kinds: { claim: 'Refund claim', card: 'Card refund' },
  statuses: { open: 'Waits for your decision', underway: 'Under way', done: 'Refunded', refused: 'Refused' },
  failedBefore: 'Failed: decide again',
  amount: 'Amount',
  to: 'To',
  asked: 'Asked by',
  waiting: 'Waiting for approval',
  none: 'No refunds yet',
  noneText:
    'A payer who has paid too little for a crypto invoice can ask for the money back. Card payments are refunded from the page of the payment.',
  noneFit: 'No refund fits',
  back: 'All refunds',
  claimTitle: 'Refund claim',
  payment: 'Payment',
  openPayment: 'Open the payment',
  received: 'Received',
  depositFee: 'Deposit fee',
  requested: 'Requested',
  decided: 'Decided',
  payerGets: 'The payer gets',
  note: 'Note to the payer',
  withdrawal: 'Withdrawal',
  openWithdrawal: 'Open the withdrawal',
  transaction: 'Transaction',
  refundTitle: 'Refund to the payer',
  refundText:
    'The credited amount goes to the address that the payer named. The network fee is taken out of it. After that the invoice can’t be paid any more.',
  fromBalance: 'From your balance',
  networkFee: 'Network fee now',
  feeText: 'The fee may change until the refund is made. A fee of more than twice this one is not paid.',
  alone: 'The policy lets you refund up to this amount without an approval. You confirm it on the next page.',
  approvalsNeeded: (count) => `Approvals of other members needed: ${count}.`,
  noteToPayer: 'Note to the payer (may be empty)',
  ask: 'Request the refund',
  refuseTitle: 'Refuse the claim',
  refuseText: 'You keep the money. The payer is mailed your reason, and may pay the rest or ask again.',
  reasonToPayer: 'Reason for the payer (may be empty)',
  refuse: 'Refuse the claim',
  refusedNow: 'The claim is refused.',
  requestOpen: 'A request for this refund is open. It must be decided first.',
  openRequest: 'Open the request',
  notPossible: 'A refund is not possible now.',
  proveFirst: 'First confirm that it is you.',
  noteTooLong: 'The note has at most 300 characters.',
  ended: 'It was decided already. Its state is below.',
  changed: 'It has changed since this page was shown. Check it again.',
  troubles: {
    ended: 'It was decided already. Its state is below.',
    changed: 'It has changed since this page was shown. Check it again.',
    asked: 'A request for this refund is open. It must be decided first.',
    many: 'There are too many open requests. End some first.',
    'not-served': 'Refunds are not possible: this merchant has ended.',
  },
  cardTitle: 'Refund a card payment',
  cardText: 'The money goes to the card that paid. The fee of the payment is not returned to you.',
  refundedBefore: 'Refunded or being refunded',
  left: 'Can be refunded',
  short:
    'Your available balance is smaller than the rest of this payment. A refund above it fails. The operator may hold back money of card payments for some days.',
  nothingLeft: 'Nothing is left to refund.',
  amountIn: (ticker) => `Amount, ${ticker}`,
  amountHint: 'The whole rest, or a part of it.',
  reason: 'Reason, for your team',
  reasonNeeded: 'Type a reason of at most 300 characters.',
  cardTroubles: {
    unclear: 'Type an amount such as 12.50. A comma or a point before exactly three digits is unclear.',
    elsewhere: 'The company that charged the card makes no refunds this way. Ask the operator.',
    whole: 'The company that charged the card refunds whole payments only.',
    'too-much': 'The amount must be more than zero, and at most the amount that can be refunded.',
  },
}
