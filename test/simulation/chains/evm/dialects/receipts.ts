/**
 * Receipts of blocks. Words: test/world/dialects/evm-answers.ts and dialect-receipts.test.ts; rows E-10 to
 * E-15 and E-62 of docs/dialects.md.
 */
import { NO_RECEIPTS, WRONG_PLACES } from '../../../../world/dialects/evm-answers.ts'
import { answering, changing, isAmong, refuse, type Dialect } from '../../dialect.ts'

const BLOCK_RECEIPTS = 'eth_getBlockReceipts'
const OF_ONE = ['eth_getTransactionReceipt']
const ALL = [BLOCK_RECEIPTS, ...OF_ONE]

interface Receipt {
  status: string
  gasUsed: string
  logs: { logIndex: string }[]
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
  {
    name: 'E-62 no blooms, and the first log of a block is left out',
    aspect: 'wrong receipts',
    hinders: true,
    answer: changing([BLOCK_RECEIPTS], withoutFirstLog),
  },
]
