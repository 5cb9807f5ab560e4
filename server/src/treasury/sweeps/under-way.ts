import type { Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'

/** SQL that is true where an address is being swept, or has borrowed energy. @param address as SQL */
export const isBeingSwept = (network: Network, address: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(exists (select from sweeps s where s.network = ${network} and s.address = ${address}
    and s.state not in ('final', 'failed', 'replaced'))
  ${network === 'TRON' ? sql`or exists (select from tron_loans l where l.address = ${address} and l.closed_at is null)` : sql``})`
