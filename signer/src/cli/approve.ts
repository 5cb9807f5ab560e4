import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { readApprovalText } from '../approvals/approval-text.ts'
import { openApproverKey, signApproval } from '../approvals/approver-key.ts'
import { amountOf, groupsOf } from '../approvals/shown.ts'
import { SignerClient } from '../client.ts'
import { readSecretFile } from '../keys/secret-file.ts'
import { LONGEST_APPROVAL_MS } from '../policy/approval.ts'
import { APPROVER_ID } from '../protocol/request.ts'
import type { WaitingPayment } from '../protocol/protocol.ts'
import { readPassphrase } from './passphrase.ts'

const OPTIONS = {
  id: { type: 'string' },
  key: { type: 'string' },
  'passphrase-file': { type: 'string' },
  socket: { type: 'string' },
  text: { type: 'string' },
  intent: { type: 'string' },
  hours: { type: 'string' },
} as const

const HOUR_MS = 3_600_000

/** A payment to approve, and the end of the approval in ms since the epoch. */
type Subject = Pick<WaitingPayment, 'network' | 'intent' | 'amount'> & { expiresAt: number }

/**
 * Shows a payment that waits, asks, and signs the approval with the approver's key. With `--socket` it asks the signer
 * for the payments that wait and hands the approval to it. With `--text` it needs no connection: it reads the text of
 * `bursar withdrawal approval-text` and prints the end of the command line of `bursar withdrawal approve`.
 */
export async function approve(args: string[]): Promise<void> {
  const { id, key: keyFile, socket, text, intent, hours, ...passphrase } = parseArgs({ args, options: OPTIONS }).values
  if (id === undefined || !APPROVER_ID.test(id)) throw new Error("Give the approver's id in the policy: --id alice")
  if (!keyFile) throw new Error("Give the approver's key: --key FILE")
  if ((socket === undefined) === (text === undefined)) throw new Error('Give either --socket PATH or --text FILE')
  if (text !== undefined && (intent !== undefined || hours !== undefined))
    throw new Error('The text states the payment and the end: --intent and --hours are for --socket')
  const sealed = (await readSecretFile(keyFile)).toString('utf8')
  const client = socket === undefined ? undefined : new SignerClient({ socketPath: socket })
  try {
    const subject = client ? await chooseWaiting(client, intent, readHours(hours)) : await readSubject(text!)
    show(subject)
    await confirm()
    const secret = await readPassphrase({ file: passphrase['passphrase-file'] })
    const key = await openApproverKey(sealed, secret).finally(() => secret.fill(0))
    const approval = signApproval(key, id, subject)
    if (client) {
      await client.approve({ ...approval, network: subject.network, intentId: subject.intent.id })
      process.stdout.write('approved: the signer has written it to its log\n')
    } else {
      const expires = new Date(approval.expiresAt).toISOString()
      process.stdout.write(
        `approved; on the server: bursar withdrawal approve MERCHANT_ID WITHDRAWAL_ID ${id} ${expires} ${approval.signature}\n`,
      )
    }
  } finally {
    client?.close()
  }
}

function readHours(text = '24'): number {
  const hours = Number(text)
  if (!/^[0-9]{1,3}$/.test(text) || hours < 1 || hours * HOUR_MS > LONGEST_APPROVAL_MS)
    throw new Error(`--hours is a number from 1 to ${LONGEST_APPROVAL_MS / HOUR_MS}`)
  return hours
}

async function chooseWaiting(client: SignerClient, intentId: string | undefined, hours: number): Promise<Subject> {
  const waiting = await client.waiting()
  if (waiting.length === 0) throw new Error('No payment waits for approvals')
  const chosen = waiting.filter(({ intent }) => intentId === undefined || intent.id === intentId)
  if (chosen.length !== 1) {
    const list = waiting.map(({ intent, amount, network }) => `  ${intent.id}  ${amount} on ${network} to ${intent.to}`)
    throw new Error(`Say which payment: --intent ID\n${list.join('\n')}`)
  }
  const { network, intent, amount } = chosen[0]!
  return { network, intent, amount, expiresAt: Date.now() + hours * HOUR_MS }
}

async function readSubject(path: string): Promise<Subject> {
  const subject = readApprovalText(await readFile(path, 'utf8'))
  const left = subject.expiresAt - Date.now()
  if (left <= 0 || left > LONGEST_APPROVAL_MS) throw new Error('The approval of this text has ended or lasts too long')
  return { ...subject, amount: amountOf(undefined, subject.network, subject.intent) }
}

function show({ network, intent, amount, expiresAt }: Subject): void {
  const lines = [
    `amount:   ${amount}`,
    `network:  ${network}`,
    `to:       ${groupsOf(intent.to).join(' ')}`,
    `intent:   ${intent.id}`,
    `until:    ${new Date(expiresAt).toISOString()}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Throws unless the person types "yes". */
async function confirm(): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const typed = await Promise.race([
      lines.question('Approve this payment? Type "yes": '),
      new Promise<string>((resolve) => lines.once('close', () => resolve(''))),
    ])
    if (typed.trim() !== 'yes') throw new Error('Nothing was approved')
  } finally {
    lines.close()
  }
}
