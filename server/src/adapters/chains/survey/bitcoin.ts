/** Checks whether a Bitcoin Core or compatible node meets Bursar's requirements. */
import type { bitcoinSettingsOf } from '../settings.ts'
import { readTxIndex, type TxIndex } from '../bitcoin/txindex.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, objectOf, textOf, wholeOf } from '../shape.ts'
import { good, poor, unfit, unknown, type Probe, type Seen } from './finding.ts'

type Fields = Record<string, unknown>

/** Formats a number, flag or text for operators. */
const shown = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value === undefined ? 'not said' : JSON.stringify(value)
}

/** Bitcoin Core 25: the oldest whose answers the adapter reads. */
const LEAST_VERSION = 250_000
/** Depth below the head to which rescans need undo data. */
const UNDO_DEPTH = 1_000
const METHODS = [
  'getrawtransaction',
  'getblock',
  'getrawmempool',
  'getmempoolentry',
  'gettxout',
  'scantxoutset',
  'estimatesmartfee',
  'sendrawtransaction',
  'testmempoolaccept',
  'submitpackage',
]

/** Blocks come every ten minutes on average: six hours without one are no coincidence. ms */
const OLD_HEAD_MS = 6 * 3_600_000
/** src/chain.h MAX_FUTURE_BLOCK_TIME: a block of a time further ahead is refused. ms */
const MOST_AHEAD_MS = 2 * 3_600_000

/** @param now ms since the epoch, for the age of the head */
export const bitcoinProbes = (
  rpc: Rpc,
  { finalDepth, fees }: ReturnType<typeof bitcoinSettingsOf>,
  now: number,
): Probe[] => {
  const read = (method: string, params: readonly unknown[] = []): Promise<Fields> =>
    rpc.read(method, params, (result) => objectOf(result, 'the answer'))
  return [
    { about: 'client', neededBy: ['watcher', 'worker'], look: async () => clientOf(await read('getnetworkinfo')) },
    {
      about: 'sync',
      neededBy: [],
      look: async () => syncOf(await read('getblockchaininfo'), await read('getnetworkinfo'), now),
    },
    { about: 'blocks', neededBy: ['watcher', 'worker'], look: async () => blocksOf(await read('getblockchaininfo')) },
    { about: 'txindex', neededBy: ['watcher', 'worker'], look: async () => indexOf(await readTxIndex(rpc)) },
    { about: 'undo data', neededBy: [], look: () => undoOf(rpc) },
    {
      about: 'finality',
      neededBy: [],
      look: async () => good(`a block is final with ${finalDepth} confirmations (finalDepth)`),
    },
    { about: 'pool', neededBy: [], look: async () => poolOf(await read('getmempoolinfo')) },
    { about: 'fees', neededBy: [], look: async () => estimateOf(await read('estimatesmartfee', [2]), fees) },
    { about: 'methods', neededBy: [], look: () => methodsOf(rpc) },
  ]
}

const clientOf = ({ version, subversion, connections, warnings }: Fields): Seen => {
  const client = `${textOf(subversion, 'subversion')}, ${shown(connections)} peers`
  if (wholeOf(version, 'version') < LEAST_VERSION) return unfit(client, 'Upgrade to Bitcoin Core or Knots 25 or newer')
  const said = [warnings ?? []].flat().filter((one) => one !== '')
  return said.length === 0
    ? good(client)
    : poor(`${client}; it warns: ${said.map(shown).join('; ')}`, 'Read its warning')
}

const syncOf = (
  { chain, blocks, headers, time, initialblockdownload: isLoading, verificationprogress: progress }: Fields,
  { connections }: Fields,
  now: number,
): Seen => {
  const age = typeof time === 'number' ? now - time * 1_000 : undefined
  const text = `block ${shown(blocks)} of ${shown(headers)}${age === undefined ? '' : `, ${Math.round(age / 60_000)} min old`}`
  if (isLoading === true)
    return poor(`${text}, still loading the chain (${shown(progress)})`, 'Wait until the node has caught up')
  // A regtest chain has blocks on demand only, and no peers.
  if (chain === 'regtest') return good(text)
  if (age !== undefined && age < -MOST_AHEAD_MS)
    return poor(`${text}: its time is ahead of this machine's`, "Set this machine's clock, by NTP for example")
  if (connections === 0)
    return poor(
      `${text}, without a peer`,
      "Look at the node's network: without peers it learns of no block and sends nothing",
    )
  return age !== undefined && age > OLD_HEAD_MS
    ? poor(text, "Look at the node's peers and its log: it has no new blocks")
    : good(text)
}

