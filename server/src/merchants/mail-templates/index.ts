/**
 * Texts of mails in every language. Guarantees:
 * - the plain text and the HTML have the same content;
 * - input of merchants and payers is shown as text only;
 * - the subject is one line.
 */
export { audienceOf } from './letter.ts'
export type {
  ActivityEntry,
  Audience,
  DashboardEvent,
  LetterContent,
  LetterKind,
  MailTemplates,
  MerchantEvent,
} from './letter.ts'
export { writeLetter } from './write.ts'
