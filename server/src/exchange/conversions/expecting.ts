import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Deposit, CreditedSubscriber } from '../../pay-in/deposits/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import type { Target } from './conversion.ts'
import { insertConversion, targetsOf } from './store.ts'

export interface ExpectingDeps {
  /** invoices by their addresses */
  invoicesAt(tx: Tx, merchantId: string, addressIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** whether a deposit counts for an invoice that is not paid yet: it may still be refunded to its payer unconverted */
  isAsked(tx: Tx, invoiceId: string, deposit: Pick<Deposit, 'merchantId' | 'asset' | 'network'>): Promise<boolean>
  /** the asset to which a merchant's money without a target of its own is converted; null: none */
  defaultTicker(tx: Tx, merchantId: string): Promise<string | null>
}

/** Creates the subscriber that records conversions in the transaction that credits deposits. */
export const createDepositExpecting =
  ({ invoicesAt, isAsked, defaultTicker }: ExpectingDeps): CreditedSubscriber =>
  async (tx, credited, moment) => {
    for (const { deposit } of credited) {
      const { merchantId, addressId } = deposit
      const invoiceId = (await invoicesAt(tx, merchantId, [addressId])).get(addressId)
      const owner = invoiceId ?? addressId
      const target =
        (await targetsOf(tx, merchantId, [owner])).get(owner) ?? (await standardTarget(tx, merchantId, defaultTicker))
      if (!target) continue
      const held = invoiceId !== undefined && (await isAsked(tx, invoiceId, deposit))
      await expect(tx, deposit, { invoiceId, target, held }, moment)
    }
    return noEffects
  }

const standardTarget = async (
  tx: Tx,
  merchantId: string,
  defaultTicker: ExpectingDeps['defaultTicker'],
): Promise<Target | undefined> => {
  const ticker = await defaultTicker(tx, merchantId)
  return ticker === null ? undefined : { ticker, address: null, blockchain: null }
}

const expect = async (
  tx: Tx,
  deposit: Deposit,
  { invoiceId, target, held }: { invoiceId: string | undefined; target: Target; held: boolean },
  { at }: Moment,
): Promise<void> => {
  const { merchantId, id, asset, units, fee } = deposit
  if (units === fee || (asset === target.ticker && target.address === null)) return
  const cause =
    invoiceId === undefined
      ? ({ causedBy: 'crypto-replenishment', causeId: id } as const)
      : ({ causedBy: 'crypto-invoice', causeId: invoiceId } as const)
  await insertConversion(
    tx,
    { merchantId, id, ...cause, ticker: asset, units: units - fee, target, createdAt: at },
    held,
  )
}

/** Records the conversion of a fiat payment, in the transaction that credits it. @param units less our fee */
export const expectFiat = async (
  tx: Tx,
  {
    merchantId,
    id,
    invoiceId,
    ticker,
    units,
  }: { merchantId: string; id: string; invoiceId: string; ticker: string; units: bigint },
  defaultTicker: ExpectingDeps['defaultTicker'],
  { at }: Moment,
): Promise<void> => {
  const target =
    (await targetsOf(tx, merchantId, [invoiceId])).get(invoiceId) ??
    (await standardTarget(tx, merchantId, defaultTicker))
  if (!target || target.ticker === ticker || units <= 0n) return
  await insertConversion(tx, {
    merchantId,
    id,
    causedBy: 'fiat-invoice',
    causeId: invoiceId,
    ticker,
    units,
    target,
    createdAt: at,
  })
}
