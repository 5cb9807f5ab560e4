/** Comparison of the answers of Bitcoin Core, or a compatible node, with those that the adapter expects. */
import type { Rpc } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import { listOf, objectOf, textOf, wholeOf } from '../shape.ts'
import { agrees, compareWords, described, isNew, type Question } from './comparison.ts'

type Fields = Record<string, unknown>

const UNKNOWN_HASH = 'fe'.repeat(32)
const BLOCKS = 3
const FAR_AHEAD = 1_000
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

/**
 * src/rpc/blockchain.cpp and src/core_io.cpp of Bitcoin Core 25 to 31; `header_version` and `txcount` are of Knots 29.
 */
const BLOCK = words(
  'header_version txcount bits chainwork coinbase_tx confirmations difficulty hash height mediantime merkleroot nTx nextblockhash nonce previousblockhash size strippedsize target time tx version versionHex weight',
)
const TRANSACTION = words(
  'blockhash blocktime confirmations fee hash hex locktime size time txid version vin vout vsize weight',
)
/** src/script/solver.cpp. */
const SCRIPTS = words(
  'anchor multisig nonstandard nulldata pubkey pubkeyhash scripthash witness_unknown witness_v0_keyhash witness_v0_scripthash witness_v1_taproot',
)
const VERSIONS = words('1 2 3')

export const bitcoinQuestions = (rpc: Rpc): Question[] => {
  const refusal = (
    row: string,
    method: string,
    params: readonly unknown[],
    isKnown: (answer: RpcAnswer) => boolean,
  ): Question => ({
    row,
    compare: async () => {
      const answer = await rpc.ask({ method, params })
      return isKnown(answer) ? agrees(described(answer)) : isNew(described(answer))
    },
  })
  const says =
    (code: number, text: RegExp) =>
    (answer: RpcAnswer): boolean =>
      !answer.ok && answer.code === code && text.test(answer.message)
  let read: Promise<Fields[]> | undefined
  const blocks = (): Promise<Fields[]> => (read ??= readNewest(rpc))
  const transactions = async (): Promise<Fields[]> => (await blocks()).flatMap((block) => listsIn(block, 'tx'))
  return [
    refusal(
      'B-16: unknown transaction',
      'getrawtransaction',
      [UNKNOWN_HASH, 0],
      says(-5, /^No such mempool or blockchain transaction/),
    ),
    refusal('unknown transaction in the pool', 'getmempoolentry', [UNKNOWN_HASH], says(-5, /not in mempool/i)),
    refusal('unknown block', 'getblockheader', [UNKNOWN_HASH], says(-5, /Block not found/)),
    {
      row: 'block of a future height',
      compare: async () => {
        const height = await rpc.read('getblockcount', [], (result) => wholeOf(result, 'the height'))
        const answer = await rpc.ask({ method: 'getblockhash', params: [height + FAR_AHEAD] })
        return says(-8, /out of range/)(answer) ? agrees(described(answer)) : isNew(described(answer))
      },
    },
    refusal('unknown output', 'gettxout', [UNKNOWN_HASH, 0], (answer) => answer.ok && answer.result === null),
    refusal('bytes that are no transaction', 'testmempoolaccept', [['00']], says(-22, /decode/i)),
    refusal('unknown method', 'bursarsmoke', [], says(-32601, /not found/i)),
    {
      row: 'B-13: estimate',
      compare: async () => {
        const answer = await rpc.read('estimatesmartfee', [2], (result) => objectOf(result, 'the estimate'))
        return compareWords('fields', Object.keys(answer), words('blocks errors feerate'))
      },
    },
    {
      row: 'fields of blocks',
      compare: async () =>
        compareWords(
          'fields',
          (await blocks()).flatMap((block) => Object.keys(block)),
          BLOCK,
        ),
    },
    {
      row: 'fields of transactions',
      compare: async () =>
        compareWords(
          'fields',
          (await transactions()).flatMap((one) => Object.keys(one)),
          TRANSACTION,
        ),
    },
    { row: 'versions of transactions', compare: async () => versionsOf(await transactions()) },
    {
      row: 'kinds of scripts',
      compare: async () =>
        compareWords(
          'kinds',
          (await transactions())
            .flatMap((one) => listsIn(one, 'vout'))
            .map(({ scriptPubKey }) => textOf(objectOf(scriptPubKey, 'a script')['type'], 'its type')),
          SCRIPTS,
        ),
    },
  ]
}

const listsIn = (fields: Fields, name: string): Fields[] => listOf(fields[name], name).map((one) => objectOf(one, name))

/** Any version is valid; only version 3 has its own pool rules (BIP 431). */
const versionsOf = (transactions: readonly Fields[]) => {
  const compared = compareWords(
    'versions',
    transactions.map(({ version }) => String(version as number)),
    VERSIONS,
  )
  return compared.result === 'new' ? agrees(`${compared.text}; no rule depends on it`) : compared
}

const readNewest = async (rpc: Rpc): Promise<Fields[]> => {
  const height = await rpc.read('getblockcount', [], (result) => wholeOf(result, 'the height'))
  const blocks: Fields[] = []
  for (let at = height; at > Math.max(-1, height - BLOCKS); at -= 1) {
    const hash = await rpc.read('getblockhash', [at], (result) => textOf(result, 'the hash'))
    blocks.push(await rpc.read('getblock', [hash, 3], (result) => objectOf(result, 'the block')))
  }
  return blocks
}
