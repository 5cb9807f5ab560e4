import { generalErrors } from '@bursar/contract'
import type { Merchant } from '../../merchants/accounts/index.ts'
import { refusal } from '../../platform/api/route.ts'

/** Operations that a merchant which is ending can't use: they bring it new money. */
const BRINGS_MONEY: ReadonlySet<string> = new Set([
  'createAddress',
  'createRotatingAddress',
  'createCryptoInvoice',
  'createFiatInvoice',
])

/** Refuses a new order of a merchant that is leaving (docs/operating/leaving.md). Reading is always allowed. */
export const requireService = (
  { service }: Pick<Merchant, 'service'>,
  { id, movesMoney }: { id: string; movesMoney: boolean },
): void => {
  if (service === 'active' || (service === 'ending' && !BRINGS_MONEY.has(id))) return
  if (!BRINGS_MONEY.has(id) && !movesMoney) return
  const why =
    service === 'ending'
      ? 'the merchant is ending: it gets no new invoices and addresses'
      : 'the merchant has ended: it places no orders'
  throw refusal(generalErrors.conflict, `${why}. Ask the operator`)
}
