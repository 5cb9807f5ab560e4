/** Approvers of large payments, whose keys are fixed. */
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { approvalMessage } from '../../../signer/src/policy/approval.ts'
import type { Approval, SignRequest } from '../../../signer/src/protocol/protocol.ts'

/** PKCS 8 of an Ed25519 key before its 32 bytes (RFC 8410). */
const PKCS8 = '302e020100300506032b657004220420'

const keyOf = (name: string): KeyObject => {
  const seed = createHash('sha256').update(`bursar simulation approver ${name}`).digest('hex')
  return createPrivateKey({ key: Buffer.from(`${PKCS8}${seed}`, 'hex'), format: 'der', type: 'pkcs8' })
}

export const APPROVERS = ['first', 'second'].map((id) => {
  const { x } = createPublicKey(keyOf(id)).export({ format: 'jwk' })
  return { id, publicKey: Buffer.from(x!, 'base64url').toString('hex') }
})

/**
 * The answer of one approver alone to a request.
 * @param expiresAt ms since the epoch
 */
export const approve = ({ network, intents }: SignRequest, keyId: string, expiresAt: number): Approval[] =>
  intents.map((intent) => ({
    keyId,
    expiresAt,
    signature: sign(null, Buffer.from(approvalMessage(network, intent, expiresAt)), keyOf(keyId)).toString('hex'),
  }))
