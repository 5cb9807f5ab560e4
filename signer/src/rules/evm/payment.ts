import { isRefused, NATIVE_TICKER } from '@bursar/chainkit'
import {
  decodeTransfer,
  fromHex,
  isHex,
  parseAddress,
  parseSigned,
  parseUnsigned,
  serializeUnsigned,
  signingHash,
  toHex,
} from '@bursar/chainkit/evm'
import type { Hex, UnsignedTransaction } from '@bursar/chainkit/evm'
import { signTransaction } from '@bursar/chainkit/signing'
import type { Judgement } from '../judgement.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { EvmPolicy } from '../../policy/policy.ts'
import type { Intent, KeyReference, SignRequest } from '../../protocol/protocol.ts'
import { judgeRebalance, requirePool } from './rebalance.ts'
import { Refusal } from '../../protocol/refusal.ts'

/**
 * Parses an unsigned EVM transaction and compares it with the request's only intent. It must be a transfer of native
 * coin without data, or a call of `transfer` on the token's contract in the policy, from a deposit address or from one
 * of the policy's hot addresses. A filler sends 0 to its own address; a rebalancing pays another hot address. This rule
 * signs no other transaction type (EIP-2930, 4844, 7702) and no other chain id; sweeps have a rule of their own.
 */
export function judgeEvm(policy: EvmPolicy, keyring: Keyring, request: SignRequest): Judgement {
  if (request.purpose === 'treasury') throw new Refusal('network', 'On EVM chains nothing is staked or lent')
  const transaction = readTransaction(request.unsigned)
  if (transaction.chainId !== policy.chainId) {
    throw new Refusal(
      'network',
      `Chain id ${transaction.chainId} is not ${policy.network}'s, which is ${policy.chainId}`,
    )
  }
  const key = readKey(request)
  requirePool(key, policy, keyring)
  const from = keyring.evmAddress(key)
  if (request.purpose === 'filler') judgeFiller(transaction, from)
  else if (request.purpose === 'rebalance') judgeRebalance(transaction, request.keys, keyring, policy)
  else judgePayment(transaction, policy, request.intents)
  const conflictKey = `${transaction.chainId}:${from}:${transaction.nonce}`
  return {
    unsignedId: `${toHex(signingHash(transaction))}:${from}`,
    conflictKeys: [conflictKey],
    fee: judgeFee(transaction, policy),
    feeSlot: conflictKey,
    sign: () => signRead(transaction, key, from, keyring),
  }
}

/** Parses a transaction. Throws a Refusal unless the bytes are exactly those that chainkit writes for it. */
export function readTransaction(unsigned: string): UnsignedTransaction {
  if (!isHex(unsigned)) throw new Refusal('not-parsable', 'An EVM transaction is given as hex with 0x before it')
  const bytes = fromHex(unsigned)
  const transaction = parseUnsigned(bytes)
  if (isRefused(transaction)) {
    throw new Refusal(transaction.refused === 'unsupported' ? 'network' : 'not-parsable', transaction.message)
  }
  if (Buffer.compare(serializeUnsigned(transaction), bytes) !== 0) {
    throw new Refusal('not-parsable', 'The transaction is not spelled as chainkit writes it')
  }
  return transaction
}

/** The signing key. Only a transfer between hot addresses names a second key, the receiver's. */
function readKey({ purpose, keys: [key, ...more] }: SignRequest): KeyReference {
  if (!key || (more.length > 0 && purpose !== 'rebalance'))
    throw new Refusal('key-mismatch', 'An EVM transaction is signed by exactly one key')
  if (key.branch !== 0) throw new Refusal('key-mismatch', 'EVM keys are all on branch 0')
  return key
}

function judgeFiller({ to, value, data }: UnsignedTransaction, from: Hex): void {
  if (to !== from) throw new Refusal('destination-mismatch', `A filler goes to its own address ${from}`)
  if (value !== 0n) throw new Refusal('amount-mismatch', 'A filler sends nothing')
  if (data !== '0x') throw new Refusal('unknown-output', 'A filler carries no data')
}

function judgePayment(transaction: UnsignedTransaction, policy: EvmPolicy, intents: readonly Intent[]): void {
  const [intent, ...more] = intents
  if (!intent || more.length > 0) throw new Refusal('bad-request', 'An EVM transaction pays exactly one intent')
  const to = readDestination(intent)
  const contract = policy.assets.get(intent.asset)?.contract
  const paid = contract
    ? readTokenPayment(transaction, contract, intent)
    : readNativePayment(transaction, policy, intent)
  if (paid.to !== to) {
    throw new Refusal('destination-mismatch', `The transaction pays ${paid.to}; the intent says ${to}`)
  }
  if (paid.units !== BigInt(intent.units)) {
    throw new Refusal('amount-mismatch', `The transaction pays ${paid.units}; the intent says ${intent.units}`)
  }
}

function readDestination({ id, to }: Intent): Hex {
  const parsed = parseAddress(to)
  if (isRefused(parsed)) throw new Refusal('destination-mismatch', `Intent ${id}: ${parsed.message}`)
  if (parsed.address !== to) {
    throw new Refusal('destination-mismatch', `Intent ${id}: write the address as ${parsed.address}`)
  }
  return parsed.address
}

function readNativePayment({ to, value, data }: UnsignedTransaction, policy: EvmPolicy, { asset }: Intent): Payment {
  if (asset !== NATIVE_TICKER[policy.network]) {
    throw new Refusal('unknown-asset', `${asset} has no contract in the policy`)
  }
  if (data !== '0x') throw new Refusal('unknown-output', 'A payment of the native coin carries no data')
  return { to, units: value }
}

interface Payment {
  to: Hex
  units: bigint
}

function readTokenPayment({ to, value, data }: UnsignedTransaction, contract: string, { asset }: Intent): Payment {
  if (to !== contract) throw new Refusal('destination-mismatch', `${asset} is the contract ${contract}, not ${to}`)
  if (value !== 0n) throw new Refusal('amount-mismatch', 'A token payment sends no native coin')
  const transfer = decodeTransfer(data)
  if (!transfer) throw new Refusal('unknown-output', 'The call is not exactly transfer(address,uint256)')
  return transfer
}

/** The highest possible fee: the whole gas limit at the maximum price. Throws a Refusal above the policy's cap. */
function judgeFee(transaction: UnsignedTransaction, { fee: { maxUnits } }: EvmPolicy): bigint {
  const price = transaction.type === 'legacy' ? transaction.gasPrice : transaction.maxFeePerGas
  const fee = transaction.gas * price
  if (fee > maxUnits) throw new Refusal('fee-too-high', `A fee of up to ${fee} wei is above the cap of ${maxUnits}`)
  return fee
}

/** Signs a transaction, then parses the signed bytes and throws unless they are the transaction that was judged. */
export function signRead(
  transaction: UnsignedTransaction,
  key: KeyReference,
  from: Hex,
  keyring: Keyring,
): ReturnType<Judgement['sign']> {
  const { raw, hash } = keyring.withEvmKey(key, (privateKey) => signTransaction(transaction, privateKey))
  const parsed = parseSigned(raw, keyring.evmRecovery(key))
  const isTheSame =
    !isRefused(parsed) &&
    parsed.from === from &&
    Buffer.compare(serializeUnsigned(parsed.transaction), serializeUnsigned(transaction)) === 0
  if (!isTheSame) throw new Error('The signed transaction is not the one that was judged')
  return { signed: toHex(raw), hash }
}
