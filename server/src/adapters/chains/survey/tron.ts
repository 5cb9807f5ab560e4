/** Checks whether a java-tron node or a gateway meets Bursar's requirements. */
import { hexOfAddress } from '@bursar/chainkit/tron'
import { amountOf, messageOf, type Fields } from '../tron/fields.ts'
import { readGenesis, readHead, readSolidHead } from '../tron/heads.ts'
import type { Method, TronNode } from '../tron/node.ts'
import { listOf, objectOf } from '../shape.ts'
import type { tronSettingsOf } from '../settings.ts'
import { good, poor, unfit, unknown, type Probe, type Seen } from './finding.ts'

type TronSettings = ReturnType<typeof tronSettingsOf>

/** Number of solidified blocks to search for a transaction. */
const MOST_LOOKED_AT = 20
const OLD_HEAD_MS = 2 * 60_000
/** A block further ahead than this has a wrong clock. ms */
const MOST_AHEAD_MS = 2 * 60_000
/** java-tron refuses broadcasts when the solidified block is this far behind. */
const MOST_UNSOLID = 54
/** A query that every token answers. */
const DECIMALS = 'decimals()'
const NO_CONSTANT = /does not support constant/i
const LITE = /lite fullnode/i

/**
 * @param now ms since the epoch
 * @param tokens contracts in base58
 */
export const tronProbes = (
  node: TronNode,
  settings: TronSettings,
  { tokens, now }: { tokens: readonly string[]; now: number },
): Probe[] => [
  { about: 'client', neededBy: [], look: () => clientOf(node) },
  { about: 'sync', neededBy: [], look: () => syncOf(node, now) },
  { about: 'solidified state', neededBy: ['watcher', 'worker'], look: () => solidOf(node) },
  { about: 'receipts', neededBy: ['watcher'], look: () => receiptsOf(node) },
  { about: 'internal transactions', neededBy: [], look: () => internalOf(node, settings) },
  { about: 'constant calls', neededBy: ['worker'], look: () => constantOf(node, tokens) },
  { about: 'estimateEnergy', neededBy: [], look: () => estimateOf(node, tokens) },
  { about: 'old blocks', neededBy: [], look: () => oldBlocksOf(node) },
  { about: 'fees', neededBy: [], look: () => pricesOf(node) },
]

/** Returns the unprocessed answer, because some probes examine errors. */
const raw = async (node: TronNode, method: Method, body: Fields): Promise<unknown> =>
  node.ask(method, body, { attempts: 1 })

/** The node's error, or that of the executed call. */
const errorOf = (answer: unknown): string | undefined => {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { Error: error, result } = answer as Fields
  if (error !== undefined) return messageOf(error)
  const { code, message } = (typeof result === 'object' && result !== null ? result : {}) as Fields
  return code === undefined || code === 'SUCCESS' ? undefined : `${messageOf(message)} (${messageOf(code)})`
}

/** Reads the client's version. Gateways disable `getnodeinfo`; then the head shows that the node answers. */
const clientOf = async (node: TronNode): Promise<Seen> => {
  const { height } = await readHead(node)
  try {
    const { configNodeInfo } = await node.read('wallet/getnodeinfo', {}, (fields) => fields)
    const { codeVersion } = objectOf(configNodeInfo, 'configNodeInfo')
    return good(`java-tron ${messageOf(codeVersion)}, head ${height}`)
  } catch {
    return good(`does not say its version (a gateway), head ${height}`)
  }
}

const syncOf = async (node: TronNode, now: number): Promise<Seen> => {
  const [head, solid] = [await readHead(node), await readSolidHead(node)]
  const seconds = Math.round((now - head.time) / 1_000)
  const text = `head ${head.height}, ${seconds} s old; the solid block is ${head.height - solid.height} below`
  if (now - head.time > OLD_HEAD_MS)
    return poor(text, 'Wait until the node has caught up, and look whether it has peers')
  if (head.time - now > MOST_AHEAD_MS)
    return poor(`${text}: its time is ahead of this machine's`, "Set this machine's clock, by NTP for example")
  return head.height - solid.height > MOST_UNSOLID
    ? poor(text, 'Wait: a node whose solid block is so far behind takes no transactions')
    : good(text)
}

const solidOf = async (node: TronNode): Promise<Seen> => {
  try {
    return good(`of the chain ${(await readGenesis(node)).slice(0, 16)}…, on both roots`)
  } catch (error) {
    const { message } = error as Error
    if (/different chains/.test(message)) return unfit(message, 'Set solidityUrl to the same network as url')
    return unknown(
      `${message}: is solidityUrl right? java-tron serves /walletsolidity on a port of its own (node.http.solidityPort)`,
    )
  }
}

interface Block {
  height: number
  transactions: Fields[]
}

/** The newest solidified block with a transaction; undefined when the newest few have none. */
const newestWithTransaction = async (node: TronNode): Promise<Block | undefined> => {
  const solid = await readSolidHead(node)
  for (let { height } = solid; height > Math.max(0, solid.height - MOST_LOOKED_AT); height -= 1) {
    const block = await node.read('wallet/getblockbynum', { num: height }, (fields) => fields)
    const transactions = listOf(block['transactions'] ?? [], 'transactions').map((one) =>
      objectOf(one, 'a transaction'),
    )
    if (transactions.length > 0) return { height, transactions }
  }
  return undefined
}

