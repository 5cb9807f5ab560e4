/**
 * Receipts of blocks. Words: test/world/dialects/evm-answers.ts and dialect-receipts.test.ts; rows E-10 to
 * E-15 and E-62 of docs/dialects.md.
 */
import { keccak256 } from 'viem'
import { NO_RECEIPTS, WRONG_PLACES } from '../../../../world/dialects/evm-answers.ts'
import { answering, changing, isAmong, refuse, type Dialect } from '../../dialect.ts'

const BLOCK_RECEIPTS = 'eth_getBlockReceipts'
const OF_ONE = ['eth_getTransactionReceipt']
const ALL = [BLOCK_RECEIPTS, ...OF_ONE]

interface Log {
  logIndex: string
  blockHash?: string
}

interface Receipt {
  status: string
  gasUsed: string
  blockHash: string
  transactionHash: string
  to: string | null
  logs: Log[]
  logsBloom?: string
}

/** Each receipt of one, or of a block. */
const each = <T extends Receipt | Receipt[] | null>(shown: T, change: (receipt: Receipt) => Receipt): T =>
  (Array.isArray(shown) ? shown.map(change) : shown && change(shown)) as T

/** The second half of the transactions count their logs from 0 again. */
const countAnew = (receipts: Receipt[] | null): Receipt[] | null => {
  let next = 0
  const half = (receipts?.length ?? 0) >> 1
  return (
    receipts?.map((receipt, at) => {
      if (at < half) return receipt
      return { ...receipt, logs: receipt.logs.map((log) => ({ ...log, logIndex: `0x${(next++).toString(16)}` })) }
    }) ?? null
  )
}

/** A payment of coin that succeeded, as one that failed. */
const asFailed = (receipt: Receipt): Receipt =>
  receipt.logs.length > 0
    ? receipt
    : { ...receipt, status: '0x0', gasUsed: `0x${(Number(receipt.gasUsed) - 1).toString(16)}` }

/** The first log of several is left out, and nothing says that it was there but the number of the next one. */
const withoutFirstLog = (receipts: Receipt[] | null): Receipt[] | null => {
  if (receipts === null) return null
  const logs = receipts.flatMap((receipt) => receipt.logs)
  const [first] = logs.length > 1 ? logs : []
  return receipts.map(({ logsBloom: _, ...receipt }) => ({
    ...receipt,
    logs: receipt.logs.filter((log) => log !== first),
  }))
}

export const OTHER_BLOCK = 'B6 receipts of a lost block, in which a transfer that fails now took place'
/** `transferFrom(address,address,uint256)`, and keccak256 of `Transfer(address,address,uint256)` */
const [TRANSFER_FROM, TRANSFER] = ['0x23b872dd', '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef']
const WORD = 64

/** The log that a transfer of a token has where it takes place. */
const logOf = (input: string, { to, ...receipt }: Receipt): object[] => {
  if (!input.startsWith(TRANSFER_FROM)) return []
  const [from, receiver, units] = [0, 1, 2].map((at) => input.slice(10 + at * WORD, 10 + (at + 1) * WORD))
  return [
    {
      ...receipt,
      address: to,
      topics: [TRANSFER, `0x${from}`, `0x${receiver}`],
      data: `0x${units}`,
      logIndex: '0x0',
      removed: false,
    },
  ]
}

/** Blocks of two branches use the same gas here, and the receipts have no blooms, so that only their block tells. */
const ofLostBlock: NonNullable<Dialect['answer']> = async (call, next, node) => {
  const said = await next(call)
  if (!ALL.includes(call.method) || !('result' in said) || said.result === null) return said
  let logs = 0
  const lost = async (shown: Receipt): Promise<object> => {
    const { logsBloom: _, ...receipt } = { ...shown, blockHash: keccak256(shown.blockHash as `0x${string}`) }
    const found = shown.status === '0x0' ? await node.ask('eth_getTransactionByHash', shown.transactionHash) : undefined
    const input = found && 'result' in found ? (found.result as { input: string }).input : ''
    const made = logOf(input, receipt)
    const own = [...receipt.logs, ...made].map((log) => ({
      ...log,
      blockHash: receipt.blockHash,
      logIndex: `0x${(logs++).toString(16)}`,
    }))
    return { ...receipt, status: made.length > 0 ? '0x1' : receipt.status, logs: own }
  }
  if (!Array.isArray(said.result)) return { result: await lost(said.result as Receipt) }
  const all: object[] = []
  for (const one of said.result as Receipt[]) all.push(await lost(one))
  return { result: all }
}

export const RECEIPTS: readonly Dialect[] = [
  ...NO_RECEIPTS.slice(1).map(({ who, said }): Dialect => ({
    name: `E-10 ${who}`,
    aspect: 'receipts',
    answer: async (call, next) => {
      const own = await next(call)
      return call.method === BLOCK_RECEIPTS && 'result' in own && own.result === null ? said : own
    },
  })),
  {
    name: 'E-11 old gateways: no receipts of blocks',
    aspect: 'receipts',
    answer: answering(
      [BLOCK_RECEIPTS],
      refuse(-32_601, `the method ${BLOCK_RECEIPTS} does not exist/is not available`),
    ),
  },
  {
    name: 'E-11 EDR: no receipts of blocks',
    aspect: 'receipts',
    answer: answering([BLOCK_RECEIPTS], refuse(-32_004, `Method ${BLOCK_RECEIPTS} is not supported`)),
  },
  {
    name: 'E-12 geth: an error for some blocks',
    aspect: 'receipts',
    answer: answering([BLOCK_RECEIPTS], ({ params }) =>
      isAmong(String(params[0]), 0.3) ? refuse(-32_000, 'receipts length mismatch: 2 vs 1') : undefined,
    ),
  },
  {
    name: 'E-14 Nethermind: neither stored nor reproducible for some blocks',
    aspect: 'receipts',
    answer: answering([BLOCK_RECEIPTS], ({ params }) =>
      isAmong(String(params[0]), 0.3)
        ? refuse(
            -32_602,
            `Receipts for block ${String(params[0])} are neither stored nor reproducible from state history`,
          )
        : undefined,
    ),
  },
  {
    name: 'E-13 Erigon 3.0.15: logs counted from 0 again in the middle',
    aspect: 'logs',
    answer: changing([BLOCK_RECEIPTS], countAnew),
  },
  ...WRONG_PLACES.map((place): Dialect => ({
    name: `E-15 Erigon 3.4.1: the place in the block is ${String(place)}`,
    aspect: 'places',
    answer: changing(ALL, (shown: Receipt | Receipt[] | null) =>
      each(shown, (receipt) => ({ ...receipt, transactionIndex: place })),
    ),
  })),
  {
    name: 'E-62 Erigon 3.5.0: payments of coin are shown as failed, with less gas',
    aspect: 'wrong receipts',
    hinders: true,
    answer: changing(ALL, (shown: Receipt | Receipt[] | null) => each(shown, asFailed)),
  },
  {
    name: 'E-62 Erigon 3.4.3: receipts without their logs',
    aspect: 'wrong receipts',
    hinders: true,
    answer: changing(ALL, (shown: Receipt | Receipt[] | null) => each(shown, (receipt) => ({ ...receipt, logs: [] }))),
  },
  { name: OTHER_BLOCK, aspect: 'wrong receipts', hinders: true, answer: ofLostBlock },
  {
    name: 'E-62 no blooms, and the first log of a block is left out',
    aspect: 'wrong receipts',
    hinders: true,
    answer: changing([BLOCK_RECEIPTS], withoutFirstLog),
  },
]
