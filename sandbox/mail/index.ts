/** A mail server for all addresses: it accepts and stores every mail. */
import type { AddressInfo } from 'node:net'
import { callbackify } from 'node:util'
import { SMTPServer } from 'smtp-server'
import { requireFreePort } from '../process/port.ts'
import { openMails } from './store.ts'
import type { Mail, MailStore } from './store.ts'

export type { Mail, MailStore } from './store.ts'

export interface MailboxOptions {
  /** 0: any free port. */
  readonly port: number
  readonly portSetting?: string
  /** The folder of mails. */
  readonly file: string
  /** For `receivedAt`. */
  readonly now?: () => Date
}

export interface Mailbox {
  /** As `BURSAR_SMTP_URL` wants it. */
  readonly url: string
  readonly port: number
  readonly mails: MailStore
  stop(): Promise<void>
}

const mostBytes = 8 * 1024 * 1024

/** Throws PortInUse. */
export async function startMailbox(options: MailboxOptions): Promise<Mailbox> {
  if (options.port !== 0) await requireFreePort(options.port, 'the mailbox', options.portSetting)
  const mails = openMails(options.file)
  const now = options.now ?? (() => new Date())
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: mostBytes,
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      const keep = callbackify(() =>
        mails.append({
          receivedAt: now().toISOString(),
          to: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('base64'),
        }),
      )
      stream.on('end', () => keep((error) => done(error)))
    },
  })
  // A sender that leaves in the middle is its own affair.
  server.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp+plain://127.0.0.1:${port}`,
    port,
    mails,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Returns a mail as lists show it: without the bytes of attachments, each of which is requested by its index. */
export function shownMail({ seq, receivedAt, to, from, subject, text, html, attachments, messageId }: Mail): object {
  return {
    seq,
    receivedAt,
    messageId,
    from,
    to,
    subject,
    text,
    html,
    attachments: attachments.map(({ name, type, bytes }) => ({ name, type, size: bytes.length })),
  }
}
