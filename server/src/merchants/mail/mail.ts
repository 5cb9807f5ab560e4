import type { Language } from '../../platform/base/language.ts'
import type { LetterContent } from '../mail-templates/index.ts'
import type { MailState } from './machine.ts'

/** A letter to be sent to a person. The same kind about the same thing is sent to an address once. */
export type Mail = LetterContent & {
  merchantId: string
  /** what it tells about: the id of an invoice, a claim, an alert */
  about: string
  to: string
  language: Language
}

/**
 * What became of a mail that was to be queued: `queued`; `off` where no worker sends mail; `repeated` when it was
 * queued before; `limited` when the address, or the thing it tells about, has had its share; `unusable` when that is no
 * address.
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
