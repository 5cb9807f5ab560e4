import { isRefused } from '@bursar/chainkit'
import { CREATE2_DEPLOYER, fromHex, parseDraft, serializeDraft, sweepContracts, sweepMany } from '@bursar/chainkit/evm'
import type { SetCodeDraft, UnsignedTransaction } from '@bursar/chainkit/evm'
import { readTransaction } from './payment.ts'
import type { Judgement } from '../judgement.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { EvmPolicy } from '../../policy/policy.ts'
import type { KeyReference, SignRequest } from '../../protocol/protocol.ts'
import { requirePool } from './rebalance.ts'
import { Refusal } from '../../protocol/refusal.ts'
import { isReplaced } from '../rotation.ts'
import { judgeDeployment } from './sweep-deployment.ts'
import { judgeDirect, judgeTopUp } from './sweep-payments.ts'
import type { SweepPolicy } from '../../policy/sweep-policy.ts'
import { judgeRelay } from './sweep-relay.ts'
import { signDelegation, signingId } from './sweep-signing.ts'
import { ordinary, requireAccounts, requireSponsor, requireTicker } from './sweep-world.ts'
import type { Judged, SweepWorld } from './sweep-world.ts'

/**
 * Parses a sweep and compares it with the policy. Its money can only end at the policy's treasury, or at a deposit
 * address as coin for gas. It must be one of:
 * - a call of our batch, with or without authorisations of deposit addresses to the pinned delegate (EIP-7702)
 * - a call of our relay with signatures of deposit addresses (EIP-3009)
 * - a payment by a deposit address to the treasury
 * - coin for the gas of a deposit address
 * - the deployment of one of these contracts
 *
 * Hot keys pay, and never authorise anything.
 */
export function judgeSweep(policy: EvmPolicy, keyring: Keyring, request: SignRequest): Judgement {
  if (!policy.sweep) throw new Refusal('disabled', `Sweeps on ${policy.network} are not in the policy`)
  const draft = readDraft(request.unsigned)
  const transaction = draft ?? readTransaction(request.unsigned)
  if (transaction.chainId !== policy.chainId) {
    throw new Refusal(
      'network',
      `Chain id ${transaction.chainId} is not ${policy.network}'s, which is ${policy.chainId}`,
    )
  }
  const keys = readKeys(request.keys)
  for (const key of keys) requirePool(key, policy, keyring)
  const sweep = rulesFor(policy.sweep, keyring, keys)
  const world: SweepWorld = { policy, sweep, keyring, keys, addresses: keys.map((key) => keyring.evmAddress(key)) }
  const gas = judgeFee(transaction, sweep)
  const from = world.addresses[0]!
  const conflictKey = `${transaction.chainId}:${from}:${transaction.nonce}`
  const judged = draft ? judgeDelegation(draft, world) : judgePlain(transaction as UnsignedTransaction, world)
  return {
    unsignedId: `${signingId(fromHex(request.unsigned))}:${from}`,
    conflictKeys: [conflictKey],
    fee: gas + judged.spent,
    feeSlot: conflictKey,
    ...(judged.authorizations && { authorizations: judged.authorizations }),
    sign: judged.sign,
  }
}

function readDraft(unsigned: string): SetCodeDraft | undefined {
  if (!unsigned.startsWith('0x04')) return undefined
  const bytes = fromHex(unsigned)
  const draft = parseDraft(bytes)
  if (isRefused(draft)) throw new Refusal('not-parsable', draft.message)
  if (Buffer.compare(serializeDraft(draft), bytes) !== 0) {
    throw new Refusal('not-parsable', 'The transaction is not spelled as chainkit writes it')
  }
  return draft
}

function readKeys(keys: readonly KeyReference[]): KeyReference[] {
  if (keys.length === 0) throw new Refusal('key-mismatch', 'A sweep names the key of its sender')
  for (const [position, { account, branch }] of keys.entries()) {
    if (branch !== 0) throw new Refusal('key-mismatch', 'EVM keys are all on branch 0')
    if (position > 0 && account !== 'deposit') {
      throw new Refusal('key-mismatch', 'Only a deposit address is swept, topped up or delegated, never a hot wallet')
    }
  }
  return [...keys]
}

