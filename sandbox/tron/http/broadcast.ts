/**
 * Broadcasts transactions. One form accepts JSON and returns a message in hexadecimal, the other accepts bytes and
 * returns plain text.
 */
import { bytesOf, hexOfText } from '../bytes.ts'
import { transactionFromJson, transactionJson } from '../codec/transaction-json.ts'
import { decodeTransaction } from '../codec/transaction.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import { CodecError } from '../codec/wire.ts'
import { TransactionRefusal } from '../blocks/refusal.ts'
import type { RefusalCode } from '../blocks/refusal.ts'
import type { Json } from '../codec/json.ts'
import { printJson } from './json.ts'
import { JavaError } from './request.ts'
import type { Fields } from './request.ts'
import type { Routes } from './routes.ts'
import { REFUSING } from './settings.ts'
import type { View } from './view.ts'

export const broadcastRoutes: Routes = {
  broadcasttransaction: async (view, fields) => {
    const transaction = transactionFromJson(fields.all)
    const { code, message } = await broadcast(view, transaction)
    if (code === undefined) return { result: true, txid: transaction.id }
    return { code, txid: transaction.id, message: fields.visible ? message : hexOfText(message) }
  },
  broadcasthex: async (view, fields) => {
    const transaction = fromHex(fields)
    const { code, message } = await broadcast(view, transaction)
    return {
      result: code === undefined,
      code: code ?? 'SUCCESS',
      message,
      transaction: printJson(withoutIds(transactionJson(transaction, true))),
      txid: transaction.id,
    }
  },
}

interface Verdict {
  /** Absent if the transaction was accepted. */
  readonly code?: RefusalCode | keyof typeof REFUSING
  readonly message: string
}

/** Source: java-tron Wallet.broadcastTransaction, in this order. */
const broadcast = async ({ chain, node }: View, transaction: SignedTransaction): Promise<Verdict> => {
  const { refuses, trxCache } = node.settings()
  if (refuses !== '') return { code: refuses, message: REFUSING[refuses] }
  if (trxCache && node.cameBefore(transaction.id))
    return { code: 'DUP_TRANSACTION_ERROR', message: 'Transaction already exists.' }
  try {
    await chain.broadcast(transaction)
    return { message: '' }
  } catch (error) {
    if (error instanceof TransactionRefusal) return { code: error.code, message: error.message }
    throw error
  }
}

const fromHex = (fields: Fields): SignedTransaction => {
  try {
    return decodeTransaction(bytesOf(fields.text('transaction')))
  } catch (error) {
    if (error instanceof CodecError)
      throw new JavaError('com.google.protobuf.InvalidProtocolBufferException', error.message)
    if (error instanceof JavaError) throw error
    throw new JavaError('org.bouncycastle.util.encoders.DecoderException', 'exception decoding Hex string')
  }
}

/** This answer's transaction is the bare message. */
const withoutIds = ({ txID: _id, raw_data_hex: _hex, ...message }: Json): Json => message
