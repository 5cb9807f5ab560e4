/** Sender of a mail. */
export interface MailFrom {
  /** displayed name; may be empty */
  name: string
  address: string
}

interface Attachment {
  name: string
  /** such as `application/pdf` */
  type: string
  bytes: Uint8Array
}

/** A complete mail. `id` identifies it permanently (Message-ID): a repeated mail has the same one. */
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
 * Result of sending a mail: the server accepted it (`accepted`), will never accept it (`refused`), did not accept it
 * this time (`later`), or is not reachable or does not serve us (`down`). With `mayHaveArrived` the result is unknown,
 * because the connection broke before the server's answer.
 */
export type SendOutcome =
  | { kind: 'accepted' }
  | { kind: 'refused'; reason: string }
  | { kind: 'later' | 'down'; reason: string; mayHaveArrived: boolean }

/**
 * Sends mails. Failures of the mail server are never thrown; its message is in the reason, truncated and without line
 * breaks.
 */
export interface MailSender {
  send(mail: OutgoingMail): Promise<SendOutcome>
  /** Connects and authenticates. Throws an Error that describes the problem. */
  check(): Promise<void>
  close(): void
}
