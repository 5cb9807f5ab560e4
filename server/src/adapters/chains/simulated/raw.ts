import { isRefused, type Transfer } from '@bursar/chainkit'
import { addressOf, outpointOf, parseTransaction } from '@bursar/chainkit/bitcoin'
import { decodeTransfer, fromHex, isHex, parseSigned } from '@bursar/chainkit/evm'
import type { Debit, SimulatedTransaction } from './transaction.ts'

/** Why signed bytes are not a transaction of this chain. */
export interface Unreadable {
  refused: 'invalid' | 'conflict'
  message: string
  /** hash of a readable transaction that spends missing coins */
  hash?: string
}

export const GAS = { native: 21_000n, token: 60_000n }
const MILLI = 1_000n

/** Reads a Bitcoin transaction. Signatures are not verified; the tests with a real node cover that. */
export const readCoinTransaction = (
  raw: string,
  coinAt: (outpoint: string) => Debit | undefined,
): SimulatedTransaction | Unreadable => {
  const parsed = parseTransaction(Buffer.from(raw, 'hex'))
  if (isRefused(parsed)) return { refused: 'invalid', message: parsed.message }
  const keys = parsed.inputs.map(outpointOf)
  const debits = keys.map(coinAt)
  if (debits.includes(undefined))
    return { refused: 'conflict', hash: parsed.txid, message: 'an input is missing or spent' }
  const spent = debits as Debit[]
  const fee = sumOf(spent) - sumOf(parsed.outputs)
  if (fee < 0n) return { refused: 'invalid', message: 'it pays more than it spends' }
  const from = [...new Set(spent.map(({ address }) => address))]
  const transfers = parsed.outputs.flatMap(({ script, units }, vout): Transfer[] => {
    const to = addressOf(script, 'regtest')
    return to === undefined || units === 0n ? [] : [{ index: `o:${vout}`, contract: null, from, to, units }]
  })
  const price = (fee * MILLI) / BigInt(parsed.vsize)
  return { hash: parsed.txid, keys, succeeded: true, fee, transfers, debits: spent, turn: null, price }
}

/** Reads an EVM transaction: a payment of native coin, or a listed token's `transfer`. */
export const readAccountTransaction = (
  raw: string,
  { chainId, tokens }: { chainId: bigint; tokens: ReadonlySet<string> },
): SimulatedTransaction | Unreadable => {
  const bytes = raw.startsWith('0x') ? raw : `0x${raw}`
  const parsed = isHex(bytes) ? parseSigned(fromHex(bytes)) : { refused: 'not-parsable', message: 'it is not hex' }
  if ('refused' in parsed) return { refused: 'invalid', message: parsed.message }
  const { transaction, from, hash } = parsed
  if (transaction.chainId !== chainId) return { refused: 'invalid', message: `it is for chain ${transaction.chainId}` }
  const price = transaction.type === 'legacy' ? transaction.gasPrice : transaction.maxFeePerGas
  const nonce = Number(transaction.nonce)
  const contract = transaction.to.toLowerCase()
  const token = tokens.has(contract) ? decodeTransfer(transaction.data) : undefined
  const fee = price * (token ? GAS.token : GAS.native)
  const moved: Transfer[] = [
    { index: 'n', contract: null, from: [from], to: transaction.to, units: transaction.value },
    ...(token ? [{ index: 'l:0', contract, from: [from], to: token.to, units: token.units }] : []),
  ]
  const transfers = moved.filter(({ units }) => units > 0n)
  const debits = [
    ...transfers.map(({ contract, units }) => ({ address: from, contract, units })),
    { address: from, contract: null, units: fee },
  ]
  return {
    hash,
    keys: [`${from}:${nonce}`],
    succeeded: true,
    fee,
    transfers,
    debits,
    turn: { address: from, nonce },
    price,
  }
}

const sumOf = (items: readonly { units: bigint }[]): bigint => items.reduce((sum, { units }) => sum + units, 0n)
