import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'

/**
 * Records that a deposit arrived at these addresses. The first deposit moves the end of a rotating address to a set
 * time after it (`contract.md` 5.3). Permanent addresses, those of invoices and those that have ended are not changed.
 * @param at when it arrived, on the business clock
 */
export const replenish = async (
  tx: Tx,
  addresses: readonly { merchantId: string; addressId: string }[],
  at: Date,
): Promise<void> => {
  if (addresses.length === 0) return
  await sql`update addresses a set replenished_at = ${at},
      leased_until = ${at}::timestamptz + a.lease_after_deposit_ms * interval '1 millisecond'
    from unnest(${addresses.map((a) => a.merchantId)}::uuid[], ${addresses.map((a) => a.addressId)}::uuid[]) u(m, i)
    where a.merchant_id = u.m and a.id = u.i and a.replenished_at is null and a.leased_until > ${at}
      and a.lease_after_deposit_ms is not null`.execute(tx)
}
