/** Whom a mail is from. */
export interface MailFrom {
  /** shown beside the address; may be empty */
  name: string
  address: string
}

interface Attachment {
  name: string
  /** such as `application/pdf` */
  type: string
  bytes: Uint8Array
}

/** A whole mail. `id` names it permanently: sent twice it is the same mail (Message-ID). */
export interface OutgoingMail {
  id: string
  from: MailFrom
  /** one plain address */
  to: string
  language: string
  subject: string
  text: string
  html: string
  attachments: readonly Attachment[]
  /** when it was written, ms */
  date: number
}

/**
 * What became of a mail: the server took it (`accepted`), will never take it (`refused`), took it not this time
 * (`later`), or is not there, or not for us (`down`). With `mayHaveArrived` it is not known: the connection broke while
 * the server was to answer.
 */
export type SendOutcome =
  | { kind: 'accepted' }
  | { kind: 'refused'; reason: string }
  | { kind: 'later' | 'down'; reason: string; mayHaveArrived: boolean }

/**
 * Sends mails. Never throws for what a mail server does; what it says is in the reason, cut short and without line
 * ends.
 */
export interface MailSender {
  send(mail: OutgoingMail): Promise<SendOutcome>
  /** Connects and signs in. Throws an Error that says what is wrong. */
  check(): Promise<void>
  close(): void
}
