import { parseAddress, sweepContracts } from '@bursar/chainkit/evm'
import type { Hex, SweepContracts } from '@bursar/chainkit/evm'
import type { AssetPolicy } from './asset-policy.ts'
import { ShapeError, readBoolean, readMap, readObject, readText, readUnits } from '../protocol/shape.ts'

/** Bringing deposits together on an EVM chain. Where they go is said here and nowhere else. */
export interface SweepPolicy {
  enabled: boolean
  /** EIP-55 */
  treasury: Hex
  /** The only contracts a sweep calls or delegates to; all of them follow from the treasury */
  contracts: SweepContracts
  /** wei: the most a transaction can cost; a batch costs many times what a payment does */
  maxFee: bigint
  /** wei: the most that is sent to one deposit address for its gas; 0 for none */
  maxTopUp: bigint
  /** By ticker: how tokens that take signatures name themselves in them (EIP-712) */
  domains: ReadonlyMap<string, { name: string; version: string }>
}

const PRINTABLE = /^[\x20-\x7e]{1,64}$/

/** Reads the sweeps of one network. Throws a ShapeError. */
export function readSweep(value: unknown, at: string, assets: ReadonlyMap<string, AssetPolicy>): SweepPolicy {
  const fields = readObject(value, at, ['enabled', 'treasury', 'maxFee', 'maxTopUp'], ['domains'])
  const treasury = readTreasury(fields['treasury'], `${at}.treasury`)
  const domains = readMap(fields['domains'] ?? {}, `${at}.domains`).map(([ticker, domain]) => {
    const place = `${at}.domains.${ticker}`
    if (!assets.get(ticker)?.contract) throw new ShapeError(`${place} is of no token of this network`)
    const { name, version } = readObject(domain, place, ['name', 'version'])
    const read = (text: unknown, field: string): string =>
      readText(text, `${place}.${field}`, PRINTABLE, 'printable ASCII')
    return [ticker, { name: read(name, 'name'), version: read(version, 'version') }] as const
  })
  return {
    enabled: readBoolean(fields['enabled'], `${at}.enabled`),
    treasury,
    contracts: sweepContracts(treasury),
    maxFee: readUnits(fields['maxFee'], `${at}.maxFee`),
    maxTopUp: readUnits(fields['maxTopUp'], `${at}.maxTopUp`),
    domains: new Map(domains),
  }
}

/** EIP-55 casing is asked for, so that a mistyped address is caught. */
function readTreasury(value: unknown, at: string): Hex {
  const parsed = typeof value === 'string' ? parseAddress(value) : undefined
  if (!parsed || 'refused' in parsed || parsed.address !== value) {
    throw new ShapeError(`${at} must be an address in the mixed case of EIP-55`)
  }
  return parsed.address
}
