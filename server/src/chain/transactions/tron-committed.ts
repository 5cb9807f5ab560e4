import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { tronContractOf } from './tron-plan.ts'

/** sun of stake for each resource */
type ByResource = Record<'ENERGY' | 'BANDWIDTH', bigint>

/** Amounts that transactions of the hot address on TRON take before they are final. */
export interface TronCommitted {
  /** sun that it sends to our accounts or stakes, besides fees */
  sun: bigint
  /** stake that is to be lent or unstaked */
  stake: ByResource
  /** the part of it that no block shows yet */
  unminedStake: ByResource
}

const NO_STAKE: ByResource = { ENERGY: 0n, BANDWIDTH: 0n }

/** Sums the amounts that the hot address sends to our accounts, stakes, lends or unstakes in non-final transactions. */
export const tronCommitted = async (db: Db, hotAddress: string): Promise<TronCommitted> => {
  const { rows } = await sql<{ unsigned: string; state: string }>`select a.unsigned, o.state from outgoing o
    join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.network = 'TRON' and o.purpose in ('gas', 'resources') and ${hotAddress} = any(o.senders)
      and o.state in ('planned', 'signed', 'broadcast', 'mined')`.execute(db)
  const committed: TronCommitted = { sun: 0n, stake: { ...NO_STAKE }, unminedStake: { ...NO_STAKE } }
  for (const { unsigned, state } of rows) {
    const contract = tronContractOf(unsigned)
    if (contract.kind === 'TransferContract' || contract.kind === 'FreezeBalanceV2Contract')
      committed.sun += contract.amount
    if (contract.kind === 'DelegateResourceContract' || contract.kind === 'UnfreezeBalanceV2Contract') {
      committed.stake[contract.resource] += contract.amount
      if (state !== 'mined') committed.unminedStake[contract.resource] += contract.amount
    }
  }
  return committed
}
