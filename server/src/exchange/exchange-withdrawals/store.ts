import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import type { CausedBy } from './notice.ts'

export interface ExchangeWithdrawal {
  merchantId: string
  /** also the id of its withdrawal */
  id: string
  exchangeId: string
  kind: 'crypto' | 'fiat'
  localId: string | null
  meta: string | null
  causedBy: CausedBy | null
  createdAt: Date
}

export const insertExchangeWithdrawal = async (tx: Tx, e: ExchangeWithdrawal): Promise<void> => {
  await sql`insert into exchange_withdrawals(merchant_id, id, exchange_id, kind, local_id, meta, caused_by, created_at)
    values (${e.merchantId}, ${e.id}, ${e.exchangeId}, ${e.kind}, ${e.localId}, ${e.meta}, ${e.causedBy}, ${e.createdAt})`.execute(
    tx,
  )
}
