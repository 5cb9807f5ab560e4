import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { FeeRate } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, Malformed, objectOf, wholeOf } from '../shape.ts'
import { amountText } from './block.ts'
import { readHead } from './blocks.ts'
import { rateOfPool } from './pool-rates.ts'

/** Rates in thousandths of a satoshi for each virtual byte. */
export interface BitcoinFeeSettings {
  /** confirmation target of the estimate in blocks, 1 to 1,008 */
  targetBlocks: number
  /** lowest rate */
  floor: bigint
  /** highest rate, even if the node's estimate is higher */
  cap: bigint
  /** ms of a monotonic clock */
  now(): number
}

/**
 * The default is conservative up to Core 27 and economical since 28; stated explicitly, the mode is the same on all
 * versions.
 */
const MODE = 'economical'
/**
 * How long the last estimate is used while the node has none: as long as a node with an old `fee_estimates.dat` needs
 * to produce one.
 */
const USABLE_MS = 6 * 60 * 60_000

/**
 * Returns the node's estimate, but at least the pool's minimum, limited by floor and cap. A node reports "insufficient
 * data" for hours after a start without usable `fee_estimates.dat` (a restore, a fresh sync, an upgrade to 31). Then
 * the last estimate is used for some hours, and after that the rate that the pool and the newest blocks pay, both
 * marked as guessed. When pool and blocks are not full, the lowest rate is used and not marked.
 */
export const createFeeReader = (rpc: Rpc, { targetBlocks, floor, cap, now }: BitcoinFeeSettings) => {
  let newest: { rate: bigint; at: number } | undefined

  const unestimated = async (pool: PoolState): Promise<{ rate: bigint; guessed?: true }> => {
    if (newest && now() - newest.at <= USABLE_MS) return { rate: newest.rate, guessed: true }
    const blocks = await readBlocks(rpc)
    // Every transaction fits into the next block.
    if (pool.isLoaded && pool.vsize < EMPTY_POOL_VSIZE && blocks.every(({ isFull }) => !isFull))
      return { rate: LEAST_WITHOUT_ESTIMATE }
    const paid = blocks.map(({ median }) => median).toSorted((a, b) => (a < b ? -1 : 1))
    return {
      rate: most([LEAST_WITHOUT_ESTIMATE, paid[paid.length >> 1] ?? 0n, (await rateOfPool(rpc, targetBlocks)) ?? 0n]),
      guessed: true,
    }
  }

  return async (): Promise<Extract<FeeRate, { kind: 'vbyte' }>> => {
    const estimate = await rpc.read('estimatesmartfee', [targetBlocks, MODE], decodeEstimate)
    const pool = await rpc.read('getmempoolinfo', [], decodePool)
    if (estimate !== undefined) newest = { rate: estimate, at: now() }
    const { rate, guessed } = estimate === undefined ? await unestimated(pool) : { rate: estimate }
    const wanted = most([rate, floor, pool.least])
    return {
      kind: 'vbyte',
      milliSatPerVb: wanted < cap ? wanted : cap,
      incrementMilliSatPerVb: pool.increment,
      ...(guessed && { guessed }),
    }
  }
}

/** Miners with versions before Core 30 exclude transactions below 1 sat/vB. */
const LEAST_WITHOUT_ESTIMATE = 1_000n
/** A pool smaller than this fits in the next block. */
const EMPTY_POOL_VSIZE = 900_000
const FULL_WEIGHT = 3_900_000
const LOOK_BACK = 6

const most = (rates: readonly bigint[]): bigint => rates.reduce((a, b) => (a > b ? a : b))

interface PoolState {
  /** whether the pool saved at the last shutdown is fully loaded */
  isLoaded: boolean
  vsize: number
  /** the pool's current minimum rate */
  least: bigint
  /** rate that a replacement must pay in addition for its own size */
  increment: bigint
}

const decodePool = (result: unknown): PoolState => {
  const info = objectOf(result, 'the answer')
  return {
    isLoaded: info['loaded'] === true,
    vsize: wholeOf(info['bytes'], 'bytes'),
    least: most([rateIn(info, 'mempoolminfee'), rateIn(info, 'minrelaytxfee')]),
    increment: rateIn(info, 'incrementalrelayfee'),
  }
}

const decodeEstimate = (result: unknown): bigint | undefined => {
  const estimate = objectOf(result, 'the estimate')
  if (estimate['feerate'] !== undefined) return rateIn(estimate, 'feerate')
  listOf(estimate['errors'], 'errors')
  return undefined
}

/** Reads the newest blocks: the median rate by bytes, and whether the block was full. */
const readBlocks = async (rpc: Rpc): Promise<{ median: bigint; isFull: boolean }[]> => {
  const { height } = await readHead(rpc)
  const heights = Array.from({ length: Math.min(LOOK_BACK, height) }, (_, back) => height - back)
  const answers = await rpc.askAll(
    heights.map((at) => ({ method: 'getblockstats', params: [at, ['feerate_percentiles', 'total_weight']] })),
  )
  return answers.map((answer) => {
    if (!answer.ok) throw rpc.unavailable('getblockstats', `refused: ${answer.message} (${answer.code})`)
    return rpc.believe('getblockstats', () => {
      const { feerate_percentiles: percentiles, total_weight: weight } = objectOf(answer.result, 'the statistics')
      const [, , median] = listOf(percentiles, 'feerate_percentiles')
      if (median === undefined) throw new Malformed('feerate_percentiles has no median')
      return {
        median: BigInt(wholeOf(median, 'a rate')) * 1_000n,
        isFull: wholeOf(weight, 'total_weight') >= FULL_WEIGHT,
      }
    })
  })
}

/** Converts BTC per 1,000 vB. In satoshi per 1,000 vB, this is thousandths of a satoshi per vB. */
const rateIn = (answer: Record<string, unknown>, field: string): bigint => satoshiOf(amountText(answer[field], field))
