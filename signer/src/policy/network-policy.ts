import { isEvmNetwork, isRefused } from '@bursar/chainkit'
import type { EvmNetwork, Network } from '@bursar/chainkit'
import { isBitcoinChain, parseAddress } from '@bursar/chainkit/bitcoin'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { MAX_LIFETIME_MS } from '@bursar/chainkit/tron'
import { readAssets, readPeriodLimits } from './asset-policy.ts'
import type { AssetPolicy, PeriodLimits } from './asset-policy.ts'
import { ShapeError, readBoolean, readInteger, readObject, readUnits } from '../protocol/shape.ts'
import type { Fields } from '../protocol/shape.ts'
import { readSweep } from './sweep-policy.ts'
import type { SweepPolicy } from './sweep-policy.ts'

/** Caps on network fees, in units of the network's native coin. */
interface FeePolicy extends PeriodLimits {
  maxUnits: bigint
}

interface CommonPolicy {
  enabled: boolean
  assets: ReadonlyMap<string, AssetPolicy>
}

export interface BitcoinPolicy extends CommonPolicy {
  network: 'BITCOIN'
  chain: BitcoinChain
  /** Also caps in thousandths of the amount paid, and in thousandths of a satoshi for each virtual byte */
  fee: FeePolicy & { maxPerMille: bigint; maxMilliSatPerVb: bigint }
  /** Consolidation of our coins into one of the hot account. Absent: not allowed. */
  consolidation?: { enabled: boolean }
}

export interface EvmPolicy extends CommonPolicy {
  network: EvmNetwork
  chainId: bigint
  /** Number of keys of the hot account, from the first on, that may pay; deposit keys always may */
  hotAddresses: number
  fee: FeePolicy
  /** Sweeps of deposits. Absent: not allowed. */
  sweep?: SweepPolicy
}

export interface TronPolicy extends CommonPolicy {
  network: 'TRON'
  /**
   * Also the most that java-tron burns in addition to the fee limit, in sun: for each byte of bandwidth, and for
   * activating an account. Votes of the network's representatives can change both.
   */
  fee: FeePolicy & { bandwidthPrice: bigint; activation: bigint }
  /** Most time from the signer's clock to a transaction's expiration. A payment can't be signed again before that. */
  maxLifetimeMs: number
  /** Staking, and lending of resources between our own accounts. Absent: not allowed. */
  treasury?: TreasuryLimits
  /**
   * Sweeps of deposits to the hot address; `maxTopUp` caps one top-up of a deposit address, in sun. Absent: not
   * allowed.
   */
  sweep?: { enabled: boolean; maxTopUp: bigint }
}

/**
 * Amounts in sun. TRX that is staked or unstaked is bound for 14 days; resources that are lent can be taken back at
 * once.
 */
interface TreasuryLimits {
  enabled: boolean
  /** Cap for one transaction */
  maxUnits: bigint
  stake: PeriodLimits
  loan: PeriodLimits
}

export type NetworkPolicy = BitcoinPolicy | EvmPolicy | TronPolicy

const FEE_CAPS = ['maxUnits', 'maxPerHour', 'maxPerDay']
const MIN_LIFETIME_MS = 1_000
const MAX_HOT_ADDRESSES = 64

/** Reads the policy of one network. Throws a ShapeError. */
export function readNetwork(name: Network, value: unknown, at: string, approverCount: number): NetworkPolicy {
  if (name === 'BITCOIN') return readBitcoin(value, at, approverCount)
  if (isEvmNetwork(name)) return readEvm(name, value, at, approverCount)
  return readTron(value, at, approverCount)
}

function readBitcoin(value: unknown, at: string, approverCount: number): BitcoinPolicy {
  const fields = readObject(value, at, ['enabled', 'chain', 'fee', 'assets'], ['consolidation'])
  const chain = fields['chain']
  if (typeof chain !== 'string' || !isBitcoinChain(chain)) throw new ShapeError(`${at}.chain is not a chain of Bitcoin`)
  const fee = readObject(fields['fee'], `${at}.fee`, [...FEE_CAPS, 'maxPerMille', 'maxMilliSatPerVb'])
  const maxPerMille = readUnits(fee['maxPerMille'], `${at}.fee.maxPerMille`)
  const maxMilliSatPerVb = readUnits(fee['maxMilliSatPerVb'], `${at}.fee.maxMilliSatPerVb`)
  return {
    network: 'BITCOIN',
    chain,
    fee: { ...readFee(fee, at), maxPerMille, maxMilliSatPerVb },
    ...(fields['consolidation'] !== undefined && {
      consolidation: readSwitch(fields['consolidation'], `${at}.consolidation`),
    }),
    ...withColdOn(chain, readCommon('BITCOIN', fields, at, approverCount), at),
  }
}

