import type { MailFrom, MailSender, OutgoingMail, SendOutcome } from '../../adapters/mail/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Receipt } from '../documents/index.ts'
import type { Language } from '../../platform/base/language.ts'
import { maskAddress } from '../../platform/base/mail-address.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { writeLetter, type LetterContent } from '../mail-templates/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { StoredMail } from './mail.ts'
import { nextTry } from './schedule.ts'
import { claimMail, moveClaimed } from './store.ts'

export interface SendDeps {
  runtime: Runtime
  sender: MailSender
  from: MailFrom
  /** Makes the PDF of a receipt of a merchant. */
  receipt: (receipt: Receipt, of: { merchantId: string; language: Language }) => Promise<Uint8Array>
  /** Makes the statements of a month of a merchant, as PDF. */
  statements: (of: {
    merchantId: string
    merchant: string
    month: string
    tickers: readonly string[]
    language: Language
  }) => Promise<readonly { name: string; bytes: Uint8Array }[]>
  pause: (name: string) => Promise<void>
}

/** Maximum number of mails in one run, so that the job's state is reported and the process can end in time. */
const MOST_OF_A_RUN = 20
/** Longer than one mail takes when every step times out. */
const LEASE_MS = 2 * 60_000
/** Pause after the mail server was unavailable. */
const REST_MS = 30_000
/** An alert is raised when no mail could be sent for this long. */
const TOLD_AFTER_MS = 5 * 60_000
const ALERT = { kind: 'mail-not-sent', subject: 'smtp' } as const

/** Sends queued mails, one after another. Any number of workers may run it against one database. */
export const createSendJob = (deps: SendDeps): Job => {
  const { runtime } = deps
  /** real clock, ms: since when nothing could be sent */
  let downSince: number | undefined
  /** real clock, ms */
  let restUntil = 0
  const noteServer = async (outcome: SendOutcome): Promise<void> => {
    const now = runtime.clock.now()
    if (outcome.kind !== 'down') {
      if (downSince !== undefined) await resolveAlert(runtime.db, ALERT.kind, ALERT.subject, momentOf(runtime).at)
      downSince = undefined
      return
    }
    runtime.log.warn({ reason: outcome.reason }, 'the mail server accepts nothing')
    downSince ??= now
    if (now - downSince < TOLD_AFTER_MS) return
    const text = `No mail could be sent for ${Math.round((now - downSince) / 60_000)} minutes: ${outcome.reason}. Queued mails are sent when the mail server accepts them again, within 3 days`
    await raiseAlert(runtime.db, { ...ALERT, text }, momentOf(runtime))
  }
  return {
    name: 'send mail',
    everyMs: 1_000,
    run: async (signal) => {
      if (runtime.clock.now() < restUntil) return false
      for (let n = 0; n < MOST_OF_A_RUN && !signal.aborted; n += 1) {
        const mail = await claim(runtime)
        if (!mail) return false
        await deps.pause('mail-claimed')
        const outcome = await sendOne(deps, mail)
        await noteServer(outcome)
        if (outcome.kind !== 'down') continue
        restUntil = runtime.clock.now() + REST_MS
        return false
      }
      return true
    },
  }
}

/** Claims one mail only: a worker that dies delays no other. */
const claim = ({ db, clock }: Runtime): Promise<StoredMail | undefined> => {
  const now = clock.now()
  return claimMail(db, { at: new Date(clock.business()), now: new Date(now), leaseUntil: new Date(now + LEASE_MS) })
}

/** Writes and sends a mail, and stores the result. */
const sendOne = async (deps: SendDeps, mail: StoredMail): Promise<SendOutcome> => {
  const { runtime } = deps
  const shown = { mailId: mail.id, kind: mail.kind, to: maskAddress(mail.recipient) }
  let message: OutgoingMail
  try {
    message = await compose(deps, mail)
  } catch (error) {
    runtime.log.error({ err: error, ...shown }, 'a mail could not be written')
    await end(deps, mail, 'unwritable', `it can't be written: ${(error as Error).message}`)
    return { kind: 'refused', reason: 'not written' }
  }
  const outcome = await deps.sender.send(message)
  await deps.pause('mail-sent')
  if (outcome.kind === 'accepted') {
    await end(deps, mail, 'accepted', null)
    return outcome
  }
  runtime.log.info(
    { ...shown, outcome: outcome.kind, reason: outcome.reason, attempts: mail.attempts },
    'the mail server did not accept a mail',
  )
  if (outcome.kind === 'refused') await end(deps, mail, 'refused', outcome.reason)
  else await putOff(deps, mail, outcome.mayHaveArrived ? `${outcome.reason} (it may have arrived)` : outcome.reason)
  return outcome
}

const putOff = async (deps: SendDeps, mail: StoredMail, problem: string): Promise<void> => {
  const nextAt = nextTry(mail, deps.runtime.clock.business())
  await end(deps, mail, nextAt === undefined ? 'outlived' : 'put-off', problem, nextAt)
}

type Event = Parameters<typeof moveClaimed>[2]
const end = async (
  { runtime }: SendDeps,
  mail: StoredMail,
  event: Event,
  problem: string | null,
  nextAt?: Date,
): Promise<void> => {
  const at = new Date(runtime.clock.business())
  const moved = await inTransaction(runtime.db, (tx) =>
    moveClaimed(tx, mail, event, { at, problem, ...(nextAt && { nextAt }) }),
  )
  if (!moved)
    runtime.log.warn({ mailId: mail.id }, 'another worker has claimed the mail meanwhile: it may arrive twice')
}

const compose = async (deps: SendDeps, mail: StoredMail): Promise<OutgoingMail> => {
  const content = { kind: mail.kind, data: mail.data } as LetterContent
  const language = mail.language as Language
  const files = await filesOf(deps, content, { merchantId: mail.merchantId, language })
  const attachments = files.map(({ name, bytes }) => ({ name, type: 'application/pdf', bytes }))
  return {
    id: mail.id,
    from: deps.from,
    to: mail.recipient,
    language,
    ...writeLetter(content, language),
    attachments,
    date: mail.createdAt.getTime(),
  }
}

/** The documents of a letter, as PDF. */
const filesOf = async (
  { receipt, statements }: SendDeps,
  content: LetterContent,
  of: { merchantId: string; language: Language },
): Promise<readonly { name: string; bytes: Uint8Array }[]> => {
  if (content.kind === 'receipt')
    return [{ name: `receipt-${content.data.receipt.id}.pdf`, bytes: await receipt(content.data.receipt, of) }]
  if (content.kind !== 'month-ended') return []
  const { merchant, month, balances } = content.data
  return statements({ ...of, merchant, month, tickers: balances.map(({ ticker }) => ticker) })
}
