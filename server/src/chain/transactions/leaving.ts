import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { valueOf } from './coin-under-way.ts'
import { askedOf } from './shown.ts'
import { tronContractOf } from './tron-plan.ts'

/**
 * Sums the amounts that unmined transactions of an address on an account chain take from it: the coin that they send,
 * stake or pay as fees, and the tokens that they send. Of several attempts of a transaction the one that takes most
 * counts, because any of them may be mined.
 * @returns chain units, by the token's contract as blocks name it; null is the coin
 */
export const leavingFrom = async (
  db: Db | Tx,
  network: Network,
  address: string,
): Promise<ReadonlyMap<string | null, bigint>> => {
  const { rows } = await sql<{
    id: string
    unsigned: string
    fee: bigint
  }>`select o.id, a.unsigned, a.network_fee as fee from outgoing o join outgoing_attempts a on a.outgoing_id = o.id
    where o.network = ${network} and o.senders[1] = ${address} and o.state in ('planned', 'signed', 'broadcast')`.execute(
    db,
  )
  const sums = new Map<string | null, bigint>()
  for (const attempts of Map.groupBy(rows, ({ id }) => id).values()) {
    const most = new Map<string | null, bigint>()
    const raise = (key: string | null, units: bigint): void => void most.set(key, larger(most.get(key) ?? 0n, units))
    for (const { unsigned, fee } of attempts) {
      raise(null, coinOf(network, unsigned) + fee)
      const asked = askedOf(network, unsigned)
      if (asked) raise(asked.contract, asked.units)
    }
    for (const [key, units] of most) sums.set(key, (sums.get(key) ?? 0n) + units)
  }
  return sums
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const coinOf = (network: Network, unsigned: string): bigint => {
  if (isEvmNetwork(network)) return valueOf(unsigned)
  const contract = tronContractOf(unsigned)
  if (contract.kind === 'TransferContract' || contract.kind === 'FreezeBalanceV2Contract') return contract.amount
  return contract.kind === 'TriggerSmartContract' ? contract.callValue : 0n
}
