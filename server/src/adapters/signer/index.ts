import { SignerClient, type LogMemory, type SignerAddress } from '@bursar/signer/client'
import type { Signer, SignerLog } from './port.ts'

export { approvalMessage } from '@bursar/signer/client'
export { LOG_START, readLogLines } from '@bursar/signer/client'
export type { LogEnd, LogLine, LogMemory, SignerAddress } from '@bursar/signer/client'
export type { Signer, SignerLog } from './port.ts'

/**
 * Connects to the signer at an address: a Unix socket, or another machine by mutual TLS. With `memory`, each request
 * states the latest known end of the signer's log, and a signer whose log lacks that end refuses the request.
 */
export const connectSigner = (address: SignerAddress, memory?: LogMemory): Signer & SignerLog & { close(): void } =>
  new SignerClient(address, memory)
