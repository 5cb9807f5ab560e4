import { SignerClient, type SignerAddress } from '@bursar/signer/client'
import type { Signer } from './port.ts'

export type { SignerAddress } from '@bursar/signer/client'
export type { Intent, Signer, SignAnswer, SigningKey, SignRequest, SignerStatus } from './port.ts'

/** The signer at an address: a Unix socket, or another machine over mutual TLS. */
export const connectSigner = (address: SignerAddress): Signer & { close(): void } => new SignerClient(address)
