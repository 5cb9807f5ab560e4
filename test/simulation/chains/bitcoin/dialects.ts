/**
 * How nodes of Bitcoin speak, by the rows of docs/dialects.md. Words:
 * test/world/dialects/bitcoin-refusals.ts and bitcoin.ts, after Bitcoin Core 22 to 31 and Knots 29.
 */
import { BUILDING_INDEX, NOT_IN_INDEX, WITHOUT_INDEX } from '../../../world/dialects/bitcoin.ts'
import { REFUSALS } from '../../../world/dialects/bitcoin-refusals.ts'
import { exactJson } from '../exact-json.ts'
import { answering, changing, isAmong, refuse, refusing, type Answering, type Dialect, type Said } from '../dialect.ts'

const SEND = 'sendrawtransaction'
const LOOKUP = 'getrawtransaction'
const DATED = ['getblock', 'getblockheader']
const TWO_HOURS = 7_200
const NOT_FOUND = -5

/** The installed node's words of a refusal (Knots 29), and those of other versions for the same. */
const WORDS: readonly { knots: RegExp; older: string; newer?: string }[] = [
  { knots: /^Transaction outputs already in utxo set/, older: 'Transaction already in block chain' },
  { knots: /^bad-txns-inputs-missingorspent/, older: 'Missing inputs' },
  {
    knots: /^insufficient fee, rejecting replacement/,
    older: 'insufficient fee, rejecting replacement ab12; new feerate 0.00001 <= old feerate 0.00002',
    newer: 'replacement-failed, insufficient feerate: does not improve feerate diagram',
  },
  {
    knots: /^too-long-mempool-chain/,
    older: 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]',
    newer: 'too-large-cluster',
  },
  { knots: /^dust/, older: 'dust', newer: 'dust, tx with dust output must be 0-fee' },
]

const inWordsOf =
  (age: 'older' | 'newer') =>
  ({ message }: { message: string }): Said | undefined => {
    const says = WORDS.find(({ knots }) => knots.test(message))?.[age]
    const row = REFUSALS.find(([, known]) => known === says)
    return row && refuse(row[0], row[1])
  }

/** An estimate where the node of a test network has none. BTC/kvB */
const estimate = (feerate: string): Answering =>
  answering(['estimatesmartfee'], { result: { feerate: exactJson.parse(feerate), blocks: 2 } })

/** Bodies before Bitcoin Core 28: both members, and no version. */
const oldEnvelope = (said: Said): Said => {
  if (!('result' in said) && !('error' in said)) return said
  const isRefusal = 'error' in said
  return {
    write: (id) => ({
      status: isRefusal ? 500 : 200,
      text: exactJson.stringify({ result: isRefusal ? null : said.result, error: isRefusal ? said.error : null, id }),
    }),
  }
}

export const BITCOIN_DIALECTS: readonly Dialect[] = [
  {
    name: 'B-20 before Core 28: refusals with HTTP 500, and no version',
    aspect: 'envelope',
    answer: async (call, next) => oldEnvelope(await next(call)),
  },
  {
    name: 'B-2, B-10 and B-12 older words of refusals',
    aspect: 'refusals',
    answer: refusing([SEND], inWordsOf('older')),
  },
  { name: 'B-6 and B-7 Core 31: words of refusals', aspect: 'refusals', answer: refusing([SEND], inWordsOf('newer')) },
  {
    name: 'B-13 no estimate of fees',
    aspect: 'estimate',
    answer: answering(['estimatesmartfee'], {
      result: { errors: ['Insufficient data or no feerate found'], blocks: 0 },
    }),
  },
  { name: 'B-14 an estimate of 12 sat/vB', aspect: 'estimate', answer: estimate('0.00012000') },
  { name: 'B-14 an estimate of 1.2 sat/vB', aspect: 'estimate', answer: estimate('0.00001200') },
  ...[WITHOUT_INDEX, BUILDING_INDEX].map((message, at): Dialect => ({
    name: `B-16 ${at === 0 ? 'no index of transactions' : 'the index is being built'}`,
    aspect: 'index',
    hinders: true,
    answer: refusing([LOOKUP], ({ code }) => (code === NOT_FOUND ? refuse(NOT_FOUND, message) : undefined)),
  })),
  {
    name: 'B-16 words of what is in no index',
    aspect: 'index',
    answer: refusing([LOOKUP], ({ code }) => (code === NOT_FOUND ? refuse(NOT_FOUND, NOT_IN_INDEX) : undefined)),
  },
  {
    name: 'B-22 the pool is loading',
    aspect: 'pool',
    hinders: true,
    answer: changing(['getmempoolinfo'], (info: object) => ({ ...info, loaded: false })),
  },
  {
    name: 'B-25 times of blocks two hours off',
    aspect: 'times',
    answer: changing(DATED, (block: { hash: string; time?: number }) =>
      block.time === undefined
        ? block
        : { ...block, time: block.time + (isAmong(block.hash, 0.5) ? TWO_HOURS : -TWO_HOURS) },
    ),
  },
  {
    name: 'B-28 Core 31 with privatebroadcast: accepted, in no pool',
    aspect: 'spreading',
    hinders: true,
    answer: async (call, next, node) => {
      const [raw] = call.params
      if (call.method !== SEND || !isAmong(String(raw), 0.3)) return next(call)
      const decoded = await node.ask('decoderawtransaction', raw)
      return 'result' in decoded ? { result: (decoded.result as { txid: string }).txid } : next(call)
    },
  },
  {
    name: 'B-29 Core 31: sizes by other names too',
    aspect: 'entries',
    answer: changing(['getmempoolentry'], (entry: { vsize: number; 'bip125-replaceable'?: boolean }) => {
      const { 'bip125-replaceable': _, ...shown } = entry
      return { ...shown, vsize_bip141: entry.vsize, vsize_adjusted: entry.vsize }
    }),
  },
]
