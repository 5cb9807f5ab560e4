import { relayTransfers } from '@bursar/chainkit/evm'
import type { Hex, TokenDomain, UnsignedTransaction } from '@bursar/chainkit/evm'
import { signTransfers } from '@bursar/chainkit/signing'
import { signRead } from './payment.ts'
import { Refusal } from '../../protocol/refusal.ts'
import { requireAccounts, requireSponsor, requireTicker } from './sweep-world.ts'
import type { Judged, SweepWorld } from './sweep-world.ts'

/** Judges a call of our relay, with transfers that deposit addresses sign now (EIP-3009). */
export function judgeRelay(transaction: UnsignedTransaction, world: SweepWorld): Judged {
  requireSponsor(world)
  if (transaction.value !== 0n) throw new Refusal('amount-mismatch', 'A sweep through the relay sends no coin')
  const call = relayTransfers.decode(transaction.data)
  if (!call) throw new Refusal('unknown-output', 'The call is none of those that our relay supports')
  requireDraft(call.transfers.every(({ signature }) => !signature))
  const senders = call.transfers.map(({ from }) => from)
  requireAccounts(senders, world, true)
  const domain = domainOf(call.token, world)
  const { treasury } = world.sweep
  return signedCall(transaction, world, (keys) => relayTransfers.encode(signTransfers(call, domain, treasury, keys)))
}

/**
 * Completes the transaction with the deposit addresses' signatures in its call. @param fill gets their keys, in order
 */
function signedCall(
  transaction: UnsignedTransaction,
  { keyring, keys, addresses }: SweepWorld,
  fill: (keys: Uint8Array[]) => Hex,
): Judged {
  const sign: Judged['sign'] = () => {
    const data = keyring.withEvmKeys(keys.slice(1), fill)
    return signRead({ ...transaction, data }, keys[0]!, addresses[0]!, keyring)
  }
  return { spent: 0n, sign }
}

function requireDraft(isDraft: boolean): void {
  if (!isDraft) throw new Refusal('not-parsable', 'The transaction to sign contains signatures already')
}

function domainOf(token: Hex, { policy, sweep }: SweepWorld): TokenDomain {
  const ticker = requireTicker(token, policy)
  const domain = sweep.domains.get(ticker)
  if (!domain) throw new Refusal('unknown-asset', `${ticker} has no domain for signatures in the policy`)
  return { ...domain, chainId: policy.chainId, contract: token }
}
