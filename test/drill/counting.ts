/** The independent count after a cut: the chain on one side, the books on the other. */
import { sql } from 'kysely'
import { balancesOf, PLATFORM } from '../../server/src/ledger/postings/index.ts'
import { HOT, type PayoutWorld } from '../world/payouts.ts'
import type { DrillChain } from './chain.ts'

/** The losses of one cut, and the faults after it. */
export interface CutResult {
  seed: number
  withdrawals: number
  deposits: number
  addresses: number
  /** withdrawals that the restored copy lacked */
  lostWithdrawals: number
  /** payments of these that the signer had signed */
  lostPayments: number
  lostAddresses: number
  /** deposits to addresses that the copy lacked: they are in suspense */
  suspended: number
  paidTwice: number
  notPaid: number
  secondOwners: number
  lostDeposits: number
  faults: string[]
}

export interface Asked {
  /** by number: the amount, and the id that the first answer named */
  withdrawals: { units: bigint; id: string; intentId: string }[]
  /** by number: who was given the address */
  addresses: { address: string; id: string }[]
  deposits: { hash: string; address: string; units: bigint }[]
}

/** The balance with which the merchant of `createPayoutWorld` begins, and the fee of each of its withdrawals. */
const GIVEN = 10n ** 12n
const FEE = 1_000n

export const emptyResult = (seed: number): CutResult => ({
  seed,
  withdrawals: 0,
  deposits: 0,
  addresses: 0,
  lostWithdrawals: 0,
  lostPayments: 0,
  lostAddresses: 0,
  suspended: 0,
  paidTwice: 0,
  notPaid: 0,
  secondOwners: 0,
  lostDeposits: 0,
  faults: [],
})

/** How often the hot wallet has paid an amount. */
export const paid = (chain: DrillChain, units: bigint): number =>
  chain.blocks
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ transfers }) => transfers)
    .filter((transfer) => transfer.from[0] === HOT && transfer.units === units).length

/** Compares the chain with the books. */
export const count = async (
  { db, merchantId }: PayoutWorld,
  { chain, asked, result }: { chain: DrillChain; asked: Asked; result: CutResult },
): Promise<void> => {
  result.withdrawals = asked.withdrawals.length
  result.addresses = asked.addresses.length
  result.deposits = asked.deposits.length
  for (const { units } of asked.withdrawals) {
    const times = paid(chain, units)
    if (times > 1) result.paidTwice += 1
    if (times === 0) result.notPaid += 1
  }
  const { rows: stored } = await sql<{
    hash: string
    units: bigint
    state: string
  }>`select transaction as hash, units, state from deposits`.execute(db)
  const states = new Map(stored.map(({ hash, state }) => [hash, state]))
  let suspended = 0n
  for (const { hash, units } of asked.deposits) {
    const state = states.get(hash)
    if (state === 'credited') continue
    if (state !== undefined) result.faults.push(`deposit ${hash} is ${state}`)
    suspended += units
    result.suspended += 1
  }
  const [suspense] = await balancesOf(db, 'suspense', [{ merchantId: PLATFORM, asset: 'USDT' }])
  if (suspense!.posted !== suspended) {
    result.lostDeposits = result.suspended
    result.faults.push(`suspense has ${suspense!.posted} units; the chain has ${suspended} for unknown addresses`)
  }
  const [balance] = await balancesOf(db, 'merchant', [{ merchantId, asset: 'USDT' }])
  const credited = asked.deposits.filter(({ hash }) => states.get(hash) === 'credited')
  const sum = (all: readonly { units: bigint }[]): bigint => all.reduce((total, { units }) => total + units, 0n)
  const expected = GIVEN + sum(credited) - sum(asked.withdrawals) - FEE * BigInt(asked.withdrawals.length)
  if (balance!.posted !== expected)
    result.faults.push(`the merchant's balance is ${balance!.posted}; by the chain it is ${expected}`)
}

/** Whether a cut ended without a fault. */
export const isGood = ({ paidTwice, notPaid, secondOwners, lostDeposits, faults }: CutResult): boolean =>
  paidTwice + notPaid + secondOwners + lostDeposits + faults.length === 0
