import Type, { type Static } from 'typebox'
import { choice, readSecret, safeUrl, secretFile, text } from '../../../platform/config/fields.ts'
import { withRule } from '../../../platform/config/shape.ts'
import { accountMembers, accountOf, offersSomething, type Limits } from '../account.ts'
import type { AcquirerHttp } from '../http.ts'
import type { LiqPayVersion } from './signature.ts'

/** One company of LiqPay (PrivatBank), as `BURSAR_ACQUIRERS_FILE` has it: UAH in and out. */
export interface LiqPaySettings {
  name: string
  /** `https://www.liqpay.ua` */
  url: string
  /** the company's key; one that begins with `sandbox_` moves no money */
  publicKey: string
  privateKey: string
  /** protocol version, which determines how requests are signed. Callbacks are accepted in both versions */
  version: LiqPayVersion
  /** IP address that we report to LiqPay as the source of payouts; empty: none */
  ip: string
  /** limits agreed with LiqPay */
  capabilities: Limits
  http: AcquirerHttp
}

/** LiqPay documents no limits. These are the platform's for an invoice and a card payout (contract 13 and 18). */
export const LIQPAY_LIMITS: Limits = {
  payIn: { UAH: { least: 25_00n, most: 29_999_00n } },
  payout: { UAH: { least: 1_00n, most: 14_500_00n } },
}

/** LiqPay activates payouts. They are offered once the account's settings state limits for them. */
const STANDARD: Limits = { payIn: LIQPAY_LIMITS.payIn, payout: {} }
const URL = 'https://www.liqpay.ua'
const VERSION = 3

export const LIQPAY_SHAPE = withRule(
  Type.Object({
    kind: Type.Literal('liqpay', { description: 'LiqPay (PrivatBank), UAH in and out' }),
    ...accountMembers(['UAH'], STANDARD),
    publicKey: text('the public key of the company; one that begins with `sandbox_` moves no money'),
    privateKeyFile: secretFile('the file of its private key'),
    url: Type.Optional(safeUrl('where LiqPay is', { standard: URL })),
    version: Type.Optional(
      choice(
        'protocol version, which determines how requests are signed. Callbacks of both versions are accepted',
        [3, 7, '3', '7'],
        {
          standard: VERSION,
          says: '3 or 7',
        },
      ),
    ),
    ip: Type.Optional(text('the address that is sent to LiqPay as the origin of payouts', { absent: 'not sent' })),
  }),
  offersSomething(STANDARD),
)

export const readLiqPaySettings = (given: Static<typeof LIQPAY_SHAPE>): LiqPaySettings => ({
  ...accountOf(given, STANDARD),
  url: given.url ?? URL,
  publicKey: given.publicKey,
  privateKey: readSecret(given.privateKeyFile),
  version: Number(given.version ?? VERSION) as LiqPayVersion,
  ip: given.ip ?? '',
})