/**
 * The rules of the sweep: those of the policy, or, for keys of a first seed that a second has replaced, the same with
 * the treasury of the first, which is its first hot address. Throws a Refusal if keys of both seeds take part: an
 * address of the first gets no coin of the second and is in no transaction that the second pays.
 */
function rulesFor(sweep: SweepPolicy, keyring: Keyring, keys: readonly KeyReference[]): SweepPolicy {
  const replaced = keys.filter((key) => isReplaced(keyring, key))
  if (replaced.length === 0) return sweep
  if (replaced.length < keys.length)
    throw new Refusal('rotated', 'The second seed is active, and a sweep has keys of one seed only')
  const treasury = keyring.evmAddress({ account: 'hot', index: 0 })
  return { ...sweep, treasury, contracts: sweepContracts(treasury) }
}

function judgeFee(transaction: UnsignedTransaction | SetCodeDraft, { maxFee }: SweepPolicy): bigint {
  const price = transaction.type === 'legacy' ? transaction.gasPrice : transaction.maxFeePerGas
  const fee = transaction.gas * price
  if (fee > maxFee) throw new Refusal('fee-too-high', `A fee of up to ${fee} wei is above the cap of ${maxFee}`)
  return fee
}

function judgeDelegation(draft: SetCodeDraft, world: SweepWorld): Judged {
  const { sweep, keyring, keys, addresses } = world
  const { address: delegate } = sweep.contracts.delegate
  judgeBatch(draft, world)
  const authorities = addresses.slice(1, 1 + draft.authorizations.length)
  if (authorities.length < draft.authorizations.length) {
    throw new Refusal('key-mismatch', 'Every authorisation has a key, next after that of the sender')
  }
  const authorizations = draft.authorizations.map((authorization, index) => {
    if (authorization.chainId !== draft.chainId) {
      throw new Refusal('network', `An authorisation is for chain id ${authorization.chainId}`)
    }
    if (authorization.delegate !== delegate) {
      throw new Refusal('destination-mismatch', `${authorization.delegate} is not the pinned delegate ${delegate}`)
    }
    const account = `${authorization.chainId}:${authorities[index]!}`
    return { account, nonce: authorization.nonce.toString(), delegate: authorization.delegate }
  })
  return { spent: 0n, authorizations, sign: () => signDelegation(draft, keyring, keys, addresses) }
}

/**
 * Throws a Refusal unless this is a call of our batch with enabled assets and exactly the addresses whose keys are
 * named.
 */
function judgeBatch({ to, value, data }: Pick<UnsignedTransaction, 'to' | 'value' | 'data'>, world: SweepWorld): void {
  const { address } = world.sweep.contracts.batch
  requireSponsor(world)
  if (to !== address) throw new Refusal('destination-mismatch', `A batch calls ${address}, not ${to}`)
  if (value !== 0n) throw new Refusal('amount-mismatch', 'A batch sends no coin')
  const groups = sweepMany.decode(data)
  if (!groups) throw new Refusal('unknown-output', 'The call is not exactly sweep of our batch')
  for (const asset of new Set(groups.flatMap(({ assets }) => assets))) requireTicker(asset, world.policy)
  requireAccounts(
    groups.flatMap(({ accounts }) => accounts),
    world,
  )
}

function judgePlain(transaction: UnsignedTransaction, world: SweepWorld): Judged {
  const { sweep, keys } = world
  const { batch, relay } = sweep.contracts
  if (transaction.to === batch.address) {
    judgeBatch(transaction, world)
    return ordinary(transaction, world)
  }
  if (transaction.to === relay.address) return judgeRelay(transaction, world)
  if (keys[0]!.account === 'hot' && transaction.to === CREATE2_DEPLOYER) return judgeDeployment(transaction, world)
  if (keys[0]!.account === 'hot') return judgeTopUp(transaction, world)
  return judgeDirect(transaction, world)
}
