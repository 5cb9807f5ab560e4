/** For how long mails of payment pages are counted, ms. */
export const REQUESTS_COUNTED_MS = 86_400_000

/** Limits that prevent payment pages and members from being used to send mail to strangers. */
export const LIMITS = {
  /** mails to one mailbox in an hour, from all merchants together */
  perMailboxAndHour: { payer: 10, merchant: 30, invitee: 10, person: 30 },
  /** mails to payers about one object, to all addresses together */
  perThing: 5,
  /** payment pages that members mail: of one merchant in an hour and in a day, and to one mailbox of these in a day */
  requests: { inHour: 60, inDay: 300, toMailboxInDay: 5 },
} as const
