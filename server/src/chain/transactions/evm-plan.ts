import type { EvmNetwork } from '@bursar/chainkit'
import {
  encodeTransfer,
  fromHex,
  isHex,
  parseDraft,
  parseUnsigned,
  replaceAtHigherPrice,
  serializeDraft,
  serializeUnsigned,
  toHex,
  type SetCodeDraft,
  type UnsignedTransaction,
} from '@bursar/chainkit/evm'
import { isRefused } from '@bursar/chainkit'
import type { FeeRate } from '../../adapters/chains/port.ts'

type GasRate = Extract<FeeRate, { kind: 'gas' }>

export interface EvmCall {
  to: string
  /** wei */
  value: bigint
  data: string
}

/** Returns the call of a payment: a transfer of the native coin, or `transfer` on a token's contract. */
export const paymentCall = (payment: { to: string; units: bigint; contract: string | null }): EvmCall =>
  payment.contract === null
    ? { to: payment.to, value: payment.units, data: '0x' }
    : { to: payment.contract, value: 0n, data: encodeTransfer(payment.to, payment.units) }

/**
 * Returns an address without history, to measure the gas of a payment to a new account.
 * @param id a new UUID for each call
 */
export const addressWithoutHistory = (id: string): string => `0x${id.replaceAll('-', '').padEnd(40, '0')}`

/** Margin above an estimate, in percent: state may change between the estimate and the block. */
const GAS_MARGIN = 25n

export interface EvmPlan {
  /** hex with 0x */
  unsigned: string
  /** wei, at most */
  networkFee: bigint
}

export const planEvm = (request: {
  network: EvmNetwork
  chainId: bigint
  nonce: number
  call: EvmCall
  gas: bigint
  rate: GasRate
}): EvmPlan => {
  const { chainId, call, rate } = request
  const base = {
    chainId,
    nonce: BigInt(request.nonce),
    gas: request.gas + (request.gas * GAS_MARGIN) / 100n,
    to: hex(call.to),
    value: call.value,
    data: hex(call.data),
  }
  const transaction: UnsignedTransaction = rate.legacy
    ? { ...base, type: 'legacy', gasPrice: rate.maxFeePerGas }
    : { ...base, type: 'eip1559', maxFeePerGas: rate.maxFeePerGas, maxPriorityFeePerGas: rate.maxPriorityFeePerGas }
  return planOf(transaction)
}

/**
 * Plans a replacement with the same nonce, receiver, amount and authorisations (EIP-7702), at a price that nodes
 * accept.
 * @param fromWhatIsThere for an address without more coin: the additional fee is subtracted from the amount
 */
export const planEvmBump = (
  unsigned: string,
  rate: GasRate,
  fromWhatIsThere = false,
): EvmPlan | { refused: string } => {
  const bytes = fromHex(hex(unsigned))
  const wanted = rate.legacy
    ? { gasPrice: rate.maxFeePerGas }
    : { maxFeePerGas: rate.maxFeePerGas, maxPriorityFeePerGas: rate.maxPriorityFeePerGas }
  const draft = parseDraft(bytes)
  if (!isRefused(draft)) {
    const { authorizations, ...call } = draft
    return planOfDraft({
      ...replaceAtHigherPrice({ ...call, type: 'eip1559' as const }, wanted),
      type: 'eip7702',
      authorizations,
    })
  }
  const original = parseUnsigned(bytes)
  if (isRefused(original)) throw new Error(`a stored transaction does not parse: ${original.message}`)
  const dearer = replaceAtHigherPrice(original, wanted)
  if (!fromWhatIsThere || original.data !== '0x') return planOf(dearer)
  const value = original.value - (planOf(dearer).networkFee - planOf(original).networkFee)
  return value > 0n
    ? planOf({ ...dearer, value })
    : { refused: 'the balance of the address does not pay for a higher fee' }
}

const FILLER_GAS = 21_000n

/**
 * Plans a replacement that does nothing, for a transaction that is no longer worth its cost: it uses the same nonce, so
 * that later nonces can be mined.
 */
export const planEvmCancel = (unsigned: string, sender: string, rate: GasRate): EvmPlan => {
  const bytes = fromHex(hex(unsigned))
  const draft = parseDraft(bytes)
  const original = isRefused(draft) ? parseUnsigned(bytes) : draft
  if (isRefused(original)) throw new Error(`a stored transaction does not parse: ${original.message}`)
  const { chainId, nonce } = original
  const filler = { chainId, nonce, gas: FILLER_GAS, to: hex(sender), value: 0n, data: '0x' as const }
  if (original.type === 'legacy')
    return planOf(
      replaceAtHigherPrice({ ...filler, type: 'legacy', gasPrice: original.gasPrice }, { gasPrice: rate.maxFeePerGas }),
    )
  const { maxFeePerGas, maxPriorityFeePerGas } = original
  const wanted = { maxFeePerGas: rate.maxFeePerGas, maxPriorityFeePerGas: rate.maxPriorityFeePerGas }
  return planOf(replaceAtHigherPrice({ ...filler, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas }, wanted))
}

/** Whether a transaction only uses up a nonce: it pays nothing to its own sender. */
export const isEvmFiller = (unsigned: string, sender: string): boolean => {
  if (!isHex(unsigned)) return false
  const parsed = parseUnsigned(fromHex(unsigned))
  return !isRefused(parsed) && parsed.to === sender && parsed.value === 0n && parsed.data === '0x'
}

/** Converts a transaction with authorisations (EIP-7702) to the form that the signer gets. */
export const planOfDraft = (draft: SetCodeDraft): EvmPlan => ({
  unsigned: toHex(serializeDraft(draft)),
  networkFee: draft.gas * draft.maxFeePerGas,
})

/** Converts a transaction to the form that the signer gets. */
export const planOf = (transaction: UnsignedTransaction): EvmPlan => {
  const price = transaction.type === 'legacy' ? transaction.gasPrice : transaction.maxFeePerGas
  return {
    unsigned: toHex(serializeUnsigned(transaction)),
    networkFee: transaction.gas * price,
  }
}

const hex = (text: string): `0x${string}` => {
  if (!isHex(text)) throw new RangeError(`not hex: ${text}`)
  return text
}
