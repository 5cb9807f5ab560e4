import type { Block, ChainTransaction, Transfer } from '@bursar/chainkit'
import { addressOf, outpointOf, satoshiOf, type BitcoinChain } from '@bursar/chainkit/bitcoin'
import { bytesOf, integerOf, listOf, Malformed, objectOf, textOf, wholeOf } from '../shape.ts'
import type { Outpoint, Owners } from './owners.ts'

/** Parent hash for a genesis block. */
const NO_PARENT = '0'.repeat(64)
const HASH = /^[0-9a-f]{64}$/

export const hashOf = (value: unknown, what: string): string => {
  const text = textOf(value, what)
  if (!HASH.test(text)) throw new Malformed(`${what} is no hash`)
  return text
}

export interface ShownBlock {
  block: Block
  /** 1 for the head of the best chain; below 1 for a block that is not on it */
  confirmations: number
}

/**
 * Decodes a block from `getblock HASH 3`, which includes the output that each input spends.
 * @param owners of those outputs, for a block without them (`getblock HASH 2`)
 */
export const decodeBlock = (result: unknown, chain: BitcoinChain, owners?: Owners): ShownBlock => {
  const shown = objectOf(result, 'the block')
  const transactions = listOf(shown['tx'], 'tx').map((one) => decodeTransaction(one, chain, owners))
  const count = wholeOf(shown['nTx'], 'nTx')
  if (count !== transactions.length) throw new Malformed(`${transactions.length} transactions of ${count}`)
  const parent = shown['previousblockhash']
  return {
    confirmations: integerOf(shown['confirmations'], 'confirmations'),
    block: {
      height: wholeOf(shown['height'], 'height'),
      hash: hashOf(shown['hash'], 'hash'),
      parent: parent === undefined ? NO_PARENT : hashOf(parent, 'previousblockhash'),
      time: wholeOf(shown['time'], 'time') * 1_000,
      transactions,
    },
  }
}

/** Outpoints that a block spends, from `getblock HASH 2`. */
export const spentIn = (result: unknown): Outpoint[] =>
  listOf(objectOf(result, 'the block')['tx'], 'tx').flatMap((one) => {
    const inputs = inputsOf(objectOf(one, 'a transaction'))
    return isCoinbaseOf(inputs) ? [] : inputs.map(spentBy)
  })

const inputsOf = (shown: Record<string, unknown>): Record<string, unknown>[] =>
  listOf(shown['vin'], 'vin').map((input) => objectOf(input, 'an input'))
const isCoinbaseOf = (inputs: readonly Record<string, unknown>[]): boolean => inputs[0]?.['coinbase'] !== undefined

const decodeTransaction = (value: unknown, chain: BitcoinChain, owners: Owners | undefined): ChainTransaction => {
  const shown = objectOf(value, 'a transaction')
  const inputs = inputsOf(shown)
  const isCoinbase = isCoinbaseOf(inputs)
  const from = isCoinbase ? [] : sendersOf(inputs, chain, owners)
  return {
    hash: hashOf(shown['txid'], 'txid'),
    keys: isCoinbase ? [] : inputs.map((input) => outpointOf(spentBy(input))),
    succeeded: true,
    fee: isCoinbase ? 0n : satoshiOf(amountText(shown['fee'], 'fee')),
    ...(isCoinbase && { coinbase: true as const }),
    transfers: listOf(shown['vout'], 'vout').flatMap((output, at) =>
      transferOf(objectOf(output, 'an output'), at, from, chain),
    ),
  }
}

const spentBy = (input: Record<string, unknown>): Outpoint => ({
  txid: hashOf(input['txid'], 'an input'),
  vout: wholeOf(input['vout'], 'an input'),
})

/** Senders of a transaction. A node without undo data (pruned, or too old) shows neither prevouts nor the fee. */
const sendersOf = (
  inputs: readonly Record<string, unknown>[],
  chain: BitcoinChain,
  owners: Owners | undefined,
): string[] => {
  const senders = inputs.map((input) =>
    owners ? ownerIn(owners, outpointOf(spentBy(input))) : addressIn(objectOf(input['prevout'], 'prevout'), chain),
  )
  return [...new Set(senders.filter((address) => typeof address === 'string'))]
}

const ownerIn = (owners: Owners, outpoint: string): string | null => {
  const owner = owners.get(outpoint)
  if (owner === undefined) throw new Malformed(`the node does not have the transaction that made ${outpoint}`)
  return owner
}

/** @param at its place in the list, which is its number too: two outputs of one number would be one transfer */
const transferOf = (output: Record<string, unknown>, at: number, from: string[], chain: BitcoinChain): Transfer[] => {
  if (output['n'] !== at) throw new Malformed(`output ${at} has another number`)
  const to = addressIn(output, chain)
  const units = satoshiOf(amountText(output['value'], 'value'))
  if (to === undefined || units === 0n) return []
  return [{ index: `o:${at}`, contract: null, from, to, units }]
}

const addressIn = (output: Record<string, unknown>, chain: BitcoinChain): string | undefined =>
  addressOf(bytesOf(objectOf(output['scriptPubKey'], 'scriptPubKey')['hex'], 'a script'), chain)

/**
 * Returns an amount as the digits that the node wrote. An amount without a fraction may be a number, which is exact.
 */
export const amountText = (value: unknown, what: string): string => {
  if (typeof value !== 'string' && typeof value !== 'number') throw new Malformed(`${what} is no amount`)
  return String(value)
}
