import { parseAddress, sweepContracts } from '@bursar/chainkit/evm'
import type { Hex, SweepContracts } from '@bursar/chainkit/evm'
import type { AssetPolicy } from './asset-policy.ts'
import { ShapeError, readBoolean, readMap, readObject, readText, readUnits } from '../protocol/shape.ts'

/** Sweeps on an EVM chain. Only this policy defines their destination. */
export interface SweepPolicy {
  enabled: boolean
  /** EIP-55 */
  treasury: Hex
  /** The only contracts that a sweep calls or delegates to; the treasury determines their addresses */
  contracts: SweepContracts
  /** wei: cap on the fee of one transaction; a batch costs many times the fee of a payment */
  maxFee: bigint
  /** wei: the most that one transaction sends to a deposit address for gas; 0 for none */
  maxTopUp: bigint
  /** By ticker: the EIP-712 domains of tokens that accept signatures */
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

/** Reads the treasury's address. It must have EIP-55 casing, so that a typing error is detected. */
function readTreasury(value: unknown, at: string): Hex {
  const parsed = typeof value === 'string' ? parseAddress(value) : undefined
  if (!parsed || 'refused' in parsed || parsed.address !== value) {
    throw new ShapeError(`${at} must be an address in the mixed case of EIP-55`)
  }
  return parsed.address
}
