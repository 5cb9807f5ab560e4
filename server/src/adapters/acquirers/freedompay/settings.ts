import Type, { type Static } from 'typebox'
import { count, flag, readSecret, safeUrl, secretFile, text } from '../../../platform/config/fields.ts'
import { withRule } from '../../../platform/config/shape.ts'
import { accountMembers, accountOf, offersSomething, type Limits } from '../account.ts'
import type { AcquirerHttp } from '../http.ts'

/** One shop of Freedom Pay (PayBox.money), as `BURSAR_ACQUIRERS_FILE` has it: KZT in and out. */
export interface FreedomPaySettings {
  name: string
  merchantId: string
  /** for payments */
  secretKey: string
  /** a different key for payouts; undefined when the account makes none */
  payoutSecretKey: string | undefined
  /** `https://api.freedompay.kz`; `https://test-api.freedompay.kz` is the test system */
  url: string
  /** true: the shop is in test mode and moves no money */
  testing: boolean
  /** ms between two calls of this process; Freedom Pay asks for 1500 to 2000 */
  spacingMs: number
  /** limits agreed with Freedom Pay */
  capabilities: Limits
  http: AcquirerHttp
  /** ms of the real clock, for the lifetime of a page; Date.now when absent */
  now?: () => number
}

/**
 * The platform's limits for an invoice and a card payout (contract 13 and 18). Freedom Pay's field accepts 0.01 to
 * 99999999.
 */
export const FREEDOMPAY_LIMITS: Limits = {
  payIn: { KZT: { least: 12_000_00n, most: 300_000_00n } },
  payout: { KZT: { least: 1_00n, most: 299_000_00n } },
}

/** Freedom Pay's manager activates payouts. They are offered once the account's settings state limits for them. */
const STANDARD: Limits = { payIn: FREEDOMPAY_LIMITS.payIn, payout: {} }
const URL = 'https://api.freedompay.kz'
const SPACING_MS = 2_000

export const FREEDOMPAY_SHAPE = withRule(
  withRule(
    Type.Object({
      kind: Type.Literal('freedompay', { description: 'Freedom Pay (PayBox.money), KZT in and out' }),
      ...accountMembers(['KZT'], STANDARD),
      merchantId: text("the shop's number"),
      secretKeyFile: secretFile('the file of its key for receiving'),
      payoutSecretKeyFile: Type.Optional(
        secretFile('the file of its key for payouts; required where `payout` has limits'),
      ),
      url: Type.Optional(
        safeUrl('where Freedom Pay is; `https://test-api.freedompay.kz` is the test system', { standard: URL }),
      ),
      testing: Type.Optional(flag('`true`: payments are tests, no money moves', { standard: false })),
      spacingMs: Type.Optional(
        count('pause between two requests of one process; Freedom Pay demands 1500 to 2000', {
          least: 0,
          most: 60_000,
          standard: SPACING_MS,
          unit: 'ms',
        }),
      ),
    }),
    offersSomething(STANDARD),
  ),
  ({ payout = {}, payoutSecretKeyFile }, note) => {
    if (Object.keys(payout).length > 0 && payoutSecretKeyFile === undefined)
      note('it is missing: write the path of a file that holds it', 'payoutSecretKeyFile')
  },
)

export const readFreedomPaySettings = (given: Static<typeof FREEDOMPAY_SHAPE>): FreedomPaySettings => ({
  ...accountOf(given, STANDARD),
  merchantId: given.merchantId,
  secretKey: readSecret(given.secretKeyFile),
  payoutSecretKey: given.payoutSecretKeyFile === undefined ? undefined : readSecret(given.payoutSecretKeyFile),
  url: given.url ?? URL,
  testing: given.testing ?? false,
  spacingMs: given.spacingMs ?? SPACING_MS,
})

/** Maximum lengths of fields, freedompay.kz/docs-en/merchant-api (2026-11-21). */
export const LONGEST_ORDER_ID = 50
export const LONGEST_URL = 255
export const LONGEST_DESCRIPTION = 1_024
export const LIFETIME_SECONDS = { least: 300, most: 604_800 }
