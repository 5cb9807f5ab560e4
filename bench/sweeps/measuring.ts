/** Measures the cost of sweeping one address, in gas from receipts, in every available way. */
import { COIN, PAYMENT_GAS, encodeTransfer } from '@bursar/chainkit/evm'
import type { Hex, SweepWay } from '@bursar/chainkit/evm'
import { accountsFrom } from '../../test/world/sweep-contracts.ts'
import type { Account, Receipt, SweepWorld } from '../../test/world/sweep-contracts.ts'

export const BATCH = 50
const UNITS = 1_000_000n
const COINS = 10n ** 17n
const GAS_TO_SEND_TOKENS = 100_000n

/** The state of the addresses before the measurement. */
export type AddressKind = 'new' | 'delegated'

let nextAccount = 10_000
let nextNonce = 1n

/** Returns unused addresses, brought to a state by a sweep that is not measured. */
export const freshAccounts = async (
  world: SweepWorld,
  assets: readonly Hex[],
  kind: AddressKind,
  count = BATCH,
): Promise<Account[]> => {
  const accounts = accountsFrom(nextAccount, count)
  nextAccount += count
  if (kind !== 'new') {
    await fill(world, assets, accounts)
    await delegate(world, assets, accounts, true)
  }
  return accounts
}

/** Returns the gas per address. Throws when any money is left behind. */
export const measure = async (
  world: SweepWorld,
  assets: readonly Hex[],
  way: SweepWay,
  kind: AddressKind,
): Promise<number> => {
  const isBatch = way !== 'direct' && way !== 'top-up'
  // Anyone who sweeps the naive way delegates nothing.
  const accounts = await freshAccounts(world, assets, isBatch ? kind : 'new', isBatch ? BATCH : 1)
  await fill(world, assets, accounts)
  const gas = await carryOut(world, assets, way, accounts, kind)
  await assertEmpty(world, assets, accounts)
  return gas / accounts.length
}

const carryOut = async (
  world: SweepWorld,
  assets: readonly Hex[],
  way: SweepWay,
  accounts: readonly Account[],
  kind: AddressKind,
): Promise<number> => {
  if (way === 'delegate') return gasOf(await delegate(world, assets, accounts, kind !== 'delegated'))
  if (way === 'authorize') return gasOf(await world.transferAll(accounts, UNITS, nextNonce++))
  let gas = 0
  for (const account of accounts) gas += await oneByOne(world, assets, account, way === 'top-up')
  return gas
}

/** The naive way: coin is sent to the address, then the address sends its balance. */
const oneByOne = async (
  world: SweepWorld,
  assets: readonly Hex[],
  account: Account,
  withTopUp: boolean,
): Promise<number> => {
  let gas = withTopUp
    ? gasOf(await world.send(world.payer, { to: account.address, value: COINS, gas: PAYMENT_GAS }))
    : 0
  for (const asset of assets.toSorted((a, b) => Number(a === COIN) - Number(b === COIN))) {
    if (asset !== COIN) {
      gas += gasOf(
        await world.send(account, { to: asset, data: encodeTransfer(world.treasury, UNITS), gas: GAS_TO_SEND_TOKENS }),
      )
      continue
    }
    const value = (await world.coinOf(account.address)) - PAYMENT_GAS * world.maxFeePerGas
    gas += gasOf(await world.send(account, { to: world.treasury, value, gas: PAYMENT_GAS }))
  }
  return gas
}

const delegate = (
  world: SweepWorld,
  assets: readonly Hex[],
  accounts: readonly Account[],
  withLeave: boolean,
): Promise<Receipt> =>
  world.sweep(
    [{ assets: [...assets], accounts: accounts.map(({ address }) => address) }],
    withLeave ? accounts.map((account) => ({ account })) : [],
  )

const fill = async (world: SweepWorld, assets: readonly Hex[], accounts: readonly Account[]): Promise<void> => {
  for (const asset of assets)
    await (asset === COIN ? world.payAll(accounts, COINS) : world.mintAll(asset, accounts, UNITS))
}

const gasOf = ({ status, gasUsed }: Receipt): number => {
  if (status !== '0x1') throw new Error('a sweep failed')
  return Number(gasUsed)
}

/** The unused part of a fee that an address paid itself is dust, and does not count as swept. */
const assertEmpty = async (world: SweepWorld, assets: readonly Hex[], accounts: readonly Account[]): Promise<void> => {
  for (const { address } of accounts) {
    for (const asset of assets) {
      const left = asset === COIN ? await world.coinOf(address) : await world.tokenOf(asset, address)
      if (asset === COIN ? left > COINS / 100n : left > 0n) throw new Error(`${address} still has ${left} of ${asset}`)
    }
  }
}
