import type { AccountReader, Limits } from '../account-reader.ts'
import type { AcquirerHttp } from '../http.ts'
import type { LiqPayVersion } from './signature.ts'

/** One company of LiqPay (PrivatBank), as `BURSAR_ACQUIRERS_FILE` has it: UAH in and out. */
export interface LiqPaySettings {
  name: string
  /** `https://www.liqpay.ua` */
  url: string
  /** of the company; one that begins with `sandbox_` moves no money */
  publicKey: string
  privateKey: string
  /** of the protocol, and so how requests are signed. Callbacks are taken in both */
  version: LiqPayVersion
  /** the address that we tell LiqPay payouts come from; empty: none */
  ip: string
  /** as agreed with LiqPay */
  capabilities: Limits
  http: AcquirerHttp
}

/**
 * LiqPay documents no bounds of its own: these are the platform's for an invoice and for a card payout (contract 13 and
 * 18).
 */
export const LIQPAY_LIMITS: Limits = {
  payIn: { UAH: { least: 25_00n, most: 29_999_00n } },
  payout: { UAH: { least: 1_00n, most: 14_500_00n } },
}

/** `{"kind": "liqpay", "publicKey", "privateKeyFile", "url"?, "version"?, "ip"?, "payIn"?, "payout"?}` */
export const readLiqPaySettings = (given: AccountReader): LiqPaySettings => ({
  name: given.name,
  url: given.url('url', 'https://www.liqpay.ua'),
  publicKey: given.text('publicKey'),
  privateKey: given.secret('privateKey'),
  version: given.choice('version', [3, 7], 3),
  ip: given.optional('ip', ''),
  capabilities: given.limits({ payIn: LIQPAY_LIMITS.payIn, payout: {} }, ['UAH']),
  http: given.http(),
})
