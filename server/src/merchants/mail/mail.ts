import type { Language } from '../../platform/base/language.ts'
import type { LetterContent } from '../mail-templates/index.ts'
import type { MailState } from './machine.ts'

/** A letter to be sent to a person. A letter of one kind about one object is sent to an address once. */
export type Mail = LetterContent & {
  merchantId: string
  /** the object that it is about: the id of an invoice, a claim, an alert */
  about: string
  to: string
  language: Language
}

/**
 * The result of queueing a mail.
 * - off: no worker sends mail
 * - repeated: it was queued before
 * - limited: its address or its object has reached the limit
 * - unusable: `to` is not a valid address
 */
export type Queued = 'queued' | 'off' | 'repeated' | 'limited' | 'unusable'

export interface StoredMail {
  merchantId: string
  id: string
  kind: string
  about: string
  recipient: string
  language: string
  data: unknown
  state: MailState
  attempts: number
  problem: string | null
  createdAt: Date
  updatedAt: Date
}
