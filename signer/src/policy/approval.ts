import { verify } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import type { Approvers } from './approvers.ts'
import type { Approval, Intent } from '../protocol/protocol.ts'

const HEADER = 'bursar approval v2'

/** The latest that an approval may end, in ms from now: an approval is for a payment that waits now. */
export const LONGEST_APPROVAL_MS: number = 7 * 24 * 3_600_000

/**
 * The text that an approver signs. It contains the whole intent in readable form, and the time when the approval ends.
 * No field can contain a line break, so two intents never have the same text.
 * @param expiresAt ms since the epoch
 */
export function approvalMessage(network: Network, { id, asset, to, units }: Intent, expiresAt: number): string {
  const expires = new Date(expiresAt).toISOString()
  return `${HEADER}\nintent: ${id}\nnetwork: ${network}\nasset: ${asset}\nto: ${to}\nunits: ${units}\nexpires: ${expires}\n`
}

/**
 * Returns the name of the approver's Ed25519 key that signed exactly this approval; undefined when none did, or when
 * the approval has ended or would last too long.
 * @param now ms since the epoch
 */
export function signingKeyOf(
  network: Network,
  intent: Intent,
  { keyId, expiresAt, signature }: Approval,
  approvers: Approvers,
  now: number,
): string | undefined {
  if (expiresAt <= now || expiresAt > now + LONGEST_APPROVAL_MS) return undefined
  const message = Buffer.from(approvalMessage(network, intent, expiresAt))
  const bytes = Buffer.from(signature, 'hex')
  return approvers.get(keyId)?.find((one) => one.kind === 'ed25519' && verify(null, message, one.key, bytes))?.name
}
