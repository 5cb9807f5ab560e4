import { html, type Markup } from '@bursar/checkout/html'
import type { Block, LetterParts } from './blocks.ts'

/** Requires an http(s) URL. Letters link to our own pages only; everything else in a letter is text. */
const link = (url: string): string => {
  if (!/^https?:\/\/[^\s"'<>\\]+$/.test(url)) throw new Error('a letter links to a web page and nothing else')
  return url
}

const FONT = html`-apple-system,'Segoe UI',Roboto,'Noto Sans','Helvetica Neue',Arial,sans-serif`
const CODE = html`ui-monospace,'SF Mono',Menlo,Consolas,'Noto Sans Mono',monospace`
const TONES = { good: '#0f7b4f', warning: '#a85b00', neutral: '#3b4a5f' }
const MARKS = { good: '✓', warning: '!', neutral: 'i' }

/** For mail programs that support dark mode. Those that drop the style sheet use the inline colours. */
const SHEET = html`:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){.page{background:#0e1116!important}.card{background:#171c24!important;border-color:#2b3341!important}
.ink{color:#e8edf4!important}.soft{color:#a3afbf!important}.line{border-color:#2b3341!important}.button{background:#e8edf4!important;color:#12161c!important}}
@media (max-width:480px){.inner{padding:24px 20px!important}.amount{font-size:26px!important}}`

/**
 * Renders a letter as HTML, with tables and inline styles, because mail programs support little else. It loads nothing.
 */
export const htmlOf = (parts: LetterParts, language: string): string => {
  const { subject, sender, title, tone, amount, blocks, footer } = parts
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${subject}</title><style>${SHEET}</style></head>
<body class="page" style="margin:0;padding:0;background:#f2f4f7;-webkit-text-size-adjust:100%">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f2f4f7"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border:1px solid #e1e6ec;border-radius:14px;border-collapse:separate">
<tr><td class="inner" style="padding:32px 36px;font-family:${FONT};font-size:16px;line-height:1.5;overflow-wrap:anywhere;word-break:break-word">
<p class="soft" style="margin:0 0 20px;color:#56647a;font-size:14px">${sender}</p>
${titleHtml(title, tone)}
${amount === null ? '' : html`<p class="amount ink" style="margin:0 0 20px;color:#131a24;font-size:32px;line-height:1.25;font-weight:700;overflow-wrap:anywhere">${amount}</p>`}
${blocks.flatMap((block) => [blockHtml(block), '\n'])}
<p class="soft line" style="margin:28px 0 0;padding-top:16px;border-top:1px solid #e1e6ec;color:#56647a;font-size:13px">${footer}</p>
</td></tr></table></td></tr></table></body></html>
`.text
}

const titleHtml = (title: string, tone: LetterParts['tone']): Markup =>
  html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 14px"><tr>
<td width="28" valign="top" aria-hidden="true"><div style="width:28px;height:28px;border-radius:14px;background:${TONES[tone]};color:#ffffff;font-family:${FONT};font-size:16px;line-height:28px;font-weight:700;text-align:center">${MARKS[tone]}</div></td>
<td valign="middle" style="padding-left:12px"><h1 class="ink" style="margin:0;color:#131a24;font-family:${FONT};font-size:20px;line-height:1.3;font-weight:600">${title}</h1></td></tr></table>`

const blockHtml = (block: Block): Markup => {
  switch (block.kind) {
    case 'paragraph':
      return html`<p class="ink" style="margin:0 0 16px;color:#131a24">${block.text}</p>`
    case 'note':
      return html`<p class="soft" style="margin:0 0 16px;color:#56647a;font-size:14px">${block.text}</p>`
    case 'button':
      return html`<p style="margin:8px 0 20px"><a class="button" href="${link(block.url)}" style="display:inline-block;padding:13px 22px;border-radius:9px;background:#131a24;color:#ffffff;font-weight:600;text-decoration:none">${block.label}</a></p>`
    case 'facts':
      return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 20px">${block.facts.map(factHtml)}</table>`
    case 'rows':
      return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 20px">${block.rows.map(rowHtml)}</table>`
  }
}

const LINE = 'padding:9px 0;border-bottom:1px solid #e1e6ec;vertical-align:top'

const factHtml = ({ name, value, code }: { name: string; value: string; code?: boolean }): Markup => {
  const look = code ? html`font-family:${CODE};font-size:13px;word-break:break-all` : 'overflow-wrap:anywhere'
  return html`<tr><td class="soft line" style="${LINE};padding-right:16px;width:38%;color:#56647a;font-size:14px">${name}</td><td class="ink line" style="${LINE};color:#131a24;font-size:15px;${look}">${value}</td></tr>`
}

const rowHtml = ({
  title,
  amount,
  detail,
  good,
}: {
  title: string
  amount: string
  detail: string
  good: boolean
}): Markup =>
  html`<tr><td class="ink line" style="${LINE};color:#131a24;font-size:15px;overflow-wrap:anywhere">${title}<br><span class="soft" style="color:#56647a;font-size:13px;overflow-wrap:anywhere">${detail}</span></td>
<td class="ink line" align="right" style="${LINE};padding-left:12px;color:${good ? '#131a24' : '#b3261e'};font-size:15px;font-weight:600;white-space:nowrap">${amount}</td></tr>`
