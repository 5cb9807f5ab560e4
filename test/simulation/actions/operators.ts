/** Actions of operators by their commands. */
import { bitcoinHotAddress, evmHotAddress, tronHotAddress } from '../../../server/src/chain/transactions/index.ts'
import { createStop, liftStop, listStops } from '../../../server/src/ledger/stops/index.ts'
import { fundAcquirerItem, limitsOf } from '../../../server/src/cards/acquiring/index.ts'
import { applyAll, totalOf } from '../../../server/src/ledger/postings/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import { fundPosition } from '../../../server/src/exchange/exchanges/index.ts'
import { grantCapital } from '../../../server/src/treasury/reconciliation/index.ts'
import type { Network } from '@bursar/chainkit'
import { signerPolicy } from '../installation/files.ts'
import { WALLET } from '../installation/keys.ts'
import type { SimulatedMerchant } from '../merchants.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'

export const hotAddressOf = (network: Network): string => {
  if (network === 'BITCOIN') return bitcoinHotAddress(WALLET)
  return network === 'TRON' ? tronHotAddress(WALLET) : evmHotAddress(WALLET)
}

/** Whole units in each filling of a hot wallet. */
const FILLING: Record<string, bigint> = { BTC: 2n, ETH: 50n, BNB: 50n, TRX: 50_000n, USDT: 50_000n, USDC: 50_000n }

/** Sends the owner's money to a hot wallet. */
export const fill = async ({ chains }: Simulation, network: Network, ticker: string): Promise<void> => {
  const chain = chains.find((one) => one.network === network)!
  const { decimals } = chain.assets.find((one) => one.ticker === ticker)!
  await chain.pay({
    ticker,
    to: hotAddressOf(network),
    units: FILLING[ticker]! * 10n ** BigInt(decimals),
    how: 'plain',
  })
}

const refill: Action = {
  name: 'operator fills a hot wallet',
  weight: () => 0.5,
  run: async (simulation, random) => {
    const chain = random.pick(simulation.chains)
    const { ticker } = random.pick(
      chain.assets.filter((one) => simulation.catalogue.findCrypto(one.ticker)?.networks.has(chain.network)),
    )
    await fill(simulation, chain.network, ticker)
    return `${chain.network} ${ticker}`
  },
}

/** A part of the owner's capital as whole fourths, so that it is never more than there is. */
const capitalOf = async ({ db }: Simulation, ticker: string): Promise<bigint> =>
  (await totalOf(db, ticker, 'capital')) / 4n

/** Whole units of the owner's money at an acquirer. */
const AT_ACQUIRER: Record<string, bigint> = { UAH: 20_000_000n, KZT: 200_000_000n }

/** The owner has money at an acquirer, in each currency. */
export const fillAcquirers = async (simulation: Simulation): Promise<void> => {
  for (const { ticker, scale } of simulation.catalogue.fiat) {
    const [account] = limitsOf(simulation.routing, 'payout', ticker)
    const money = { acquirer: account!.name, ticker, units: AT_ACQUIRER[ticker]! * 10n ** BigInt(scale) }
    await inTransaction(simulation.db, (tx) => applyAll(tx, [fundAcquirerItem(money, simulation.moment())]))
  }
}

/** Gives a merchant a fourth of the owner's capital of an asset. @returns units of the ledger */
export const give = async (simulation: Simulation, merchant: SimulatedMerchant, ticker: string): Promise<bigint> => {
  const units = await capitalOf(simulation, ticker)
  if (units <= 0n) return 0n
  await inTransaction(simulation.db, (tx) =>
    grantCapital(tx, { merchantId: merchant.id, asset: ticker, units }, simulation.moment()),
  )
  simulation.books.granted.push({ merchant: merchant.name, ticker, units })
  return units
}

/** Puts a fourth of the owner's capital of an asset into the position of exchanges. @returns units of the ledger */
export const fundExchange = async (simulation: Simulation, ticker: string): Promise<bigint> => {
  const units = await capitalOf(simulation, ticker)
  if (units > 0n) await inTransaction(simulation.db, (tx) => fundPosition(tx, ticker, units, simulation.moment()))
  return units
}

export const assetsOf = ({ catalogue }: Simulation): readonly { ticker: string }[] => [
  ...catalogue.crypto,
  ...catalogue.fiat,
]

const grant: Action = {
  name: 'operator gives money',
  weight: () => 1,
  run: async (simulation, random) => {
    const { ticker } = random.pick(assetsOf(simulation))
    const merchant = random.pick(simulation.merchants)
    return `${merchant.name} ${ticker} ${await give(simulation, merchant, ticker)}`
  },
}

const position: Action = {
  name: 'operator funds the position',
  weight: () => 0.5,
  run: async (simulation, random) => {
    const { ticker } = random.pick(assetsOf(simulation))
    return `${ticker} ${await fundExchange(simulation, ticker)}`
  },
}

const stop: Action = {
  name: 'operator stops money',
  weight: () => 0.3,
  run: async (simulation, random) => {
    const { catalogue, db, merchants } = simulation
    const asset = random.chance(0.5) ? random.pick(catalogue.crypto).ticker : null
    const merchant = random.chance(0.5) ? random.pick(merchants) : null
    await inTransaction(db, (tx) =>
      createStop(
        tx,
        { asset, merchantId: merchant?.id ?? null, reason: 'simulation', actor: 'simulation' },
        simulation.moment(),
      ),
    )
    return `${asset ?? 'everything'} of ${merchant?.name ?? 'everyone'}`
  },
}

/** Lifts the stops that the simulation's operator made. A stop that the program made is a finding. */
export const liftOwnStops = async ({ db, clock }: Simulation): Promise<number> => {
  const own = (await listStops(db)).filter(({ createdBy }) => createdBy === 'simulation')
  for (const { id } of own) await liftStop(db, id, { actor: 'simulation', reason: null }, new Date(clock.now()))
  return own.length
}

const lift: Action = {
  name: 'operator lifts stops',
  weight: () => 2,
  run: async (simulation) => `${await liftOwnStops(simulation)}`,
}

/** How much smaller the largest payment becomes. The api learns of it later than the signer. */
const LOWERED = 1_000n

/** Payments that were accepted before are refused by the signer, and end as failed. */
const limits: Action = {
  name: 'operator changes the limits of the signer',
  weight: () => 0.5,
  run: async ({ chains, signer }, random) => {
    const isLowered = random.chance(0.5)
    signer.setPolicy(signerPolicy(chains, isLowered ? LOWERED : 1n))
    return isLowered ? 'lowered' : 'as before'
  },
}

export const OPERATORS: readonly Action[] = [refill, grant, position, stop, lift, limits]
