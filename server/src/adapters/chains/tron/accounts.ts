import type { Head } from '@bursar/chainkit'
import { encodeTokenBalanceOf, hexOfAddress, type Resources } from '@bursar/chainkit/tron'
import type { Timer } from '../pauses.ts'
import type { Stake } from '../port.ts'
import { Malformed } from '../shape.ts'
import { readTokenUnits } from './calls.ts'
import { addressOf, amountOf, type Fields } from './fields.ts'
import { readOrNothing, readSolidHead } from './heads.ts'
import type { Method, TronNode } from './node.ts'
import { decodeStake, ownedOf } from './stake.ts'

export interface Wanted {
  address: string
  contract: string | null
}

const SOLID_ACCOUNT = 'walletsolidity/getaccount'
/** Attempts per reading. The solidified head moves every few seconds, but not during this many consecutive readings. */
const READINGS = 5

const readAccount = (node: TronNode, method: Method, address: string): Promise<Fields | null> =>
  readOrNothing(node, method, { address: hexOfAddress(address) }, (account) => {
    if (addressOf(account['address'], 'address') !== address) throw new Malformed('another account')
    return account
  })

/**
 * Whether an address is activated. One that only received tokens is not: it can't send until TRX, or an explicit
 * creation, activates it.
 */
export const readIsActivated = async (node: TronNode, address: string): Promise<boolean> =>
  (await readAccount(node, 'wallet/getaccount', address)) !== null

export const readResources = async (node: TronNode, address: string): Promise<Resources> => {
  const resources = await readOrNothing(
    node,
    'wallet/getaccountresource',
    { address: hexOfAddress(address) },
    (fields): Resources => {
      if (fields['freeNetLimit'] === undefined) throw new Malformed('no freeNetLimit')
      return {
        bandwidth: left(fields, 'NetLimit', 'NetUsed'),
        freeBandwidth: left(fields, 'freeNetLimit', 'freeNetUsed'),
        energy: left(fields, 'EnergyLimit', 'EnergyUsed'),
      }
    },
  )
  return resources ?? { bandwidth: 0n, freeBandwidth: 0n, energy: 0n }
}

/** Remaining resource. The used part may exceed a limit that was lowered since, by unstaking or the end of a loan. */
const left = (fields: Fields, limit: string, used: string): bigint => {
  const rest = amountOf(fields[limit], limit) - amountOf(fields[used], used)
  return rest > 0n ? rest : 0n
}

/**
 * How long the solidified head stays the same, and the fraction of it that a reading may take, since a reading starts
 * at any point of that time.
 */
const STANDS_MS = 3_000
const READING_MS = STANDS_MS * 0.4
const MOST_AT_ONCE = 50

export interface SolidBalances {
  /**
   * Reads balances of the solidified head, all of one block; if the head moved meanwhile, all are read again. java-tron
   * has no state of earlier blocks, and `/wallet` includes the effects of pending transactions. TRX includes everything
   * that the account owns.
   */
  read(wanted: readonly Wanted[]): Promise<{ head: Head; units: bigint[] }>
  /** Number of balances that fit in one reading, by the measured pace. */
  most(): number
}

/** @param perSecond maximum requests per second to the node; undefined: no limit */
export const createSolidBalances = (node: TronNode, { now }: Timer, perSecond: number | undefined): SolidBalances => {
  /** ms per balance, an average of the latest readings in which the last one counts half */
  let pace = perSecond === undefined ? 0 : 1_000 / perSecond
  const most = (): number =>
    pace === 0 ? MOST_AT_ONCE : Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(READING_MS / pace)))
  return {
    most,
    read: async (wanted) => {
      for (let attempt = 1; attempt <= READINGS; attempt += 1) {
        const { height, hash } = await readSolidHead(node)
        const begun = now()
        const units = await Promise.all(wanted.map((one) => readUnits(node, one)))
        if (wanted.length > 0) pace = (pace + (now() - begun) / wanted.length) / 2
        if ((await readSolidHead(node)).hash === hash) return { head: { height, hash }, units }
        // Another attempt at this pace would fail too.
        if (wanted.length > 1 && wanted.length > most()) break
      }
      throw node.unavailable(
        SOLID_ACCOUNT,
        `the solidified head moved on while ${wanted.length} balances were read: ask for fewer`,
      )
    },
  }
}

const readUnits = async (node: TronNode, { address, contract }: Wanted): Promise<bigint> => {
  if (contract !== null) return readTokenUnits(node, contract, encodeTokenBalanceOf(address))
  return ownedOf(await readStake(node, address))
}

/** How the account's TRX is divided, in the solidified state. */
export const readStake = async (node: TronNode, address: string): Promise<Stake> => {
  const account = await readAccount(node, SOLID_ACCOUNT, address)
  return node.believe(SOLID_ACCOUNT, () => decodeStake(account ?? {}))
}

/** Reads balances at a height. Throws `ChainUnavailable` for any height except the solidified head's. */
export const readBalancesAt = async (
  node: TronNode,
  balances: SolidBalances,
  height: number,
  wanted: readonly Wanted[],
): Promise<bigint[]> => {
  if (wanted.length === 0) return []
  const { head, units } = await balances.read(wanted)
  if (head.height !== height)
    throw node.unavailable(
      SOLID_ACCOUNT,
      `balances are known at the solidified head ${head.height} only, not at ${height}`,
    )
  return units
}
