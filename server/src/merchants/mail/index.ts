/**
 * Mails to payers and merchants. Promises that a mail is queued with the change it tells of or not at all, is sent once
 * to an address unless the mail server's answer is lost (then again, under the same Message-ID), that no stranger can
 * be made to receive more than a few, and that a mail server in trouble holds up nothing else.
 */
export { mailAddress, maskAddress } from '../../platform/base/mail-address.ts'
export { announceSending, queueMails } from './commands.ts'
export { mailExhausted } from './merchant-mails.ts'
export type { Mail } from './mail.ts'
export { listMails, mailStanding, sendsMail } from './queries.ts'
export { createActivityJob } from './jobs-activity.ts'
export { createMailPruneJob } from './jobs-keeping.ts'
export { createSendJob } from './jobs-send.ts'
