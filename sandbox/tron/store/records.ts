/** Converts blocks to records of the log and back. */
import { bytesOf, hexOf } from '../bytes.ts'
import { decodeTransaction, encodeTransaction } from '../codec/transaction.ts'
import type { Block } from '../blocks/block.ts'
import type { Draft } from '../blocks/maker.ts'
import { isParameterName } from '../resources/parameters.ts'
import type { ParameterValues } from '../resources/parameters.ts'
import type { BlockRecord } from './log.ts'

export const recordOf = ({ id, timestamp, witness, transactions, parameters }: Block): BlockRecord => ({
  id,
  timestamp,
  witness,
  transactions: transactions.map((transaction) => hexOf(encodeTransaction(transaction))),
  ...(parameters === undefined ? {} : { parameters: textsOf(parameters) }),
})

export const draftOf = ({ timestamp, witness, transactions, parameters }: BlockRecord): Draft => ({
  timestamp,
  witness,
  transactions: transactions.map((hex) => decodeTransaction(bytesOf(hex))),
  ...(parameters === undefined ? {} : { parameters: parametersOfTexts(parameters) }),
})

export const textsOf = (values: Readonly<Record<string, bigint>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

export const parametersOfTexts = (texts: Readonly<Record<string, string>>): Partial<ParameterValues> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, value]) => {
      if (!isParameterName(name)) throw new Error(`the chain has no parameter ${name}`)
      return [name, BigInt(value)]
    }),
  )
