/** Comparison of an Ethereum-compatible node's answers with those that the adapter expects. */
import { UNUSED_ADDRESS } from '../survey/evm-history.ts'
import { readHead } from '../evm/heads.ts'
import { countOf, hashOf, quantity, quantityOf } from '../evm/quantity.ts'
import type { Rpc, RpcCall } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import { listOf, objectOf } from '../shape.ts'
import { agrees, compareWords, described, isNew, unknown, type Question } from './comparison.ts'
import { EVM_WORDS } from './evm-words.ts'

type Fields = Record<string, unknown>

const UNKNOWN_HASH = `0x${'fe'.repeat(32)}`
/** Number of newest blocks whose words are compared. */
const BLOCKS = 5
const FAR_AHEAD = 1_000
/** PUSH1 0, PUSH1 0, REVERT. */
const REVERTS = '0x60006000fd'
const NOT_THERE = /not found|unknown block|is not available|cannot (be )?f(ou|i)nd|invalid block tag|header for hash/i
const NO_METHOD = [-32601, -32004, -32604, -32600]

export const evmQuestions = (rpc: Rpc): Question[] => {
  const refusal = (row: string, call: RpcCall, isKnown: (answer: RpcAnswer) => boolean): Question => ({
    row,
    compare: async () => {
      const answer = await rpc.ask(call)
      return isKnown(answer) ? agrees(described(answer)) : isNew(described(answer))
    },
  })
  const isNothing = (answer: RpcAnswer): boolean =>
    answer.ok ? answer.result === null : NOT_THERE.test(answer.message) || NO_METHOD.includes(answer.code)
  let read: Promise<Read> | undefined
  const blocks = (): Promise<Read> => (read ??= readNewest(rpc))
  return [
    {
      row: 'block of a future height',
      compare: async () =>
        compareRefusal(
          await rpc.ask({
            method: 'eth_getBlockByNumber',
            params: [quantity((await readHead(rpc)).height + FAR_AHEAD), false],
          }),
          isNothing,
        ),
    },
    refusal('receipts of an unknown block', { method: 'eth_getBlockReceipts', params: [UNKNOWN_HASH] }, isNothing),
    refusal(
      'trace of an unknown block',
      { method: 'debug_traceBlockByHash', params: [UNKNOWN_HASH, { tracer: 'callTracer' }] },
      isNothing,
    ),
    refusal(
      'state of an unknown block',
      { method: 'eth_getBalance', params: [UNUSED_ADDRESS, { blockHash: UNKNOWN_HASH, requireCanonical: true }] },
      isNothing,
    ),
    refusal(
      'unknown transaction',
      { method: 'eth_getTransactionByHash', params: [UNKNOWN_HASH] },
      (answer) => answer.ok && answer.result === null,
    ),
    refusal(
      'unknown method',
      { method: 'bursar_smoke', params: [] },
      (answer) => !answer.ok && NO_METHOD.includes(answer.code),
    ),
    refusal(
      'call that reverts',
      {
        method: 'eth_call',
        params: [{ to: UNUSED_ADDRESS, data: '0x' }, 'latest', { [UNUSED_ADDRESS]: { code: REVERTS } }],
      },
      (answer) => !answer.ok && (answer.code === 3 || /revert/i.test(answer.message)),
    ),
    refusal(
      'estimate without funds',
      {
        method: 'eth_estimateGas',
        params: [{ from: `0x${'bd'.repeat(20)}`, to: UNUSED_ADDRESS, value: quantity(10n ** 30n) }],
      },
      (answer) =>
        answer.ok ||
        /insufficient ?(funds|balance|sender balance)|upfront cost exceeds|doesn't have enough funds|gas required exceeds/i.test(
          answer.message,
        ),
    ),
    {
      row: 'fields of blocks',
      compare: async () =>
        compareWords(
          'fields',
          (await blocks()).blocks.flatMap((block) => Object.keys(block)),
          EVM_WORDS.block,
        ),
    },
    {
      row: 'fields of transactions',
      compare: async () =>
        compareWords(
          'fields',
          (await blocks()).transactions.flatMap((one) => Object.keys(one)),
          EVM_WORDS.transaction,
        ),
    },
    {
      row: 'types of transactions',
      compare: async () =>
        compareWords(
          'types',
          (await blocks()).transactions.map(({ type }) => String(countOf(type ?? '0x0', 'the type'))),
          EVM_WORDS.types,
        ),
    },
    {
      row: 'fields of receipts',
      compare: async () =>
        compareWords(
          'fields',
          (await blocks()).receipts.flatMap((one) => Object.keys(one)),
          EVM_WORDS.receipt,
        ),
    },
    {
      row: 'fields of logs',
      compare: async () =>
        compareWords(
          'fields',
          (await blocks()).receipts.flatMap(logsOf).flatMap((one) => Object.keys(one)),
          EVM_WORDS.log,
        ),
    },
    { row: 'numbers of logs', compare: async () => numbersOf(await blocks()) },
    { row: 'kinds of calls', compare: async () => callsOf(rpc, await blocks()) },
  ]
}

