/** Received mails, in memory and in a file that a restart reads. */
import PostalMime from 'postal-mime'
import { openLines } from '../inbox/lines.ts'

/** A mail as it came: base64, since it may hold any byte. */
interface ReceivedMail {
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  /** the receivers of the envelope */
  readonly to: readonly string[]
  readonly raw: string
}

export interface Mail {
  /** 1 for the first, without gaps. */
  readonly seq: number
  readonly receivedAt: string
  readonly messageId: string
  /** `NAME <ADDRESS>` */
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[]
}

export interface MailStore {
  append(received: ReceivedMail): Promise<void>
  /** With a larger `seq`, oldest first; to one address when named, in any case of letters. */
  after(seq: number, to?: string): Promise<Mail[]>
}

export function openMails(file: string): MailStore {
  const lines = openLines<ReceivedMail>(file)
  const read = lines.all.map((received, i) => parse(received, i + 1))
  return {
    append: async (received) => {
      // An unreadable message is refused, and not stored.
      await parse(received, 0)
      read.push(parse(received, lines.append(received)))
    },
    after: async (seq, to) =>
      (await Promise.all(read.slice(Math.max(0, seq)))).filter(
        (mail) => to === undefined || mail.to.some((one) => one.toLowerCase() === to.toLowerCase()),
      ),
  }
}

async function parse({ receivedAt, to, raw }: ReceivedMail, seq: number): Promise<Mail> {
  const mail = await PostalMime.parse(Buffer.from(raw, 'base64'))
  const { name = '', address = '' } = mail.from ?? {}
  return {
    seq,
    receivedAt,
    messageId: mail.messageId ?? '',
    from: name === '' ? address : `${name} <${address}>`,
    to,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? 'attachment',
      type: mimeType,
      bytes: typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer),
    })),
  }
}
