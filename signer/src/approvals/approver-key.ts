import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import { approvalMessage } from '../policy/approval.ts'
import type { Approval, Intent } from '../protocol/protocol.ts'
import { openSecret, sealSecret } from '../keys/seed-file.ts'
import type { SecretKind } from '../keys/seed-file.ts'

/** The private key of an approver: the 32 bytes from which Ed25519 derives it (RFC 8032, section 5.1.5). */
const KIND: SecretKind = { format: 'bursar-approver-key', bytes: 32, name: 'approver key' }
/** PKCS 8 of an Ed25519 key before its 32 bytes (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Makes a new key. @returns the content of its encrypted file, and the public key as the policy writes it, in hex */
export async function makeApproverKey(passphrase: Uint8Array): Promise<{ file: string; publicKey: string }> {
  const secret = randomBytes(KIND.bytes)
  try {
    return { file: await sealSecret(KIND, secret, passphrase), publicKey: publicKeyOf(keyOf(secret)) }
  } finally {
    secret.fill(0)
  }
}

/** Decrypts a key file. Throws a SeedFileError when the passphrase is wrong or the file was changed. */
export async function openApproverKey(file: string, passphrase: Uint8Array): Promise<KeyObject> {
  const secret = await openSecret(KIND, file, passphrase)
  try {
    return keyOf(secret)
  } finally {
    secret.fill(0)
  }
}

/** Signs an approval of one intent until a time (ms since the epoch). @param keyId the approver's id in the policy */
export function signApproval(
  key: KeyObject,
  keyId: string,
  { network, intent, expiresAt }: { network: Network; intent: Intent; expiresAt: number },
): Approval {
  const signature = sign(null, Buffer.from(approvalMessage(network, intent, expiresAt)), key)
  return { keyId, expiresAt, signature: signature.toString('hex') }
}

function keyOf(secret: Buffer): KeyObject {
  const der = Buffer.concat([PKCS8, secret])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  der.fill(0)
  return key
}

function publicKeyOf(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x!, 'base64url').toString('hex')
}
