/**
 * How nodes of TRON speak, by the rows of docs/dialects.md. Words and forms:
 * test/world/dialects/tron.ts, after java-tron 4.8.1.
 */
import {
  entry,
  hex,
  LITE_NODE,
  NO_ESTIMATES,
  SILENT,
  stakeEntries,
  UNDECIDED,
  UNUSABLE_INFOS,
  valuelessCall,
} from '../../../world/dialects/tron.ts'
import { answering, balancer, changing, isAmong, type Answering, type Dialect, type Said } from '../dialect.ts'

const INFOS = 'wallet/gettransactioninfobyblocknum'
const INFO = ['wallet/gettransactioninfobyid', 'walletsolidity/gettransactioninfobyid']
const CALLS = ['wallet/triggerconstantcontract', 'walletsolidity/triggerconstantcontract']
const BROADCAST = 'wallet/broadcasthex'
const ESTIMATE = 'wallet/estimateenergy'
/** What a lite node does not serve (LiteFnQueryHttpFilter). */
const HISTORY = [
  'getblockbynum',
  'gettransactioninfobyblocknum',
  'gettransactioninfobyid',
  'gettransactionbyid',
].flatMap((name) => [`wallet/${name}`, `walletsolidity/${name}`])

interface Info {
  internal_transactions?: { caller_address: string; transferTo_address?: string }[]
}

const LENT_SUN = 900_000_000
const OTHER_UNITS = 7_000_000

/** Energy that a contract lends to an address and takes back, with the staked amount as its value. */
const lending = (by: string, to: string): object[] =>
  ['delegateResourceOfEnergy', 'unDelegateResourceOfEnergy'].map((note) =>
    entry(by, note, to, { callValueInfo: [{ callValue: LENT_SUN }] }),
  )

/** A call that was undone, and a payment in a TRC-10 token. */
const withoutCoin = (by: string, to: string): object[] => [
  entry(by, 'call', to, { callValueInfo: [{ callValue: OTHER_UNITS }], rejected: true }),
  entry(by, 'call', to, { callValueInfo: [{ callValue: OTHER_UNITS, tokenId: '1000001' }] }),
]

/**
 * Adds entries of internal transactions where there are some: around them, as they come in the course of a call.
 * @param entries of the first entry's sender and receiver
 */
const withEntries = (entries: (by: string, to: string) => object[]): Answering =>
  changing([INFOS, ...INFO], (shown: Info | Info[]) => {
    const changed = (info: Info): object => {
      const { internal_transactions: list } = info
      if (list === undefined || list.length === 0) return info
      const { caller_address: by, transferTo_address: to = by } = list[0]!
      const [before, ...after] = entries(by, to)
      return { ...info, internal_transactions: [before, ...list, ...after] }
    }
    return Array.isArray(shown) ? shown.map(changed) : changed(shown)
  })

/** An amount of sun that ends so is listed wrongly by a node that lists what has not happened. */
export const MARKED_SUN = { modulus: 1_000_000n, rest: 777_777n }
export const LISTED_TWICE = 'T-3 coin that a contract sends is listed twice'
export const NOT_LISTED = 'T-3 coin that a contract sends is not listed'

interface Entry {
  callValueInfo?: { callValue?: number }[]
}

/** Lists entries of marked amounts so many times. */
const listing = (times: number): Answering =>
  changing([INFOS, ...INFO], (shown: Info | Info[]) => {
    const changed = (info: Info): object => {
      const { internal_transactions: list } = info
      if (list === undefined) return info
      const listed = (list as Entry[]).flatMap((one) => {
        const sun = BigInt(one.callValueInfo?.[0]?.callValue ?? 0)
        return Array.from({ length: sun % MARKED_SUN.modulus === MARKED_SUN.rest ? times : 1 }, () => one)
      })
      return { ...info, internal_transactions: listed }
    }
    return Array.isArray(shown) ? shown.map(changed) : changed(shown)
  })

/** As before a vote that makes calls dearer: a transaction that is planned now runs out of energy. */
export const LOW_ESTIMATES = 'T-20 estimates of energy that are too low'
const TOO_LOW = 10

const BLOCKS = ['wallet/getblockbynum', 'wallet/getblock']
const COUNT = 'wallet/gettransactioncountbyblocknum'

interface ShownBlock {
  transactions?: unknown[]
}

/** A gateway that leaves out the transactions of blocks, and does not count them. */
const withoutTransactions: Answering = async (call, next) => {
  const said = await next(call)
  if (!('result' in said)) return said
  if (call.method === COUNT) return { result: {} }
  if (!BLOCKS.includes(call.method)) return said
  const { transactions: _, ...block } = said.result as ShownBlock
  return { result: block }
}

/** The last transaction of a block, and what it did, is left out, and it is counted. */
const withoutLast: Answering = changing([...BLOCKS, INFOS], (shown: ShownBlock | unknown[]) => {
  if (Array.isArray(shown)) return shown.slice(0, -1)
  return shown.transactions === undefined ? shown : { ...shown, transactions: shown.transactions.slice(0, -1) }
})

interface Taken {
  result?: boolean
  message?: string
  txid?: string
}

