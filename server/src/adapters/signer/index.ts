import { SignerClient, type LogMemory, type SignerAddress } from '@bursar/signer/client'
import type { Signer } from './port.ts'

export { approvalMessage } from '@bursar/signer/client'
export type { LogEnd, LogMemory, SignerAddress } from '@bursar/signer/client'
export type { Signer } from './port.ts'

/**
 * The signer at an address: a Unix socket, or another machine over mutual TLS. With a memory of how far its log went, a
 * log that was cut back is neither asked for signatures nor believed.
 */
export const connectSigner = (address: SignerAddress, memory?: LogMemory): Signer & { close(): void } =>
  new SignerClient(address, memory)
