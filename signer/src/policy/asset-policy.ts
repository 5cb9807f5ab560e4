import { NATIVE_TICKER } from '@bursar/chainkit'
import type { Network } from '@bursar/chainkit'
import { parseAddress } from '@bursar/chainkit/evm'
import { parseAddress as parseTronAddress } from '@bursar/chainkit/tron'
import { ADDRESS_TEXT, TICKER } from '../protocol/request.ts'
import { ShapeError, readBoolean, readInteger, readMap, readObject, readText, readUnits } from '../protocol/shape.ts'
import type { Fields } from '../protocol/shape.ts'

/** Limits for an hour and a day, in chain units. */
export interface PeriodLimits {
  maxPerHour: bigint
  maxPerDay: bigint
}

export interface AssetPolicy extends PeriodLimits {
  enabled: boolean
  /** The token's contract; absent for the network's native coin */
  contract?: string
  maxPerIntent: bigint
  /** The token's decimals: approvers see amounts in whole tokens. If absent, approvers see amounts in chain units */
  decimals?: number
  /** The cold address, in canonical form: transactions of purpose `cold` pay only this address */
  cold?: string
  /** An intent of more than `above` units needs this many approvers */
  approvals?: { above: bigint; needed: number }
}

const MAX_DECIMALS = 36

/** Reads the assets of one network, by ticker. Throws a ShapeError. */
export function readAssets(
  network: Network,
  value: unknown,
  at: string,
  approverCount: number,
): Map<string, AssetPolicy> {
  const assets = new Map<string, AssetPolicy>()
  for (const [ticker, fields] of readMap(value, at)) {
    readText(ticker, `${at}.${ticker}`, TICKER, 'named by a ticker in upper case')
    const asset = readAsset(network, fields, `${at}.${ticker}`, approverCount)
    const isNative = ticker === NATIVE_TICKER[network]
    if (network === 'BITCOIN' && !isNative) throw new ShapeError(`${at}.${ticker}: Bitcoin carries BTC only`)
    if (isNative && asset.contract) {
      throw new ShapeError(`${at}.${ticker} is the network's own coin and has no contract`)
    }
    if (isNative && asset.decimals !== undefined)
      throw new ShapeError(`${at}.${ticker} is the network's own coin: its decimals are known`)
    if (!isNative && !asset.contract) throw new ShapeError(`${at}.${ticker} is a token and needs its contract`)
    assets.set(ticker, asset)
  }
  const contracts = [...assets.values()].flatMap(({ contract }) => contract ?? [])
  if (new Set(contracts).size !== contracts.length) throw new ShapeError(`${at} has one contract twice`)
  return assets
}

function readAsset(network: Network, value: unknown, at: string, approverCount: number): AssetPolicy {
  const required = ['enabled', 'maxPerIntent', 'maxPerHour', 'maxPerDay']
  const fields = readObject(value, at, required, ['contract', 'decimals', 'cold', 'approvalsAbove', 'approvalsNeeded'])
  const approvals = readApprovalRule(fields, at, approverCount)
  const given = fields['contract']
  const contract = given === undefined ? undefined : readContract(network, given, `${at}.contract`)
  const { decimals } = fields
  const cold = fields['cold'] === undefined ? undefined : readCold(network, fields['cold'], `${at}.cold`)
  return {
    enabled: readBoolean(fields['enabled'], `${at}.enabled`),
    maxPerIntent: readUnits(fields['maxPerIntent'], `${at}.maxPerIntent`),
    ...readPeriodLimits(fields, at),
    ...(contract && { contract }),
    ...(decimals !== undefined && { decimals: readInteger(decimals, `${at}.decimals`, 0, MAX_DECIMALS) }),
    ...(cold && { cold }),
    ...(approvals && { approvals }),
  }
}

export function readPeriodLimits(fields: Fields, at: string): PeriodLimits {
  return {
    maxPerHour: readUnits(fields['maxPerHour'], `${at}.maxPerHour`),
    maxPerDay: readUnits(fields['maxPerDay'], `${at}.maxPerDay`),
  }
}

function readApprovalRule(fields: Fields, at: string, approverCount: number): AssetPolicy['approvals'] | undefined {
  const { approvalsAbove, approvalsNeeded } = fields
  if (approvalsAbove === undefined && approvalsNeeded === undefined) return undefined
  if (approvalsAbove === undefined || approvalsNeeded === undefined) {
    throw new ShapeError(`${at} needs approvalsAbove and approvalsNeeded together`)
  }
  const needed = readInteger(
    approvalsNeeded,
    `${at}.approvalsNeeded (at most the approvers there are)`,
    1,
    approverCount,
  )
  return { above: readUnits(approvalsAbove, `${at}.approvalsAbove`), needed }
}

/**
 * Reads a cold address. A Bitcoin address depends on the chain, which the network's policy names: `readBitcoin` checks
 * it.
 */
function readCold(network: Network, value: unknown, at: string): string {
  if (network === 'BITCOIN') return readText(value, at, ADDRESS_TEXT, 'an address')
  const parsed = typeof value === 'string' ? (network === 'TRON' ? parseTronAddress : parseAddress)(value) : undefined
  if (!parsed || 'refused' in parsed || parsed.address !== value) {
    throw new ShapeError(`${at} must be an address ${network === 'TRON' ? 'in base58' : 'in the mixed case of EIP-55'}`)
  }
  return parsed.address
}

/**
 * Reads a contract address. It must have EIP-55 casing, or be base58 with its checksum, so that a typing error is
 * detected.
 */
function readContract(network: Network, value: unknown, at: string): string {
  const parse = network === 'TRON' ? parseTronAddress : parseAddress
  const parsed = typeof value === 'string' ? parse(value) : undefined
  if (!parsed || 'refused' in parsed || parsed.address !== value) {
    const form = network === 'TRON' ? 'in base58' : 'in the mixed case of EIP-55'
    throw new ShapeError(`${at} must be a contract address ${form}`)
  }
  return parsed.address
}
