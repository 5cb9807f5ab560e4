import type { EvmNetwork } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { AccountChainAdapter, AccountState } from '../../adapters/chains/port.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { currentState } from './jobs-state.ts'
import { freeForgotten } from './nonces.ts'

interface NonceDeps {
  runtime: Runtime
  network: EvmNetwork
  adapter: AccountChainAdapter
  hotAddress: string
  /** state of the chain; read when absent */
  state?: Pick<AccountState, 'minedNonce'>
}

/**
 * Whether the chain has used no more nonces of a hot address than the database handed out. If not, the database is
 * older than the chain, and an alert is raised. The first time, the address begins its nonces where the chain is.
 */
export const isNonceSound = async (deps: NonceDeps): Promise<boolean> => {
  const { runtime, network, hotAddress, state } = deps
  const mined = await (state ?? (await currentState(deps))).minedNonce(hotAddress)
  const { rows } = await sql<{ next: number }>`insert into hot_wallets(network, address, next_nonce)
    values (${network}, ${hotAddress}, ${mined}) on conflict (network, address) do update set address = hot_wallets.address
    returning next_nonce as next`.execute(runtime.db)
  const { next } = rows[0]!
  const moment = momentOf(runtime)
  const alert = { kind: 'nonce-ahead', subject: `${network}/${hotAddress}` } as const
  if (mined > next) {
    const text =
      `${hotAddress} on ${network} has used nonce ${mined - 1}, but the database only handed out ${next - 1}: ` +
      'it may be an old copy. Nothing is sent from it until the two agree; see docs/operating/recovery.md'
    await raiseAlert(runtime.db, { ...alert, text }, moment)
    return false
  }
  await resolveAlert(runtime.db, alert.kind, alert.subject, moment.at)
  // A nonce that the chain has mined stays used, even if another transaction used it.
  await freeForgotten(runtime.db, network, hotAddress, mined, moment.at)
  await sql`delete from free_nonces where network = ${network} and address = ${hotAddress} and nonce < ${mined}`.execute(
    runtime.db,
  )
  return true
}