const receiptsOf = async (node: TronNode): Promise<Seen> => {
  const block = await newestWithTransaction(node).catch((error: Error) => error)
  if (block instanceof Error) return LITE.test(block.message) ? lite(block.message) : unknown(block.message)
  if (block === undefined) return unknown(`no transaction in the newest ${MOST_LOOKED_AT} solid blocks`)
  const { height, transactions } = block
  const answer = await raw(node, 'wallet/gettransactioninfobyblocknum', { num: height })
  const error = errorOf(answer)
  if (error !== undefined) return LITE.test(error) ? lite(error) : unknown(error)
  const count = Array.isArray(answer) ? answer.length : 0
  if (count === transactions.length) return good(`block ${height} has one for each of its ${count} transactions`)
  const text = `block ${height} has ${transactions.length} transactions and ${count} receipts`
  return count === 0
    ? unfit(
        text,
        'Set storage.transHistory.switch = "on" and restore the node from a full snapshot: without receipts no payment is seen',
      )
    : poor(text, 'Ask again; if that lasts, several machines answer at this url')
}

const lite = (message: string): Seen =>
  unfit(
    `a lite node: ${message}`,
    'Set openHistoryQueryWhenLiteFN = true, or use a full node: a lite one answers no questions about blocks',
  )

/** Checks whether java-tron records internal transactions. It can't be queried; the presence of some is the proof. */
const internalOf = async (node: TronNode, { internalTransactions }: TronSettings): Promise<Seen> => {
  const { height } = await readSolidHead(node)
  let seen = 0
  for (let at = height; at > Math.max(0, height - MOST_LOOKED_AT) && seen === 0; at -= 1) {
    const infos = await raw(node, 'wallet/gettransactioninfobyblocknum', { num: at })
    if (Array.isArray(infos))
      seen = infos.filter((info) => Array.isArray((info as Fields)['internal_transactions'])).length
  }
  const where = `the newest ${MOST_LOOKED_AT} solid blocks`
  if (seen > 0 && internalTransactions) return good(`are recorded: found in ${where}`)
  if (seen > 0)
    return poor(
      `are recorded by the node and not read`,
      'Set internalTransactions of TRON to true: TRX sent by contracts is not credited without',
    )
  if (!internalTransactions)
    return poor(
      `are not read (internalTransactions is false), and there are none in ${where}`,
      'Set vm.saveInternalTx = true at the node and internalTransactions to true: TRX sent by contracts is not credited without',
    )
  return unknown(`none in ${where}: where the chain is busy, the node runs without vm.saveInternalTx = true`)
}

const callOf = (token: string): Fields => ({
  owner_address: hexOfAddress(token),
  contract_address: hexOfAddress(token),
  function_selector: DECIMALS,
  parameter: '',
})

const constantOf = async (node: TronNode, [token]: readonly string[]): Promise<Seen> => {
  if (token === undefined) return unknown('no token is configured that could be asked')
  for (const method of ['wallet/triggerconstantcontract', 'walletsolidity/triggerconstantcontract'] as const) {
    const error = errorOf(await raw(node, method, callOf(token)))
    if (error !== undefined && NO_CONSTANT.test(error))
      return unfit(
        `${method}: ${error}`,
        'Set vm.supportConstant = true at the node: balances and costs of tokens are asked by such calls',
      )
    if (error !== undefined)
      return poor(
        `${method} of ${token}: ${error}`,
        'Look whether the node has caught up and whether the contract is right',
      )
  }
  return good('are run, on both roots')
}

const estimateOf = async (node: TronNode, [token]: readonly string[]): Promise<Seen> => {
  if (token === undefined) return unknown('no token is configured that could be asked')
  const error = errorOf(await raw(node, 'wallet/estimateenergy', callOf(token)))
  return error === undefined
    ? good('is answered')
    : good(`is not answered (${error}); costs are read from constant calls`)
}

const oldBlocksOf = async (node: TronNode): Promise<Seen> => {
  const answer = await raw(node, 'wallet/getblockbynum', { num: 1 })
  const isThere = typeof answer === 'object' && answer !== null && (answer as Fields)['blockID'] !== undefined
  if (isThere) return good('from the first on')
  return poor(
    `block 1 is not there: ${errorOf(answer) ?? 'an empty answer'}`,
    "Blocks before the node's snapshot can't be read again by `bursar rescan`: restore the node from a full snapshot where that is needed",
  )
}

const PARAMETERS = ['getEnergyFee', 'getTransactionFee', 'getForbidTransferToContract', 'getAllowDynamicEnergy']

const pricesOf = async (node: TronNode): Promise<Seen> =>
  node.read('wallet/getchainparameters', {}, ({ chainParameter }) => {
    const given = new Map(
      listOf(chainParameter, 'chainParameter')
        .map((one) => objectOf(one, 'a parameter'))
        .map(({ key, value }) => [String(key), amountOf(value, 'a value')]),
    )
    return good(PARAMETERS.map((name) => `${name} ${String(given.get(name) ?? 'not said')}`).join(', '))
  })
