import { isRefused, NATIVE_TICKER } from '@bursar/chainkit'
import {
  MAX_LIFETIME_MS,
  bandwidthOf,
  decodeTokenTransfer,
  parseAddress,
  parseSigned,
  parseUnsigned,
  serializeUnsigned,
  transactionId,
} from '@bursar/chainkit/tron'
import type { Contract, UnsignedTransaction } from '@bursar/chainkit/tron'
import { signTronTransaction } from '@bursar/chainkit/signing'
import type { BoundResources } from '../../log/entry.ts'
import type { Judgement } from '../judgement.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { TronPolicy } from '../../policy/policy.ts'
import type { Intent, KeyReference, SignRequest } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'
import { judgeTronSweep } from './sweep.ts'
import { judgeTreasury } from './treasury.ts'

/**
 * Parses TRON's `raw_data` and compares it with the request's only intent. TRX is paid by a TransferContract, or to a
 * contract by a call without data; a token is paid by a call of `transfer` on its contract in the policy. Sweeps and
 * treasury transactions have only our own accounts as receivers. A TRON transaction names no chain; only the block that
 * it refers to ties it to one.
 * @param now ms since the epoch
 */
export function judgeTron(policy: TronPolicy, keyring: Keyring, request: SignRequest, now: number): Judgement {
  const transaction = readTransaction(request.unsigned)
  const key = readKey(request.keys)
  const owner = keyring.tronAddress(key)
  if (transaction.contract.owner !== owner) {
    throw new Refusal('key-mismatch', `The key has ${owner}, not ${transaction.contract.owner}`)
  }
  if (request.purpose === 'filler') throw new Refusal('network', 'TRON has no fillers: there are no nonces to fill')
  const { given = 0n, bound } = judgeContract(transaction.contract, policy, keyring, key, request)
  const hash = transactionId(transaction)
  return {
    unsignedId: hash,
    conflictKeys: [],
    fee: judgeFee(transaction, policy) + given,
    feeSlot: hash,
    expiresAt: judgeExpiration(transaction, lifetimeOf(request, policy), now),
    ...(bound && { bound }),
    sign: () => sign(transaction, key, owner, keyring),
  }
}

/** @returns `given`: sun for one of our accounts to pay its fees; `bound`: the staked or lent amount */
function judgeContract(
  contract: Contract,
  policy: TronPolicy,
  keyring: Keyring,
  key: KeyReference,
  { purpose, intents, receiver }: SignRequest,
): { given?: bigint; bound?: BoundResources | undefined } {
  if (purpose === 'sweep') return { given: judgeTronSweep(contract, policy, keyring, key, receiver) }
  if (purpose === 'treasury') return { bound: judgeTreasury(contract, policy, keyring, receiver) }
  judgePayment(contract, policy, intents)
  return {}
}

function readTransaction(unsigned: string): UnsignedTransaction {
  if (unsigned.startsWith('0x')) throw new Refusal('not-parsable', 'A transaction of TRON is given as hex without 0x')
  const transaction = parseUnsigned(Buffer.from(unsigned, 'hex'))
  if (isRefused(transaction)) throw new Refusal('not-parsable', transaction.message)
  return transaction
}

function readKey([key, ...more]: readonly KeyReference[]): KeyReference {
  if (!key || more.length > 0) throw new Refusal('key-mismatch', 'A transaction of TRON is signed by exactly one key')
  if (key.branch !== 0) throw new Refusal('key-mismatch', 'Keys of TRON are all on branch 0')
  return key
}

function judgePayment(contract: Contract, policy: TronPolicy, intents: readonly Intent[]): void {
  const [intent, ...more] = intents
  if (!intent || more.length > 0) throw new Refusal('bad-request', 'A transaction of TRON pays exactly one intent')
  const to = readDestination(intent)
  const token = policy.assets.get(intent.asset)?.contract
  const paid = token ? readTokenPayment(contract, token, intent) : readNativePayment(contract, intent)
  if (paid.to !== to) {
    throw new Refusal('destination-mismatch', `The transaction pays ${paid.to}; the intent says ${to}`)
  }
  if (paid.units !== BigInt(intent.units)) {
    throw new Refusal('amount-mismatch', `The transaction pays ${paid.units}; the intent says ${intent.units}`)
  }
}

