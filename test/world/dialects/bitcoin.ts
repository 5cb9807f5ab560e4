/**
 * Answers of Bitcoin nodes that differ from those of the installed one, by the rows of docs/dialects.md.
 * - row B-16: words of getrawtransaction without an index, from src/rpc/rawtransaction.cpp of Bitcoin Core; Knots
 * 29.4.3 on regtest with -txindex=0
 * - row B-13: estimatesmartfee without an estimate, from src/rpc/fees.cpp of Bitcoin Core and Knots 29.4.3 on regtest
 * - row B-14: the named mode, from src/rpc/fees.cpp and the release notes of 28.0
 * - row B-15: the least rates of getmempoolinfo, from src/rpc/mempool.cpp; getmempoolfeeratediagram is new in 31 (its
 * release notes)
 * - row B-2, row B-29: getmempoolentry, from src/rpc/mempool.cpp of Bitcoin Core: `chunkweight` and `fees.chunk` are
 * new in 31
 */
import type { Answer } from '../scripted-bitcoin-node.ts'

export const WITHOUT_INDEX =
  'No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries. Use gettransaction for wallet transactions.'
export const BUILDING_INDEX =
  'No such mempool transaction. Blockchain transactions are still in the process of being indexed. Use gettransaction for wallet transactions.'
export const NOT_IN_INDEX = 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.'

const BUSY = { median: 20, weight: 3_993_000 }
export const QUIET = { median: 1, weight: 900_000 }

/** Requests to a node about fees, and its answers. */
export interface FeeAnswers {
  /** BTC/kvB; undefined: insufficient data */
  estimate?: string | undefined
  block?: typeof BUSY
  pool?: {
    loaded?: boolean
    bytes?: number
    mempoolminfee?: string
    minrelaytxfee?: string
    incrementalrelayfee?: string
  }
  /** (weight, fee) points; undefined: a node before Core 31 */
  diagram?: readonly [number, string][] | undefined
}

const amount = (digits: string): unknown => ({ digits })

/** A node that gives these answers, for `playNode`. */
export const answerForFees = (answers: FeeAnswers, method: string): Answer => {
  const block = answers.block ?? BUSY
  switch (method) {
    case 'estimatesmartfee':
      return {
        result:
          answers.estimate === undefined
            ? { errors: ['Insufficient data or no feerate found'], blocks: 0 }
            : { feerate: amount(answers.estimate), blocks: 2 },
      }
    case 'getmempoolinfo': {
      const {
        loaded = true,
        bytes = 40_000_000,
        mempoolminfee = '0.00001000',
        minrelaytxfee = '0.00001000',
        incrementalrelayfee = '0.00001000',
      } = answers.pool ?? {}
      return {
        result: {
          loaded,
          bytes,
          mempoolminfee: amount(mempoolminfee),
          minrelaytxfee: amount(minrelaytxfee),
          incrementalrelayfee: amount(incrementalrelayfee),
        },
      }
    }
    case 'getblockchaininfo':
      return { result: { blocks: 900_000, bestblockhash: '00'.repeat(32) } }
    case 'getblockstats':
      return { result: { feerate_percentiles: [1, 2, block.median, 30, 50], total_weight: block.weight } }
    case 'getmempoolfeeratediagram':
      if (answers.diagram === undefined) return { error: { code: -32_601, message: 'Method not found' } }
      return { result: answers.diagram.map(([weight, fee]) => ({ weight, fee: amount(fee) })) }
    default:
      throw new Error(`not asked of a node for fees: ${method}`)
  }
}

export type Sum = { vsize: number; fee: string }

/** An entry of `getmempoolentry`: amounts in BTC, the transaction counted among its ancestors and its descendants. */
export const poolEntry = (
  own: Sum,
  ancestors: Sum,
  descendants: Sum & { count: number },
  more: { chunkweight?: number; chunk?: string } = {},
) => ({
  vsize: own.vsize,
  ancestorsize: ancestors.vsize,
  descendantsize: descendants.vsize,
  descendantcount: descendants.count,
  ...(more.chunkweight !== undefined && { chunkweight: more.chunkweight }),
  fees: {
    base: own.fee,
    ancestor: ancestors.fee,
    descendant: descendants.fee,
    ...(more.chunk !== undefined && { chunk: more.chunk }),
  },
})
