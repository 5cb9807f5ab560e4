/**
 * Mails to payers and merchants. Guarantees:
 * - a mail is queued in the transaction of the change that it reports;
 * - it is sent once to an address, or again with the same Message-ID when the mail server's response was lost;
 * - the number of mails to one mailbox in an hour, and for one invoice, is limited: a payer may enter any address;
 * - a failing mail server delays nothing else.
 */
export { deletePayerMails, wasMailedPageLately } from './erasing.ts'
export { mailAddress, maskAddress } from '../../platform/base/mail-address.ts'
export { announceSending, queueMails } from './commands.ts'
export { mailExhausted } from './merchant-mails.ts'
export type { Mail, Queued } from './mail.ts'
export { listMails, mailState, sendsMail } from './queries.ts'
export { createActivityJob } from './jobs-activity.ts'
export { createMailPruneJob } from './jobs-keeping.ts'
export { createSendJob } from './jobs-send.ts'
