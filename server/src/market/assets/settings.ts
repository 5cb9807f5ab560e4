import { isEvmNetwork, NETWORKS, type Network } from '@bursar/chainkit'
import Type, { type Static } from 'typebox'
import { amount, count, flag, text, ticker } from '../../platform/config/fields.ts'
import { readShape, withRule, type NoteProblem } from '../../platform/config/shape.ts'
import { parseUnits } from '../../platform/money/index.ts'

const WHOLE_UNITS = 'whole units of the asset'

const fee = (description: string) =>
  Type.Object(
    {
      fixed: Type.Optional(amount('a fixed part', { standard: '0', unit: WHOLE_UNITS })),
      bps: Type.Optional(
        count('a part of the amount, rounded up', { least: 0, standard: 0, unit: 'hundredths of a percent' }),
      ),
    },
    { description },
  )

const contractOf = (network: Network) => {
  if (network === 'BITCOIN') return { contract: Type.Optional(Type.Never({ says: 'BITCOIN has no tokens' })) }
  const [pattern, says] = isEvmNetwork(network)
    ? ['^0x[0-9a-fA-F]{40}$', 'the address of a contract: 0x and 40 hex digits']
    : ['^T[1-9A-HJ-NP-Za-km-z]{33}$', 'the address of a contract, which begins with T']
  return { contract: Type.Optional(text('the contract of a token', { pattern, says, absent: "the network's coin" })) }
}

const onNetwork = (network: Network) =>
  Type.Object({
    ...contractOf(network),
    decimals: count(
      'decimals of the coin or token on this network; the asset has the largest number of all its networks',
      {
        least: 0,
        most: 30,
      },
    ),
    minDeposit: amount('a smaller deposit is not credited', { unit: WHOLE_UNITS }),
    minWithdrawal: amount('minimum amount of a withdrawal', { unit: WHOLE_UNITS }),
    maxWithdrawal: Type.Optional(
      amount('maximum amount of a withdrawal', { absent: 'not bounded', unit: WHOLE_UNITS }),
    ),
    depositFee: Type.Optional(fee('the fee that a merchant pays for a deposit')),
    withdrawalFee: Type.Optional(fee("the fee that a merchant pays for a withdrawal in addition to the network's fee")),
  })

export type OnNetwork = Static<ReturnType<typeof onNetwork>> & { contract?: string }

/** Tickers of assets that are pegged to a currency unless the file says otherwise. */
const PEGGED = ['USDT', 'USDC', 'DAI', 'BUSD', 'FDUSD', 'TUSD', 'PYUSD', 'USDP', 'USDD', 'EURC', 'EURT']

export const isPegged = ({ ticker: name, pegged }: { ticker: string; pegged?: boolean }): boolean =>
  pegged ?? PEGGED.includes(name)

/** On TRON only its coin and USDT are supported (`contract.md`, decision 26). */
const ON_TRON = ['TRX', 'USDT']

const CRYPTO = withRule(
  Type.Object({
    ticker: ticker('the name of the asset in the API'),
    name: text('the name that payers see'),
    pegged: Type.Optional(
      flag('the asset is pegged to a currency: an invoice priced in a currency requests whole hundredths of it', {
        absent: `true for ${PEGGED.join(', ')}; false for others`,
      }),
    ),
    networks: Type.Object(
      {
        BITCOIN: Type.Optional(onNetwork('BITCOIN')),
        ETHEREUM: Type.Optional(onNetwork('ETHEREUM')),
        BINANCE_SMART_CHAIN: Type.Optional(onNetwork('BINANCE_SMART_CHAIN')),
        TRON: Type.Optional(onNetwork('TRON')),
      },
      { description: 'the networks that the asset is on, at least one', key: 'NETWORK' },
    ),
  }),
  ({ ticker: name, pegged, networks }, note) => {
    const on = NETWORKS.flatMap((network) => (networks[network] ? [[network, networks[network]] as const] : []))
    if (on.length === 0) note(`write at least one of ${NETWORKS.join(', ')}`, 'networks')
    if (networks.TRON && !ON_TRON.includes(name))
      note(`TRON carries ${ON_TRON.join(' and ')} only: take ${name} out`, 'networks', 'TRON')
    // One hundredth of a bitcoin is much money: an amount in it is never rounded to hundredths.
    if (pegged === true && on.some(([, { contract }]: readonly [Network, OnNetwork]) => contract === undefined))
      note("write false: a network's coin is pegged to no currency", 'pegged')
    const scale = scaleOf(on.map(([, { decimals }]) => decimals))
    for (const [network, { minDeposit, minWithdrawal, maxWithdrawal, depositFee, withdrawalFee }] of on) {
      const within = (...place: string[]): string[] => ['networks', network, ...place]
      noteFineAmount(note, minDeposit, scale, ...within('minDeposit'))
      noteFineAmount(note, minWithdrawal, scale, ...within('minWithdrawal'))
      noteFineAmount(note, maxWithdrawal, scale, ...within('maxWithdrawal'))
      noteFineAmount(note, depositFee?.fixed, scale, ...within('depositFee', 'fixed'))
      noteFineAmount(note, withdrawalFee?.fixed, scale, ...within('withdrawalFee', 'fixed'))
    }
  },
)

/** Ledger decimals of a crypto asset: the most that any of its networks has. */
export const scaleOf = (decimals: readonly number[]): number => Math.max(0, ...decimals)

const noteFineAmount = (note: NoteProblem, given: string | undefined, scale: number, ...place: string[]): void => {
  if (given !== undefined && !parseUnits(given, scale).ok)
    note(`write at most ${scale} decimals: the asset has no more`, ...place)
}

