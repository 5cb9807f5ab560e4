/** Settings of crypto invoices, as app/composition/invoicing.ts composes them. */
import { releaseConversions } from '../../server/src/exchange/conversions/index.ts'
import {
  createClaimTokens,
  createInvoices,
  createRefundSubscriber,
  type ClaimSettings,
} from '../../server/src/pay-in/crypto-invoices/index.ts'
import type { Effects } from '../../server/src/ledger/effects/index.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import type { Tx } from '../../server/src/platform/db/index.ts'
import { TEST_KEYS } from '../world/keys.ts'
import { catalogue, USD } from './assets.ts'

const MINUTE = 60_000
const publicUrl = 'https://pay.example'

export const invoiceSettings: ClaimSettings = {
  catalogue,
  networks: catalogue.networks,
  keys: TEST_KEYS,
  prices: async () => USD,
  quoteMs: 15 * MINUTE,
  minedWithinMs: 24 * 60 * MINUTE,
  publicUrl,
  claimTokens: createClaimTokens([new Uint8Array(32).fill(3)]),
  destinationOf: (_network, address) => (address.startsWith('0x') ? address.toLowerCase() : undefined),
  onPaid: releaseConversions,
}

export const withdrawalSubscribers = [createRefundSubscriber({ catalogue, publicUrl })]

const invoices = createInvoices(invoiceSettings)

/** The payer continues: the invoice gets its address. */
export const proceed = (tx: Tx, id: string, moment: Moment): Promise<Effects> => invoices.proceed(tx, id, {}, moment)

/** The payer of an underpaid invoice asks for the money back. */
export const claim = (tx: Tx, id: string, refundAddress: string, moment: Moment): Promise<Effects> =>
  invoices.claim(tx, id, invoiceSettings.claimTokens.of(id), { refundAddress }, moment)
