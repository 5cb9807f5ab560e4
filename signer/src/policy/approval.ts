import { createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import type { Approval, Intent } from '../protocol/protocol.ts'

const HEADER = 'bursar approval v1'

/**
 * The text that an approver signs. It contains the whole intent in readable form. No field can contain a line break, so
 * two intents never have the same text.
 */
export function approvalMessage(network: Network, { id, asset, to, units }: Intent): string {
  return `${HEADER}\nintent: ${id}\nnetwork: ${network}\nasset: ${asset}\nto: ${to}\nunits: ${units}\n`
}

/** Parses an Ed25519 public key, 32 bytes in hex. Throws an Error when it is not valid. */
export function approverKey(publicKeyHex: string): KeyObject {
  const x = Buffer.from(publicKeyHex, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/** Ids of the enrolled approvers who signed exactly this intent, each once. Invalid signatures are ignored. */
export function approversOf(
  network: Network,
  intent: Intent,
  approvals: readonly Approval[],
  enrolled: ReadonlyMap<string, KeyObject>,
): string[] {
  const message = Buffer.from(approvalMessage(network, intent))
  const approved = approvals.filter(({ keyId, signature }) => {
    const key = enrolled.get(keyId)
    return key !== undefined && verify(null, message, key, Buffer.from(signature, 'hex'))
  })
  return [...new Set(approved.map(({ keyId }) => keyId))].toSorted()
}