/** Default limits in whole units (`contract.md` 10 and 18 row 27). Other currencies have no limits of their own. */
const STANDARD_LIMITS: Record<
  string,
  { payIn: [string, string]; payout: [string, string]; batch?: string; part: string }
> = {
  UAH: { payIn: ['25', '29999'], payout: ['1000', '14500'], part: '14500' },
  KZT: { payIn: ['12000', '300000'], payout: ['20000', '299000'], batch: '299000', part: '14500' },
}
const WIDEST: [string, string] = ['0', '1000000000']

const terms = (direction: 'payIn' | 'payout') => {
  const { UAH, KZT } = STANDARD_LIMITS
  const absent = (end: 0 | 1): string =>
    `UAH ${UAH![direction][end]}, KZT ${KZT![direction][end]}, others ${WIDEST[end]}`
  return {
    min: Type.Optional(amount('minimum of one payment', { absent: absent(0), unit: WHOLE_UNITS })),
    max: Type.Optional(amount('maximum of one payment', { absent: absent(1), unit: WHOLE_UNITS })),
    fee: Type.Optional(fee('the fee that a merchant pays for it')),
  }
}

const FIAT = withRule(
  Type.Object({
    ticker: ticker('the name of the currency in the API'),
    name: text('the name that payers see'),
    scale: count('decimals of the currency', { least: 0, most: 18 }),
    payIn: Type.Optional(Type.Object(terms('payIn'), { description: 'a card pays an invoice' })),
    payout: Type.Optional(
      Type.Object(
        {
          ...terms('payout'),
          batchMax: Type.Optional(
            amount('maximum of a batch of payouts to one card', {
              absent: `KZT ${STANDARD_LIMITS['KZT']!.batch}, others as much as its parts can carry`,
              unit: WHOLE_UNITS,
            }),
          ),
          partMax: Type.Optional(
            amount('maximum of one payment of a batch', {
              absent: `UAH and KZT ${STANDARD_LIMITS['UAH']!.part}, others as much as the acquirer takes at once`,
              unit: WHOLE_UNITS,
            }),
          ),
        },
        { description: 'a payout to a card' },
      ),
    ),
  }),
  (fiat, note) => {
    for (const direction of ['payIn', 'payout'] as const) {
      const given = fiat[direction]
      for (const member of ['min', 'max'] as const) noteFineAmount(note, given?.[member], fiat.scale, direction, member)
      noteFineAmount(note, given?.fee?.fixed, fiat.scale, direction, 'fee', 'fixed')
      const { min, max } = limitsOf(fiat, direction)
      const [least, most] = [parseUnits(min, fiat.scale), parseUnits(max, fiat.scale)]
      if (least.ok && most.ok && least.units > most.units)
        note(`the least (${min}) is above the most (${max})`, direction)
    }
    const { batchMax, partMax } = fiat.payout ?? {}
    noteFineAmount(note, batchMax, fiat.scale, 'payout', 'batchMax')
    noteFineAmount(note, partMax, fiat.scale, 'payout', 'partMax')
  },
)

type FiatSettings = Static<typeof FIAT>

/** Limits of a currency in whole units; the defaults where the file has none. */
export const limitsOf = (
  { ticker: name, ...given }: Pick<FiatSettings, 'ticker' | 'payIn' | 'payout'>,
  direction: 'payIn' | 'payout',
): { min: string; max: string } => {
  const [min, max] = STANDARD_LIMITS[name]?.[direction] ?? WIDEST
  return { min: given[direction]?.min ?? min, max: given[direction]?.max ?? max }
}

/** Maximums of a batch and of one part of it, in whole units; undefined: not limited here. */
export const batchLimitsOf = ({
  ticker: name,
  payout,
}: Pick<FiatSettings, 'ticker' | 'payout'>): { batch: string | undefined; part: string | undefined } => ({
  batch: payout?.batchMax ?? STANDARD_LIMITS[name]?.batch,
  part: payout?.partMax ?? STANDARD_LIMITS[name]?.part,
})

/** A contract as chain adapters spell it: hex in lower case, base58 unchanged; null for the coin. */
export const contractName = (network: Network, contract: string | undefined): string | null =>
  contract === undefined ? null : isEvmNetwork(network) ? contract.toLowerCase() : contract

/** `BURSAR_ASSETS_FILE`: the assets of this installation. Amounts are decimal strings in whole units of the asset. */
export const ASSETS_SHAPE = withRule(
  Type.Object(
    {
      crypto: Type.Array(CRYPTO, { description: 'assets on chains' }),
      fiat: Type.Array(FIAT, { description: 'currencies that cards pay in and are paid in' }),
    },
    { description: 'assets, their networks, limits and fees' },
  ),
  ({ crypto, fiat }, note) => {
    const tickers = new Set<string>()
    const noteTwice = (name: string, list: 'crypto' | 'fiat', i: number): void => {
      if (tickers.has(name)) note(`${name} is listed twice`, list, i)
      tickers.add(name)
    }
    for (const [i, asset] of crypto.entries()) noteTwice(asset.ticker, 'crypto', i)
    for (const [i, asset] of fiat.entries()) noteTwice(asset.ticker, 'fiat', i)
    const contracts = new Set<string>()
    for (const [i, asset] of crypto.entries())
      for (const [network, on] of Object.entries(asset.networks) as [Network, OnNetwork][]) {
        const contract = contractName(network, on.contract)
        const key = `${network}/${contract}`
        if (contracts.has(key))
          note(`another asset has ${contract ?? 'the coin'} of ${network}`, 'crypto', i, 'networks', network)
        contracts.add(key)
      }
  },
)

export type AssetSettings = Static<typeof ASSETS_SHAPE>

/** Validates the file. Throws a ShapeError that lists every problem. */
export const readAssetSettings = (json: unknown): AssetSettings => readShape(ASSETS_SHAPE, json)