const blocksOf = ({ pruned, pruneheight: from, background_validation: background }: Fields): Seen => {
  if (pruned === true)
    return unfit(
      `old blocks are thrown away, kept from ${shown(from)}`,
      'Set prune=0 and start the node with -reindex: a pruned node has no txindex',
    )
  return background === undefined
    ? good('all are kept')
    : poor(
        'the chain below a snapshot is still being checked',
        'Wait: blocks and the index below the snapshot come with that check',
      )
}

const indexOf = (txindex: TxIndex): Seen => {
  if (txindex === undefined)
    return unfit('the node has no index of transactions', 'Set txindex=1 in bitcoin.conf and restart the node')
  return txindex.isSynced
    ? good(`complete to block ${txindex.height}`)
    : unfit(
        `the node is still building it, at block ${txindex.height}`,
        'Wait: Bursar begins by itself once getindexinfo says synced',
      )
}

const undoOf = async (rpc: Rpc): Promise<Seen> => {
  const head = await rpc.read('getblockcount', [], (result) => wholeOf(result, 'the height'))
  const height = Math.max(1, head - UNDO_DEPTH)
  if (head < 1) return unknown('the chain has no block but the first')
  const hash = await rpc.read('getblockhash', [height], (result) => textOf(result, 'the hash'))
  const answer = await rpc.ask({ method: 'getblock', params: [hash, 3] })
  const change = 'Start the node with -reindex-chainstate: senders of old blocks are read from its undo files'
  if (!answer.ok)
    return poor(
      `block ${height} with the outputs that it spends is refused: ${answer.message} (${answer.code})`,
      change,
    )
  return rpc.believe('getblock', () => {
    const inputs = listOf(objectOf(answer.result, 'the block')['tx'], 'tx')
      .slice(1)
      .flatMap((one) => listOf(objectOf(one, 'a transaction')['vin'], 'vin'))
    const isWhole = inputs.every((one) => objectOf(one, 'an input')['prevout'] !== undefined)
    return isWhole
      ? good(`block ${height} names the outputs that it spends`)
      : poor(`block ${height} does not name the outputs that it spends`, change)
  })
}

/** BTC for 1,000 virtual bytes as satoshi for each. */
const rate = (value: unknown): string =>
  value === undefined ? 'not said' : `${(Number(value) * 100_000).toFixed(3).replace(/\.?0+$/, '')} sat/vB`

const poolOf = ({
  size,
  loaded,
  mempoolminfee,
  minrelaytxfee,
  incrementalrelayfee,
  dustrelayfee,
  fullrbf,
}: Fields): Seen => {
  const text = `${shown(size)} transactions; least fee ${rate(mempoolminfee)}, relay ${rate(minrelaytxfee)}, increment ${rate(incrementalrelayfee)}, dust ${rate(dustrelayfee)}; full RBF ${shown(fullrbf)}`
  return loaded === false ? poor(`${text}; still being loaded`, 'Wait: until then the pool is not whole') : good(text)
}

const estimateOf = ({ feerate, errors }: Fields, { floor, cap }: { floor: bigint; cap: bigint }): Seen => {
  const bounds = `bounds ${Number(floor) / 1_000} to ${Number(cap) / 1_000} sat/vB`
  if (feerate !== undefined) return good(`estimate for 2 blocks ${rate(feerate)}; ${bounds}`)
  return unknown(
    `the node has no estimate (${[errors ?? []].flat().map(shown).join('; ')}): after a start, a restore or an upgrade it has seen too little for hours; ${bounds}`,
  )
}

/**
 * Checks methods by `help`, which also reveals methods that a build lacks. A whitelist may refuse `help`, which proves
 * nothing.
 */
const methodsOf = async (rpc: Rpc): Promise<Seen> => {
  const answers = await rpc.askAll(METHODS.map((method) => ({ method: 'help', params: [method] })))
  const missing = METHODS.filter((_, at) => {
    const answer = answers[at]!
    return answer.ok && /unknown command/i.test(shown(answer.result))
  })
  if (answers.some((one) => !one.ok)) return unknown('the node does not answer `help`: is it behind rpcwhitelist?')
  return missing.length === 0
    ? good('all that are used')
    : poor(`the node has no ${missing.join(', ')}`, 'Upgrade the node')
}
