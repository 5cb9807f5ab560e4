import { SignerClient, type LogMemory, type SignerAddress } from '@bursar/signer/client'
import type { Signer } from './port.ts'

export { approvalMessage } from '@bursar/signer/client'
export type { LogEnd, LogMemory, SignerAddress } from '@bursar/signer/client'
export type { Signer } from './port.ts'

/**
 * Connects to the signer at an address: a Unix socket, or another machine by mutual TLS. With `memory`, which stores
 * how far the signer's log went, a signer whose log was truncated is neither asked for signatures nor believed.
 */
export const connectSigner = (address: SignerAddress, memory?: LogMemory): Signer & { close(): void } =>
  new SignerClient(address, memory)
