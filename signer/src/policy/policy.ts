import { createHash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isNetwork } from '@bursar/chainkit'
import { approverKey } from './approval.ts'
import { readNetwork } from './network-policy.ts'
import type { NetworkPolicy } from './network-policy.ts'
import { APPROVER_ID } from '../protocol/request.ts'
import { ShapeError, readBoolean, readInteger, readList, readMap, readObject, readText } from '../protocol/shape.ts'

export type { BitcoinPolicy, EvmPolicy, NetworkPolicy, TronPolicy } from './network-policy.ts'

export interface Policy {
  /** SHA-256 of the file, hex */
  hash: string
  enabled: boolean
  networks: ReadonlyMap<string, NetworkPolicy>
  approvers: ReadonlyMap<string, KeyObject>
  /** The networks exactly as in the file, for `GET /status` */
  networksAsWritten: Record<string, unknown>
}

const PUBLIC_KEY = /^[0-9a-f]{64}$/
const MAX_APPROVERS = 100

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