/**
 * For fifty blocks, `/walletsolidity` shows the blocks and the balances of one block: java-tron reads both from the
 * state of its solid block (TronNetDelegate, WalletOnSolidity).
 */
const withoutNewBlocks: Answering = async (call, next, node) => {
  if (!call.method.startsWith('walletsolidity/')) return next(call)
  const solid = async (): Promise<number> => {
    const said = await node.ask('walletsolidity/getblock', { detail: false })
    return (
      (said as { result: { block_header: { raw_data: { number?: number } } } }).result.block_header.raw_data.number ?? 0
    )
  }
  for (;;) {
    const newest = await solid()
    const still = Math.max(0, Math.floor(newest / 50) * 50 - 5)
    const said = await node.askBehind(newest - still, call)
    if ((await solid()) === newest) return said
  }
}

export const TRON_DIALECTS: readonly Dialect[] = [
  {
    name: 'T-3 and T-5 saveFeaturedInternalTx: acts of stake in between, and energy lent to the receiver',
    aspect: 'internal',
    answer: withEntries((by, to) => [...stakeEntries(by), ...lending(by, to)]),
  },
  {
    name: 'T-6 calls without a value, undone ones and TRC-10 tokens are listed',
    aspect: 'internal',
    answer: withEntries((by, to) => [valuelessCall(by, by), valuelessCall(by, by), ...withoutCoin(by, to)]),
  },
  balancer('T-10 a balancer before machines out of step', 2),
  {
    name: 'T-12 a lite node',
    aspect: 'history',
    hinders: true,
    answer: answering(HISTORY, { status: 200, text: LITE_NODE }),
  },
  ...UNUSABLE_INFOS.filter(([row]) => !row.includes('block 0')).map(([row, infos]): Dialect => ({
    name: row.replace('row ', ''),
    aspect: 'history',
    hinders: true,
    answer: changing([INFOS], (own: unknown[]) => (own.length > 0 ? infos : own)),
  })),
  ...SILENT.map(([what, said]): Dialect => ({
    name: `calls: ${what}`,
    aspect: 'calls',
    hinders: true,
    answer: answering(CALLS, { result: said() }),
  })),
  {
    name: 'T-15 a node without estimates of energy',
    aspect: 'estimates',
    answer: answering([ESTIMATE], { result: NO_ESTIMATES }),
  },
  {
    name: 'T-20 estimates of energy that are too high',
    aspect: 'estimates',
    answer: changing([ESTIMATE], (estimate: { energy_required?: number }) =>
      estimate.energy_required === undefined
        ? estimate
        : { ...estimate, energy_required: estimate.energy_required + 2_000 },
    ),
  },
  {
    name: LOW_ESTIMATES,
    aspect: 'estimates',
    hinders: true,
    answer: changing([ESTIMATE, ...CALLS], (said: { energy_required?: number; energy_used?: number }) => ({
      ...said,
      ...(said.energy_required !== undefined && { energy_required: Math.ceil(said.energy_required / TOO_LOW) }),
      ...(said.energy_used !== undefined && { energy_used: Math.ceil(said.energy_used / TOO_LOW) }),
    })),
  },
  {
    name: 'T-23 the solid block stands still',
    aspect: 'solid',
    hinders: true,
    answer: withoutNewBlocks,
  },
  ...UNDECIDED.map(([row, code, message]): Dialect => ({
    name: `${row.replace('row ', '')}, ${code}`,
    aspect: 'broadcast',
    hinders: true,
    answer: async (call, next) => {
      const said = await next(call)
      if (call.method !== BROADCAST || !('result' in said)) return said
      const { result, txid } = said.result as Taken
      if (result !== true || !isAmong(String(txid), 0.5)) return said
      return { result: { result: false, code, txid, message } } satisfies Said
    },
  })),
  {
    name: 'T-29 messages in hex',
    aspect: 'messages',
    answer: changing([BROADCAST], (taken: Taken) =>
      taken.result === true || taken.message === undefined ? taken : { ...taken, message: hex(taken.message) },
    ),
  },
  {
    name: 'T-36 parameters come and go',
    aspect: 'parameters',
    answer: changing(
      ['wallet/getchainparameters'],
      ({ chainParameter }: { chainParameter: { key: string; value?: number }[] }) => ({
        chainParameter: [
          { key: 'getOfTomorrow', value: 1 },
          ...chainParameter.map(({ key, value }) =>
            value === 0 ? { key } : { key, ...(value !== undefined && { value }) },
          ),
          { key: 'getWithoutValue' },
        ],
      }),
    ),
  },
  {
    name: 'T-21 blocks without their transactions',
    aspect: 'transactions',
    hinders: true,
    answer: withoutTransactions,
  },
  {
    name: 'T-21 blocks without their last transaction',
    aspect: 'transactions',
    hinders: true,
    answer: withoutLast,
  },
  ...(
    [
      [LISTED_TWICE, 2],
      [NOT_LISTED, 0],
    ] as const
  ).map(([name, times]): Dialect => ({
    name,
    aspect: 'internal',
    hinders: true,
    lies: true,
    answer: listing(times),
  })),
]
