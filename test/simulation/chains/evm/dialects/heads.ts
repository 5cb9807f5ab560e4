/**
 * Final blocks, and blocks that a node does not have. Words: test/world/dialects/evm-heads.ts; rows E-1 to
 * E-8 of docs/dialects.md.
 */
import { keccak256 } from 'viem'
import { BEYOND, NO_FINAL } from '../../../../world/dialects/evm-heads.ts'
import { balancer, refusing, type Answering, type Dialect, type Said } from '../../dialect.ts'

export const FOREIGN_FINAL = 'B8 a balancer: the final block is of a machine on another branch'
/** As many blocks below the head as the program believes at least: others are final by depth alone there. */
const OF_OTHER_BRANCH = 3

const BLOCK = 'eth_getBlockByNumber'
const hex = (height: number): string => `0x${Math.max(0, height).toString(16)}`

/** What `finalized` is: a height, or an answer of its own. */
const finalBlock =
  (said: (head: number) => number | Said): Answering =>
  async (call, next, node) => {
    if (call.method !== BLOCK || call.params[0] !== 'finalized') return next(call)
    const at = said(await node.head())
    return typeof at === 'number' ? next({ ...call, params: [hex(at), ...call.params.slice(1)] }) : at
  }

/** Null of a height that the node does not have, in other words. */
const beyond =
  (said: Said): Answering =>
  async (call, next) => {
    const own = await next(call)
    const isNothing = 'result' in own && own.result === null
    return call.method === BLOCK && isNothing && String(call.params[0]).startsWith('0x') ? said : own
  }

/** How nodes refuse state of a block that they do not have, as the node itself does in its own words (EDR). */
export const unknownBlock = (said: Said): Answering =>
  refusing(['eth_getBalance', 'eth_call', 'eth_getCode'], ({ message }) =>
    /invalid block tag|header not found/i.test(message) ? said : undefined,
  )

export const HEADS: readonly Dialect[] = [
  ...NO_FINAL.map(([client, said]): Dialect => ({
    name: client.replace('row ', ''),
    aspect: 'finalized',
    hinders: true,
    answer: finalBlock(() => said),
  })),
  { name: 'E-4 EDR, reth-bsc 8/2025: final is the head', aspect: 'finalized', answer: finalBlock((head) => head) },
  {
    name: 'E-5 bsc without attestations: block 0 is final',
    aspect: 'finalized',
    hinders: true,
    on: 'BINANCE_SMART_CHAIN',
    answer: finalBlock(() => 0),
  },
  {
    name: 'E-6 bsc 1.6: two blocks below, or one with votes',
    aspect: 'finalized',
    on: 'BINANCE_SMART_CHAIN',
    answer: finalBlock((head) => head - 1 - (head % 2)),
  },
  {
    name: FOREIGN_FINAL,
    aspect: 'finalized',
    hinders: true,
    answer: async (call, next, node) => {
      if (call.method !== BLOCK || call.params[0] !== 'finalized') return next(call)
      const said = await next({
        ...call,
        params: [hex((await node.head()) - OF_OTHER_BRANCH), ...call.params.slice(1)],
      })
      const block = 'result' in said ? (said.result as { hash: string } | null) : null
      return block === null ? said : { result: { ...block, hash: keccak256(block.hash as `0x${string}`) } }
    },
  },
  balancer('E-7 a balancer before machines out of step', 2),
  ...BEYOND.slice(1).map(([client, said]): Dialect => ({
    name: `E-8 ${client}`,
    aspect: 'beyond',
    answer: beyond(said),
  })),
]
