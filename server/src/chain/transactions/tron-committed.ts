import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { tronContractOf } from './tron-plan.ts'

/**
 * Sums what the hot address on TRON sends to our accounts, or stakes, in transactions that are not final yet.
 * @returns `sun` besides fees; `stake` that is to be lent and that no block shows yet
 */
export const tronCommitted = async (db: Db, hotAddress: string): Promise<{ sun: bigint; stake: bigint }> => {
  const { rows } = await sql<{ unsigned: string; state: string }>`select a.unsigned, o.state from outgoing o
    join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.network = 'TRON' and o.purpose in ('gas', 'resources') and ${hotAddress} = any(o.senders)
      and o.state in ('planned', 'signed', 'broadcast', 'mined')`.execute(db)
  const committed = { sun: 0n, stake: 0n }
  for (const { unsigned, state } of rows) {
    const contract = tronContractOf(unsigned)
    if (contract.kind === 'TransferContract' || contract.kind === 'FreezeBalanceV2Contract')
      committed.sun += contract.amount
    if (contract.kind === 'DelegateResourceContract' && state !== 'mined') committed.stake += contract.amount
  }
  return committed
}
