import { createHash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isEvmNetwork, isNetwork } from '@bursar/chainkit'
import type { EvmNetwork } from '@bursar/chainkit'
import { isBitcoinChain } from '@bursar/chainkit/bitcoin'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { approverKey } from './approval.ts'
import { readAssets, readVelocity } from './asset-policy.ts'
import type { AssetPolicy, Velocity } from './asset-policy.ts'
import { APPROVER_ID } from './request.ts'
import { ShapeError, readBoolean, readInteger, readList, readMap, readObject, readText, readUnits } from './shape.ts'
import type { Fields } from './shape.ts'

/** Caps on what the network is paid, in units of its own coin. */
export interface FeePolicy extends Velocity {
  maxUnits: bigint
}

interface CommonPolicy {
  enabled: boolean
  assets: ReadonlyMap<string, AssetPolicy>
}

export interface BitcoinPolicy extends CommonPolicy {
  network: 'BITCOIN'
  chain: BitcoinChain
  /** Besides: thousandths of what is paid out, and thousandths of a satoshi for each virtual byte */
  fee: FeePolicy & { maxPerMille: bigint; maxMilliSatPerVb: bigint }
}

export interface EvmPolicy extends CommonPolicy {
  network: EvmNetwork
  chainId: bigint
  fee: FeePolicy
}

export type NetworkPolicy = BitcoinPolicy | EvmPolicy

export interface Policy {
  /** SHA-256 of the file, hex */
  hash: string
  enabled: boolean
  networks: ReadonlyMap<string, NetworkPolicy>
  approvers: ReadonlyMap<string, KeyObject>
  /** The file's own description of its networks, as `GET /status` shows it */
  networksAsWritten: Record<string, unknown>
}

const PUBLIC_KEY = /^[0-9a-f]{64}$/
const MAX_APPROVERS = 100

/** Reads a policy file. Throws a ShapeError that names the place; nothing unknown is let through. */
export function readPolicy(file: string): Policy {
  const top = readObject(parseJson(file), 'policy', ['version', 'enabled', 'networks', 'approvers'])
  readInteger(top['version'], 'policy.version', 1, 1)
  const approvers = readApprovers(top['approvers'])
  const networks = readMap(top['networks'], 'policy.networks').map(([name, value]) =>
    readNetwork(name, value, approvers.size),
  )
  const chainIds = networks.flatMap((one) => (one.network === 'BITCOIN' ? [] : [one.chainId]))
  if (new Set(chainIds).size !== chainIds.length) throw new ShapeError('policy.networks has one chain id twice')
  return {
    hash: createHash('sha256').update(file).digest('hex'),
    enabled: readBoolean(top['enabled'], 'policy.enabled'),
    networks: new Map(networks.map((one) => [one.network, one])),
    approvers,
    networksAsWritten: top['networks'] as Record<string, unknown>,
  }
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(file)
  } catch {
    throw new ShapeError('policy is not JSON')
  }
}

function readApprovers(value: unknown): Map<string, KeyObject> {
  const approvers = new Map<string, KeyObject>()
  const keys = new Set<string>()
  for (const [index, entry] of readList(value, 'policy.approvers', MAX_APPROVERS).entries()) {
    const at = `policy.approvers[${index}]`
    const { id, publicKey } = readObject(entry, at, ['id', 'publicKey'])
    const name = readText(id, `${at}.id`, APPROVER_ID, 'an id of lower-case letters, digits, ".", "_" and "-"')
    const key = readText(publicKey, `${at}.publicKey`, PUBLIC_KEY, 'an Ed25519 key of 32 bytes in lower-case hex')
    if (approvers.has(name) || keys.has(key)) throw new ShapeError(`${at} is enrolled twice`)
    approvers.set(name, approverKey(key))
    keys.add(key)
  }
  return approvers
}

function readNetwork(name: string, value: unknown, approverCount: number): NetworkPolicy {
  const at = `policy.networks.${name}`
  if (!isNetwork(name) || name === 'TRON') throw new ShapeError(`${at} is not a network this signer knows`)
  if (isEvmNetwork(name)) {
    const fields = readObject(value, at, ['enabled', 'chainId', 'fee', 'assets'])
    const chainId = readUnits(fields['chainId'], `${at}.chainId`)
    if (chainId === 0n) throw new ShapeError(`${at}.chainId must be above 0`)
    const fee = readObject(fields['fee'], `${at}.fee`, ['maxUnits', 'maxPerHour', 'maxPerDay'])
    return { network: name, chainId, fee: readFee(fee, at), ...readCommon(name, fields, at, approverCount) }
  }
  const fields = readObject(value, at, ['enabled', 'chain', 'fee', 'assets'])
  const chain = fields['chain']
  if (typeof chain !== 'string' || !isBitcoinChain(chain)) throw new ShapeError(`${at}.chain is not a chain of Bitcoin`)
  const caps = ['maxUnits', 'maxPerMille', 'maxMilliSatPerVb', 'maxPerHour', 'maxPerDay']
  const fee = readObject(fields['fee'], `${at}.fee`, caps)
  const maxPerMille = readUnits(fee['maxPerMille'], `${at}.fee.maxPerMille`)
  const maxMilliSatPerVb = readUnits(fee['maxMilliSatPerVb'], `${at}.fee.maxMilliSatPerVb`)
  return {
    network: name,
    chain,
    fee: { ...readFee(fee, at), maxPerMille, maxMilliSatPerVb },
    ...readCommon(name, fields, at, approverCount),
  }
}

function readFee(fee: Fields, at: string): FeePolicy {
  return { maxUnits: readUnits(fee['maxUnits'], `${at}.fee.maxUnits`), ...readVelocity(fee, `${at}.fee`) }
}

function readCommon(
  network: NetworkPolicy['network'],
  fields: Fields,
  at: string,
  approverCount: number,
): CommonPolicy {
  return {
    enabled: readBoolean(fields['enabled'], `${at}.enabled`),
    assets: readAssets(network, fields['assets'], `${at}.assets`, approverCount),
  }
}
