/** Limits that prevent payment pages from being used to send mail to strangers. */
export const LIMITS = {
  /** mails to one mailbox in an hour, from all merchants together */
  perMailboxAndHour: { payer: 10, merchant: 30, invitee: 10, person: 30 },
  /** mails to payers about one object, to all addresses together */
  perThing: 5,
} as const
