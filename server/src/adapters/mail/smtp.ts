import { createTransport } from 'nodemailer'
import { mailAddress } from '../../platform/base/mail-address.ts'
import { outcomeOf } from './outcome.ts'
import type { MailSender, OutgoingMail } from './port.ts'

export interface SmtpSettings {
  host: string
  port: number
  /**
   * `start`: TLS from the first byte. `starttls`: upgrade by STARTTLS, which is required. `none`: for a relay on this
   * machine
   */
  tls: 'start' | 'starttls' | 'none'
  user: string | null
  password: string | null
  /** PEM of the issuer of the server's certificate, when it is not a public authority */
  ca: string | null
}

const CONNECTIONS = 2
const CONNECT_MS = 10_000
/** Timeout of an answer; a server may scan a mail before it answers. */
const ANSWER_MS = 60_000
const IDLE_MS = 20_000

/**
 * Sends by SMTP over a small pool of connections. Addresses and subject are passed as values and never parsed, so that
 * nothing in them becomes a header. Nothing is read from files or URLs.
 */
export const createSmtpSender = (settings: SmtpSettings): MailSender => {
  const { host, port, tls, user, password, ca } = settings
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure: tls === 'start',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    tls: { minVersion: 'TLSv1.2', ...(ca === null ? {} : { ca }) },
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    maxConnections: CONNECTIONS,
    maxMessages: 100,
    // Retries follow the mail's row in the database, not the pool.
    maxRequeues: 0,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    idleTimeout: IDLE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  // An idle connection may end with an error; the next mail opens a new one.
  transport.on('error', () => {})
  /** Mails whose transfer has begun on an authenticated connection; no other mail can have arrived. */
  const begun = new Set<string>()
  transport.use('stream', ({ message, data }, done) => {
    const read = message.createReadStream.bind(message)
    message.createReadStream = (options) => {
      begun.add(data.messageId!)
      return read(options)
    }
    done()
  })
  return {
    send: async (mail) => {
      // Requires one plain address from every source, because the composer would accept a list.
      if (mailAddress(mail.to) === undefined)
        return { kind: 'refused', reason: 'the address is none that mail can be sent to' }
      const message = messageOf(mail)
      try {
        await transport.sendMail(message)
        return { kind: 'accepted' }
      } catch (error) {
        return outcomeOf(error, begun.has(message.messageId))
      } finally {
        begun.delete(message.messageId)
      }
    },
    check: async () => {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}

const messageOf = ({ id, from, to, language, subject, text, html, attachments, date }: OutgoingMail) => ({
  messageId: `<${id}@${from.address.slice(from.address.indexOf('@') + 1)}>`,
  date: new Date(date),
  from: { name: oneLine(from.name), address: from.address },
  to: { name: '', address: to },
  envelope: { from: from.address, to: [to] },
  subject: oneLine(subject),
  text,
  html,
  attachments: attachments.map(({ name, type, bytes }) => ({
    filename: oneLine(name),
    contentType: type,
    content: Buffer.from(bytes),
  })),
  headers: { 'Content-Language': language, 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
})

/** Removes line breaks, so that a value can't start another header. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim()
