/** Read requests: blocks and transactions. */
import { blockJson, minedJson } from '../views/block.ts'
import { infoJson } from '../views/info.ts'
import { transactionJson } from '../codec/transaction-json.ts'
import type { Block } from '../blocks/block.ts'
import type { Json } from '../codec/json.ts'
import { JavaError } from './request.ts'
import type { Fields } from './request.ts'
import { lists } from './settings.ts'
import type { View } from './view.ts'
import type { Routes } from './routes.ts'

/** java-tron returns at most this number of blocks at once. */
const mostBlocks = 100n

export const blockRoutes: Routes = {
  getnowblock: (view, { visible }) => blockJson(view.newest, visible),
  getblock: (view, fields) => blockJson(findBlock(view, fields), fields.visible, fields.flag('detail')),
  getblockbynum: (view, fields) => blockJson(view.blockAt(fields.integer('num')), fields.visible),
  getblockbyid: (view, fields) => blockJson(view.blockBy(fields.text('value')), fields.visible),
  getblockbylimitnext: (view, fields) => {
    const [from, to] = [fields.integer('startNum'), fields.integer('endNum')]
    if (from < 0n || to <= 0n || to <= from || to - from > mostBlocks) return {}
    return blockList(view, from, to, fields.visible)
  },
  getblockbylatestnum: (view, fields) => {
    const count = fields.integer('num')
    if (count <= 0n || count >= mostBlocks) return {}
    const end = BigInt(view.newest.number) + 1n
    return blockList(view, end > count ? end - count : 0n, end, fields.visible)
  },
  gettransactionbyid: (view, fields) => {
    const found = view.transaction(fields.text('value'))
    return found === undefined ? {} : minedJson(found.transaction, fields.visible)
  },
  gettransactioninfobyid: (view, fields) => {
    const found = view.transaction(fields.text('value'))
    return found === undefined ? {} : infoJson(found, fields.visible, lists(view.node.settings()))
  },
  gettransactioninfobyblocknum: (view, fields) => {
    const number = fields.integer('num')
    // Source: java-tron GetTransactionInfoByBlockNumServlet (row T-9).
    if (number <= 0n) return {}
    const block = view.blockAt(number)
    return (block?.transactions ?? []).map((transaction) =>
      infoJson({ transaction, block: block as Block }, fields.visible, lists(view.node.settings())),
    )
  },
  gettransactioncountbyblocknum: (view, fields) => ({
    count: BigInt(view.blockAt(fields.integer('num'))?.transactions.length ?? -1),
  }),
}

/** Requests for pending transactions; only on a full node. */
export const pendingRoutes: Routes = {
  gettransactionfrompending: ({ chain }, fields) => {
    const found = chain.pool.get(fields.text('value').toLowerCase())
    return found === undefined ? {} : transactionJson(found, fields.visible)
  },
  gettransactionlistfrompending: ({ chain }) => {
    const ids = chain.pool.list().map(({ id }) => id)
    return ids.length === 0 ? {} : { txId: ids }
  },
  getpendingsize: ({ chain }) => ({ pendingSize: BigInt(chain.pool.list().length) }),
}

const findBlock = (view: View, fields: Fields): Block | undefined => {
  if (!fields.has('id_or_num')) return view.newest
  const wanted = fields.text('id_or_num')
  if (/^\d{1,18}$/.test(wanted)) return view.blockAt(BigInt(wanted))
  if (/^[0-9a-f]{64}$/i.test(wanted)) return view.blockBy(wanted)
  throw new JavaError('java.lang.IllegalArgumentException', 'id_or_num must be legal block number or id')
}

const blockList = async (view: View, from: bigint, to: bigint, visible: boolean): Promise<Json> => {
  const blocks: Json[] = []
  for (let number = from; number < to; number++) {
    const block = view.blockAt(number)
    if (block !== undefined) blocks.push(await blockJson(block, visible))
  }
  return blocks.length === 0 ? {} : { block: blocks }
}