/** Throws unless the cold addresses are of this chain and in chainkit's spelling. */
function withColdOn(chain: BitcoinChain, common: CommonPolicy, at: string): CommonPolicy {
  for (const [ticker, { cold }] of common.assets) {
    if (cold === undefined) continue
    const parsed = parseAddress(cold, chain)
    if (isRefused(parsed) || parsed.address !== cold)
      throw new ShapeError(`${at}.assets.${ticker}.cold is no address of ${chain}`)
  }
  return common
}

function readEvm(network: EvmNetwork, value: unknown, at: string, approverCount: number): EvmPolicy {
  const fields = readObject(value, at, ['enabled', 'chainId', 'fee', 'assets'], ['sweep', 'hotAddresses'])
  const chainId = readUnits(fields['chainId'], `${at}.chainId`)
  if (chainId === 0n) throw new ShapeError(`${at}.chainId must be above 0`)
  const fee = readObject(fields['fee'], `${at}.fee`, FEE_CAPS)
  const hotAddresses = readInteger(fields['hotAddresses'] ?? 1, `${at}.hotAddresses`, 1, MAX_HOT_ADDRESSES)
  const common = readCommon(network, fields, at, approverCount)
  const sweep = fields['sweep'] === undefined ? undefined : readSweep(fields['sweep'], `${at}.sweep`, common.assets)
  return { network, chainId, hotAddresses, fee: readFee(fee, at), ...(sweep && { sweep }), ...common }
}

function readTron(value: unknown, at: string, approverCount: number): TronPolicy {
  const fields = readObject(value, at, ['enabled', 'maxLifetimeMs', 'fee', 'assets'], ['treasury', 'sweep'])
  const fee = readObject(fields['fee'], `${at}.fee`, [...FEE_CAPS, 'bandwidthPrice', 'activation'])
  const bandwidthPrice = readUnits(fee['bandwidthPrice'], `${at}.fee.bandwidthPrice`)
  const activation = readUnits(fee['activation'], `${at}.fee.activation`)
  const treasury = fields['treasury'] === undefined ? undefined : readTreasury(fields['treasury'], `${at}.treasury`)
  const sweep = fields['sweep'] === undefined ? undefined : readTronSweep(fields['sweep'], `${at}.sweep`)
  return {
    network: 'TRON',
    fee: { ...readFee(fee, at), bandwidthPrice, activation },
    maxLifetimeMs: readInteger(fields['maxLifetimeMs'], `${at}.maxLifetimeMs`, MIN_LIFETIME_MS, MAX_LIFETIME_MS),
    ...(treasury && { treasury }),
    ...(sweep && { sweep }),
    ...readCommon('TRON', fields, at, approverCount),
  }
}

function readSwitch(value: unknown, at: string): { enabled: boolean } {
  return { enabled: readBoolean(readObject(value, at, ['enabled'])['enabled'], `${at}.enabled`) }
}

function readTreasury(value: unknown, at: string): TreasuryLimits {
  const { enabled, maxUnits, stake, loan } = readObject(value, at, ['enabled', 'maxUnits', 'stake', 'loan'])
  const sums = (of: unknown, where: string): PeriodLimits =>
    readPeriodLimits(readObject(of, where, ['maxPerHour', 'maxPerDay']), where)
  return {
    enabled: readBoolean(enabled, `${at}.enabled`),
    maxUnits: readUnits(maxUnits, `${at}.maxUnits`),
    stake: sums(stake, `${at}.stake`),
    loan: sums(loan, `${at}.loan`),
  }
}

function readTronSweep(value: unknown, at: string): TronPolicy['sweep'] {
  const { enabled, maxTopUp } = readObject(value, at, ['enabled', 'maxTopUp'])
  return { enabled: readBoolean(enabled, `${at}.enabled`), maxTopUp: readUnits(maxTopUp, `${at}.maxTopUp`) }
}

function readFee(fee: Fields, at: string): FeePolicy {
  return { maxUnits: readUnits(fee['maxUnits'], `${at}.fee.maxUnits`), ...readPeriodLimits(fee, `${at}.fee`) }
}

function readCommon(network: Network, fields: Fields, at: string, approverCount: number): CommonPolicy {
  return {
    enabled: readBoolean(fields['enabled'], `${at}.enabled`),
    assets: readAssets(network, fields['assets'], `${at}.assets`, approverCount),
  }
}
