/** `npm run try -- invoice`: performs each step of a first paid invoice, for the shop and its payer, and shows it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { control, mailsTo, merchantClient, printWebhooks, SandboxError } from './running.ts'
import type { Description, SandboxMail } from './running.ts'

const PAYER = 'payer@example.com'
const AMOUNT = { value: '25', ticker: 'USDT', blockchain: 'ETHEREUM' } as const
/** Long enough for a person to see the page change in their browser before the payment comes. */
const LOOK_MS = 3_000
const MAIL_WAIT_MS = 60_000

/** @throws SandboxError, BursarError */
export async function tryInvoice(sandbox: Description): Promise<void> {
  const { id, url } = await merchantClient(sandbox, 0).invoices.crypto.create({
    name: 'Order 1042',
    description: 'Three bags of coffee',
    meta: 'order 1042',
    amount: AMOUNT,
  })
  console.log(`created  invoice ${id}: ${AMOUNT.value} ${AMOUNT.ticker} on ${AMOUNT.blockchain} for "Order 1042"`)
  console.log(`page     ${url}`)
  const proceed = new URLSearchParams({ do: 'proceed', email: PAYER })
  const answer = await fetch(url, { method: 'POST', body: proceed, redirect: 'manual' })
  if (answer.status !== 303) throw new SandboxError(`the payment page answered ${answer.status}`)
  console.log(`payer    continues on the page as ${PAYER}`)
  if (await openInBrowser(url)) await sleep(LOOK_MS)
  const paid = await control<{ hash: string; amount: string; ticker: string; to: string }>(sandbox, '/invoice/pay', {
    id,
    how: 'exact',
  })
  console.log(`paid     ${paid.amount} ${paid.ticker} to ${paid.to} in ${paid.hash}`)
  await printWebhooks(sandbox, (body) => body['id'] === id, ['DONE', 'EXPIRED'])
  console.log(`receipt  ${url}/receipt.pdf`)
  const mail = await receiptMail(sandbox, id)
  console.log(`mail     to ${PAYER}: "${mail.subject}", with ${mail.attachments.map(({ name }) => name).join(', ')}`)
}

/** The mail whose attachment is the receipt of this invoice. */
async function receiptMail(sandbox: Description, id: string): Promise<SandboxMail> {
  for (const end = performance.now() + MAIL_WAIT_MS; performance.now() < end; await sleep(250)) {
    const mails = await mailsTo(sandbox, PAYER)
    const found = mails.find(({ attachments }) => attachments.some(({ name }) => name.includes(id)))
    if (found !== undefined) return found
  }
  throw new SandboxError(`no mail with the receipt came within ${MAIL_WAIT_MS / 1000} s: see .bursar/logs`)
}

/** @returns whether a browser was started: only in a terminal of a desktop */
async function openInBrowser(url: string): Promise<boolean> {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  const onMac = process.platform === 'darwin'
  if (!process.stdout.isTTY || !(onMac || DISPLAY || WAYLAND_DISPLAY)) return false
  const browser = spawn(onMac ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true })
  browser.unref()
  return Promise.race([once(browser, 'spawn').then(() => true), once(browser, 'error').then(() => false)])
}
