import { createHash } from 'node:crypto'
import { isNetwork } from '@bursar/chainkit'
import { readApprovers } from './approvers.ts'
import type { Approvers } from './approvers.ts'
import { readNetwork } from './network-policy.ts'
import type { NetworkPolicy } from './network-policy.ts'
import { ShapeError, readBoolean, readInteger, readMap, readObject } from '../protocol/shape.ts'

export type { BitcoinPolicy, EvmPolicy, NetworkPolicy, TronPolicy } from './network-policy.ts'

export interface Policy {
  /** SHA-256 of the file, hex */
  hash: string
  enabled: boolean
  networks: ReadonlyMap<string, NetworkPolicy>
  approvers: Approvers
  /** The networks exactly as in the file, for `GET /status` */
  networksAsWritten: Record<string, unknown>
}

/** Reads a policy file. Throws a ShapeError that names the faulty place; unknown fields are errors. */
export function readPolicy(file: string): Policy {
  const top = readObject(parseJson(file), 'policy', ['version', 'enabled', 'networks', 'approvers'])
  readInteger(top['version'], 'policy.version', 1, 1)
  const approvers = readApprovers(top['approvers'])
  const networks = readMap(top['networks'], 'policy.networks').map(([name, value]) => {
    if (!isNetwork(name)) throw new ShapeError(`policy.networks.${name} is not a network this signer knows`)
    return readNetwork(name, value, `policy.networks.${name}`, approvers.size)
  })
  const chainIds = networks.flatMap((one) => ('chainId' in one ? [one.chainId] : []))
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
