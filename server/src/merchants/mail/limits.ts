/** What keeps a payment page from being used to send mail to strangers. */
export const LIMITS = {
  /** to one mailbox in an hour, of all merchants together */
  perMailboxAndHour: { payer: 10, merchant: 30 },
  /** to payers about one thing, whatever the addresses */
  perThing: 5,
} as const
