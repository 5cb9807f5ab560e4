/** Shows received mails, with links to click, and notifications to a person. */
import { html, type Markup } from '@bursar/checkout/html'
import type { Mail } from '../mail/index.ts'
import type { Message } from './store.ts'

const style = html`:root{color-scheme:light dark}body{margin:0 auto;max-width:60rem;padding:1rem;font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.25rem}h2{font-size:1rem;margin:1.5rem 0 .5rem}details{border:1px solid #8885;border-radius:.5rem;margin:.5rem 0;padding:.5rem .75rem}
summary{cursor:pointer;overflow-wrap:anywhere}small{opacity:.75}iframe{width:100%;height:34rem;border:1px solid #8885;border-radius:.5rem;margin-top:.5rem;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere}`

const listed = 50
const none = html`<p>None yet.</p>`

/** Renders the page, newest first. */
export function inboxPage(mails: readonly Mail[], messages: readonly Message[]): string {
  const shownMails = mails.slice(-listed).toReversed().map(mailItem)
  const shownMessages = messages.slice(-listed).toReversed().map(messageItem)
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Inbox</title><style>${style}</style></head>
<body><h1>Sandbox inbox</h1><h2>Mails (${mails.length})</h2>${shownMails.length > 0 ? shownMails : none}
<h2>Notifications (${messages.length})</h2>${shownMessages.length > 0 ? shownMessages : none}</body></html>`.text
}

function mailItem({ seq, subject, to, receivedAt, text, attachments }: Mail, i: number): Markup {
  const files = attachments.map(
    ({ name, bytes }, place) =>
      html`<a href="/mails/${seq}/attachments/${place}">${name}</a> <small>${bytes.length} bytes</small>`,
  )
  return html`<details${i === 0 ? ' open' : ''}><summary>${subject}<br><small>${to.join(', ')} · ${receivedAt}</small></summary>
<iframe src="/mails/${seq}/html" title="${subject}" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe><p>${files.flatMap((file) => [file, ' '])}</p><details><summary>As text</summary><pre>${text}</pre></details></details>`
}

function messageItem({ merchantId, receivedAt, answered, body }: Message): Markup {
  return html`<details><summary>${headOf(body)}<br><small>${merchantId} · ${receivedAt} · answered ${answered}</small></summary><pre>${body}</pre></details>`
}

function headOf(body: string): string {
  try {
    const { kind, status } = JSON.parse(body) as { kind?: unknown; status?: unknown }
    return `${String(kind)} ${String(status)}`
  } catch {
    return body.slice(0, 80)
  }
}

/** Headers of a mail's frame: it may load and run nothing; its links open new pages. */
export const mailHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-popups allow-popups-to-escape-sandbox",
}

/** Links of a mail open beside the inbox. */
export const mailFrame = (html: string): string => html.replace('<head>', '<head><base target="_blank">')
