/** Comparison of the answers of java-tron, or of a gateway, with those that the adapter expects. */
import { messageOf, type Fields } from '../tron/fields.ts'
import { readHead, readSolidHead } from '../tron/heads.ts'
import type { Method, TronNode } from '../tron/node.ts'
import { listOf, objectOf } from '../shape.ts'
import { agrees, compareWords, isNew, type Question } from './comparison.ts'
import { TRON_WORDS } from './tron-words.ts'

const UNKNOWN_ID = 'fe'.repeat(32)
const UNKNOWN_ADDRESS = `41${'fe'.repeat(20)}`
const BLOCKS = 10
const FAR_AHEAD = 1_000

export const tronQuestions = (node: TronNode): Question[] => {
  const nothing = (
    row: string,
    method: Method,
    bodyOf: () => Promise<Fields> | Fields,
    others: readonly string[] = [],
  ): Question => ({
    row,
    compare: async () => {
      const text = JSON.stringify(await node.ask(method, await bodyOf(), { attempts: 1 })).slice(0, 160)
      return ['{}', ...others].includes(text) ? agrees(`${method} answers ${text}`) : isNew(`${method} answers ${text}`)
    },
  })
  let read: Promise<Read> | undefined
  const seen = (): Promise<Read> => (read ??= readNewest(node))
  const ahead = async (): Promise<number> => (await readHead(node)).height + FAR_AHEAD
  return [
    // First, because a node that answers {} to everything would pass the comparisons below.
    {
      row: 'head',
      compare: async () => agrees(`${(await readHead(node)).height}, solid ${(await readSolidHead(node)).height}`),
    },
    nothing('T-8: unknown transaction', 'wallet/gettransactionbyid', () => ({ value: UNKNOWN_ID })),
    nothing('T-8: unknown transaction, solidified', 'walletsolidity/gettransactioninfobyid', () => ({
      value: UNKNOWN_ID,
    })),
    nothing('T-8: block of a future height', 'wallet/getblockbynum', async () => ({ num: await ahead() })),
    nothing(
      'T-9: receipts of a future height',
      'wallet/gettransactioninfobyblocknum',
      async () => ({ num: await ahead() }),
      ['[]'],
    ),
    nothing('T-8: account that is not activated', 'wallet/getaccount', () => ({ address: UNKNOWN_ADDRESS })),
    nothing('T-8: contract that is not there', 'wallet/getcontract', () => ({ value: UNKNOWN_ADDRESS })),
    { row: 'T-16: call of a contract that is not there', compare: () => callOfNothing(node) },
    {
      row: 'kinds of contracts',
      compare: async () => compareWords('kinds', (await seen()).contracts, TRON_WORDS.contracts),
    },
    {
      row: 'outcomes of transactions',
      compare: async () => compareWords('words', (await seen()).outcomes, TRON_WORDS.outcomes),
    },
    {
      row: 'T-2, T-3: notes of internal transactions',
      compare: async () => compareWords('notes', (await seen()).notes, TRON_WORDS.notes),
    },
    {
      row: 'fields of receipts',
      compare: async () => compareWords('fields', (await seen()).fields, TRON_WORDS.receipt),
    },
    {
      row: 'T-38: parameters of the chain',
      compare: () =>
        node.read('wallet/getchainparameters', {}, ({ chainParameter }) => {
          const keys = new Set(
            listOf(chainParameter, 'chainParameter').map((one) => String(objectOf(one, 'a parameter')['key'])),
          )
          const missing = TRON_WORDS.parameters.filter((name) => !keys.has(name))
          return missing.length === 0 ? agrees('all that prices are read from') : isNew(`no ${missing.join(', ')}`)
        }),
    },
  ]
}

/**
 * Wallet.java: the answer to a constant call of an address without a contract, and of any contract where
 * `vm.supportConstant` is off.
 */
const callOfNothing = async (node: TronNode) => {
  const answer = objectOf(
    await node.ask(
      'wallet/triggerconstantcontract',
      {
        owner_address: UNKNOWN_ADDRESS,
        contract_address: UNKNOWN_ADDRESS,
        function_selector: 'decimals()',
        parameter: '',
      },
      { attempts: 1 },
    ),
    'the answer',
  )
  const { code, message } = objectOf(answer['result'] ?? {}, 'the result')
  const text = `${messageOf(message)} (${messageOf(code)})`
  return /is not exist|not a valid smart contract|does not support constant/i.test(text)
    ? agrees(`refuses: ${text}`)
    : isNew(`answers: ${text}`)
}

interface Read {
  contracts: string[]
  outcomes: string[]
  notes: string[]
  fields: string[]
}

const readNewest = async (node: TronNode): Promise<Read> => {
  const { height } = await readSolidHead(node)
  const read: Read = { contracts: [], outcomes: [], notes: [], fields: [] }
  for (let at = height; at > Math.max(0, height - BLOCKS); at -= 1) {
    const block = await node.read('wallet/getblockbynum', { num: at }, (fields) => fields)
    const transactions = listOf(block['transactions'] ?? [], 'transactions').map((one) =>
      objectOf(one, 'a transaction'),
    )
    for (const { raw_data: raw, ret } of transactions) {
      read.contracts.push(
        ...listOf(objectOf(raw, 'raw_data')['contract'], 'contract').map((one) =>
          String(objectOf(one, 'a contract')['type']),
        ),
      )
      read.outcomes.push(
        ...listOf(ret ?? [], 'ret')
          .map((one) => objectOf(one, 'ret')['contractRet'])
          .filter((word) => word !== undefined)
          .map(String),
      )
    }
    const infos = await node.ask('wallet/gettransactioninfobyblocknum', { num: at }, { attempts: 1 })
    for (const info of Array.isArray(infos) ? infos.map((one: unknown) => objectOf(one, 'a receipt')) : []) {
      read.fields.push(...Object.keys(info))
      read.notes.push(
        ...listOf(info['internal_transactions'] ?? [], 'internal_transactions').map((one) =>
          messageOf(objectOf(one, 'an internal transaction')['note']),
        ),
      )
    }
  }
  return read
}
