import type { EvmNetwork } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { AccountChainAdapter } from '../adapters/chains/port.ts'
import { raiseAlert } from '../platform/alerts.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'

/** A chain that has seen more nonces than the database handed out means the database is older than the chain: stop. */
export const isNonceSound = async (deps: {
  runtime: Runtime
  network: EvmNetwork
  adapter: AccountChainAdapter
  hotAddress: string
}): Promise<boolean> => {
  const { runtime, network, adapter, hotAddress } = deps
  const mined = await adapter.minedNonce(hotAddress)
  const { rows } = await sql<{ next: number }>`insert into hot_wallets(network, address, next_nonce)
    values (${network}, ${hotAddress}, ${mined}) on conflict (network) do update set address = hot_wallets.address
    returning next_nonce as next`.execute(runtime.db)
  if (mined <= rows[0]!.next) return true
  const text = `${hotAddress} on ${network} has used nonce ${mined - 1}, but the database only handed out ${rows[0]!.next - 1}: ` +
    'it may be an old copy. Nothing is sent until the two agree; see docs/operating/recovery.md'
  await raiseAlert(runtime.db, { kind: 'nonce-ahead', subject: network, text }, momentOf(runtime))
  return false
}
