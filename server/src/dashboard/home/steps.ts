import { html, type Markup } from '@bursar/checkout/html'
import { mayRole } from '../../people/access/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import { toneTag, type Scope } from '../frame/index.ts'
import { HOME_WORDS } from './words/index.ts'

type Step = 'invoice' | 'webhook' | 'team'

/**
 * The steps with which a merchant begins: a first invoice, the endpoint of notifications, a second member. They
 * disappear when all are done.
 */
export const firstSteps = (
  scope: Scope,
  publicUrl: string,
  done: Readonly<Record<Step, boolean>>,
): Markup | undefined => {
  const { visit, merchantId, role, language } = scope
  if (Object.values(done).every(Boolean)) return undefined
  const texts = HOME_WORDS[language]
  const state = (step: Step): Markup => (done[step] ? toneTag('good', texts.done) : toneTag('calm', texts.open))
  const link = (path: string): string => linkTo(visit, merchantPath(merchantId, path))
  return html`<section class="panel"><h2>${texts.firstSteps}</h2><ol class="rows">
<li><div class="line"><span>${texts.steps.invoice}</span>${state('invoice')}</div>${
    !done.invoice &&
    html`<p class="soft">${texts.invoiceText}</p><details><summary>${texts.withCurl}</summary><pre tabindex="0">${curlOf(publicUrl, merchantId)}</pre></details><details><summary>${texts.withSdk}</summary><pre tabindex="0">${sdkOf(publicUrl, merchantId)}</pre></details>`
  }</li>
<li><div class="line"><span>${mayRole(role, 'manage-webhooks') && !done.webhook ? html`<a href="${link('webhooks/url')}">${texts.steps.webhook}</a>` : texts.steps.webhook}</span>${state('webhook')}</div></li>
<li><div class="line"><span>${mayRole(role, 'manage-members') && !done.team ? html`<a href="${link('team')}">${texts.steps.team}</a>` : texts.steps.team}</span>${state('team')}</div></li></ol></section>`
}

/** Creates an invoice from a shell. The signature is that of contract.md 2. */
const curlOf = (publicUrl: string, merchantId: string): string => `KEY=... # the private key of the merchant
BODY='{"name":"Order 1","baseAmount":{"ticker":"USD","value":"10"}}'
NOW=$(date +%s)
SIGNATURE=$(printf '%s' "POST/merchants/invoices/crypto$BODY$NOW" | openssl dgst -sha256 -hmac "$KEY" | sed 's/.*= //')
curl ${publicUrl}/merchants/invoices/crypto -H "merchant-id: ${merchantId}" \\
  -H "timestamp: $NOW" -H "signature: $SIGNATURE" -H 'content-type: application/json' -d "$BODY"`

const sdkOf = (publicUrl: string, merchantId: string): string => `import { Bursar } from '@bursar/sdk'

const bursar = new Bursar({
  url: '${publicUrl}',
  merchantId: '${merchantId}',
  privateKey: process.env.BURSAR_PRIVATE_KEY,
})
const { url } = await bursar.invoices.crypto.create({
  name: 'Order 1',
  baseAmount: { ticker: 'USD', value: '10' },
})
console.log(url)`
