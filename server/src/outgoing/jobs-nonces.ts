import type { EvmNetwork } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { AccountChainAdapter } from '../adapters/chains/port.ts'
import { raiseAlert } from '../platform/alerts.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'

interface NonceDeps {
  runtime: Runtime
  network: EvmNetwork
  adapter: AccountChainAdapter
  hotAddress: string
}

/** A chain that has seen more nonces than the database handed out means the database is older than the chain: stop. */
export const isNonceSound = async (deps: NonceDeps): Promise<boolean> => (await soundNonce(deps)) !== undefined

/** The nonce a hot address has next, or undefined, which is told, when the chain and the database do not agree. */
export const soundNonce = async ({ runtime, network, adapter, hotAddress }: NonceDeps): Promise<number | undefined> => {
  const mined = await adapter.minedNonce(hotAddress)
  const { rows } = await sql<{ next: number }>`insert into hot_wallets(network, address, next_nonce)
    values (${network}, ${hotAddress}, ${mined}) on conflict (network, address) do update set address = hot_wallets.address
    returning next_nonce as next`.execute(runtime.db)
  const { next } = rows[0]!
  if (mined <= next) return next
  const text = `${hotAddress} on ${network} has used nonce ${mined - 1}, but the database only handed out ${next - 1}: ` +
    'it may be an old copy. Nothing is sent from it until the two agree; see docs/operating/recovery.md'
  await raiseAlert(runtime.db, { kind: 'nonce-ahead', subject: `${network}/${hotAddress}`, text }, momentOf(runtime))
  return undefined
}
