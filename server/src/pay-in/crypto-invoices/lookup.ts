import type { Catalogue } from '../../market/assets/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { ClaimLine } from './claims-store.ts'
import type { Invoice } from './invoice.ts'
import { paidText, priceFields, scaleOf } from './notice.ts'

/** The body of the lookup (`contract.md` 5.16), without empty fields. */
export const lookupBody = (
  invoice: Invoice,
  more: { url: string; company: { name: string; url: string }; claim: ClaimLine | undefined },
  catalogue: Catalogue,
): Record<string, unknown> => {
  const {
    id,
    merchantId,
    name,
    description,
    meta,
    linkId,
    email,
    state,
    createdAt,
    expiresAt,
    clientExpiresAt,
    base,
    address,
    fee,
  } = invoice
  const { url, company, claim } = more
  return {
    id,
    merchantId,
    company: { name: company.name, url: company.url },
    name,
    ...(description === null || description === '' ? {} : { description }),
    ...(meta === null || meta === '' ? {} : { meta }),
    ...(linkId === null ? {} : { linkId }),
    ...(email === null ? {} : { email }),
    status: state.toUpperCase(),
    url,
    createdAt: createdAt.getTime(),
    expiredAt: expiresAt.getTime(),
    clientExpiredAt: clientExpiresAt.getTime(),
    amount: amountBody(invoice, catalogue),
    ...(base === null ? {} : { baseAmount: { value: formatUnits(base.e18, 18), ticker: base.ticker } }),
    ...priceFields(invoice),
    ...(address === null ? {} : { address }),
    paidAmount: paidText(invoice, catalogue),
    ...(state === 'paid' ? { fee: formatUnits(fee, scaleOf(invoice, catalogue)) } : {}),
    ...(claim === undefined ? {} : { claim: claimBody(claim) }),
  }
}

const amountBody = (invoice: Invoice, catalogue: Catalogue): Record<string, string> | null => {
  const { ticker, blockchain, units } = invoice
  if (ticker === null) return null
  return {
    ...(units === null ? {} : { value: formatUnits(units, scaleOf(invoice, catalogue)) }),
    ticker,
    ...(blockchain === null ? {} : { blockchain }),
  }
}

const claimBody = ({ state, refundAddress, withdrawalId }: ClaimLine): Record<string, string> => ({
  status: state.toUpperCase(),
  refundAddress,
  ...(withdrawalId === null ? {} : { withdrawalId }),
})