const compareRefusal = (answer: RpcAnswer, isKnown: (answer: RpcAnswer) => boolean) =>
  isKnown(answer) ? agrees(described(answer)) : isNew(described(answer))

interface Read {
  blocks: Fields[]
  transactions: Fields[]
  receipts: Fields[]
}

const readNewest = async (rpc: Rpc): Promise<Read> => {
  const { height } = await readHead(rpc)
  const read: Read = { blocks: [], transactions: [], receipts: [] }
  for (let at = height; at > Math.max(-1, height - BLOCKS); at -= 1) {
    const block = await rpc.read('eth_getBlockByNumber', [quantity(at), true], (result) =>
      objectOf(result, 'the block'),
    )
    const answer = await rpc.ask({ method: 'eth_getBlockReceipts', params: [hashOf(block['hash'], 'hash')] })
    read.blocks.push(block)
    read.transactions.push(
      ...listOf(block['transactions'], 'transactions').map((one) => objectOf(one, 'a transaction')),
    )
    if (answer.ok && Array.isArray(answer.result))
      read.receipts.push(...answer.result.map((one: unknown) => objectOf(one, 'a receipt')))
  }
  return read
}

const logsOf = (receipt: Fields): Fields[] => listOf(receipt['logs'], 'logs').map((one) => objectOf(one, 'a log'))

/** Checks the numbering of logs: some Erigon versions restart it in the middle of a block. */
const numbersOf = ({ receipts }: Read) => {
  const byBlock = Map.groupBy(receipts, ({ blockHash }) => blockHash)
  const gaps = [...byBlock.values()].filter((ofBlock) =>
    ofBlock.flatMap(logsOf).some(({ logIndex }, at) => countOf(logIndex, 'logIndex') !== at),
  )
  if (receipts.length === 0) return unknown('no receipts of blocks')
  return gaps.length === 0
    ? agrees('from 0 on through each block, without a gap')
    : isNew(`${gaps.length} blocks whose logs are not numbered from 0 on`)
}

/**
 * Maximum gas of a transaction to trace. A trace repeats the input of every call (65 kB for 130 units of gas), so that
 * anyone could make the trace of a block or large transaction too much for the node.
 */
const MOST_TRACED_GAS = 100_000n
const MOST_TRACED = 5

const callsOf = async (rpc: Rpc, { receipts }: Read) => {
  const small = receipts
    .filter(({ gasUsed }) => quantityOf(gasUsed, 'gasUsed') <= MOST_TRACED_GAS)
    .toSorted((a, b) => Number(quantityOf(b['gasUsed'], 'gasUsed') - quantityOf(a['gasUsed'], 'gasUsed')))
    .slice(0, MOST_TRACED)
  if (small.length === 0) return unknown('no small transaction in the newest blocks')
  const frames: Fields[] = []
  for (const { transactionHash } of small) {
    const answer = await rpc.ask({
      method: 'debug_traceTransaction',
      params: [transactionHash, { tracer: 'callTracer', timeout: '2s' }],
    })
    if (!answer.ok) return NO_METHOD.includes(answer.code) ? unknown(described(answer)) : isNew(described(answer))
    frames.push(objectOf(answer.result, 'a trace'))
  }
  const typesIn = (frame: Fields): string[] => [
    String(frame['type']),
    ...listOf(frame['calls'] ?? [], 'calls').flatMap((one) => typesIn(objectOf(one, 'a call'))),
  ]
  return compareWords('kinds', frames.flatMap(typesIn), EVM_WORDS.calls)
}