function readDestination({ id, to }: Intent): string {
  const parsed = parseAddress(to)
  if (isRefused(parsed)) throw new Refusal('destination-mismatch', `Intent ${id}: ${parsed.message}`)
  return parsed.address
}

interface Payment {
  to: string
  units: bigint
}

function readNativePayment(contract: Contract, { asset }: Intent): Payment {
  if (asset !== NATIVE_TICKER.TRON) throw new Refusal('unknown-asset', `${asset} has no contract in the policy`)
  if (contract.kind === 'TransferContract') return { to: contract.to, units: contract.amount }
  if (contract.kind !== 'TriggerSmartContract') {
    throw new Refusal(
      'unknown-output',
      `TRX is sent by a TransferContract or a call of the contract that receives it, not by a ${contract.kind}`,
    )
  }
  // java-tron allows no other payment to a contract. Without data, only the receiver's own function for plain payments
  // runs.
  if (contract.data !== '0x') throw new Refusal('unknown-output', 'A call that sends TRX must have no data')
  return { to: contract.contract, units: contract.callValue }
}

function readTokenPayment(contract: Contract, token: string, { asset }: Intent): Payment {
  if (contract.kind !== 'TriggerSmartContract') {
    throw new Refusal('unknown-output', `${asset} is sent by a call of its contract, not by a ${contract.kind}`)
  }
  if (contract.contract !== token) {
    throw new Refusal('destination-mismatch', `${asset} is the contract ${token}, not ${contract.contract}`)
  }
  if (contract.callValue !== 0n) throw new Refusal('amount-mismatch', 'A token payment sends no TRX')
  const transfer = decodeTokenTransfer(contract.data)
  if (!transfer) throw new Refusal('unknown-output', 'The call is not exactly transfer(address,uint256)')
  return transfer
}

/**
 * The highest possible fee, as if nothing were staked and the receiver not activated. Throws a Refusal above the
 * policy's cap.
 */
function judgeFee(transaction: UnsignedTransaction, { fee }: TronPolicy): bigint {
  const { kind } = transaction.contract
  const bandwidth = BigInt(bandwidthOf(transaction)) * fee.bandwidthPrice
  const mayActivate = kind === 'TransferContract' || kind === 'AccountCreateContract'
  const most = transaction.feeLimit + (mayActivate && fee.activation > bandwidth ? fee.activation : bandwidth)
  if (most > fee.maxUnits) throw new Refusal('fee-too-high', `A fee of up to ${most} sun is above ${fee.maxUnits}`)
  return most
}

/** A transfer to cold storage, which a person signs on another machine, may last as long as the chain allows. */
function lifetimeOf({ purpose }: SignRequest, { maxLifetimeMs }: TronPolicy): number {
  return purpose === 'cold' ? MAX_LIFETIME_MS : maxLifetimeMs
}

function judgeExpiration({ expiration }: UnsignedTransaction, maxLifetimeMs: number, now: number): number {
  if (expiration <= now) throw new Refusal('expiration', 'The transaction has expired: build it again')
  if (expiration > now + maxLifetimeMs) {
    throw new Refusal('expiration', `The transaction expires more than ${maxLifetimeMs} ms from now`)
  }
  return expiration
}

/** Signs a transaction, then parses the signed bytes and throws unless they are the transaction that was judged. */
function sign(
  transaction: UnsignedTransaction,
  key: KeyReference,
  owner: string,
  keyring: Keyring,
): ReturnType<Judgement['sign']> {
  const { raw, hash } = keyring.withTronKey(key, (privateKey) => signTronTransaction(transaction, privateKey))
  const parsed = parseSigned(raw)
  const isTheSame =
    !isRefused(parsed) &&
    parsed.from === owner &&
    parsed.hash === hash &&
    Buffer.compare(serializeUnsigned(parsed.transaction), serializeUnsigned(transaction)) === 0
  if (!isTheSame) throw new Error('The signed transaction is not the one that was judged')
  return { signed: Buffer.from(raw).toString('hex'), hash }
}
