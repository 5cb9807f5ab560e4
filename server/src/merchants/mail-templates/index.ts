/**
 * What mails say, in every language. Promises plain text and HTML that say the same, in which whatever a merchant or a
 * payer wrote is shown as text and nothing else, and a subject in one line.
 */
export { AUDIENCES } from './letter.ts'
export type { ActivityEntry, LetterContent, LetterKind, MailTemplates } from './letter.ts'
export { writeLetter } from './write.ts'
