import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { OutboundFailure } from './failure.ts'
import type { Guard } from './guard.ts'
import type { Lookup } from './lookup.ts'

export interface ConnectorSettings {
  guard: Guard
  lookup: Lookup
  timeoutMs: number
  /** Certificates to trust instead of the system's, PEM. */
  ca?: string
}

/**
 * Time limit for one of several addresses before the next is tried. Node then abandons the first; its default of 250 ms
 * would never reach a receiver across an ocean. Long enough for a second SYN, which is sent after 1 s.
 */
const ADDRESS_MS = 2_500

/**
 * Creates the only function that opens connections. It checks a literal address directly. A name is resolved once, all
 * its addresses are checked, and the connection uses those same addresses. TLS still verifies the certificate for the
 * name.
 */
export const createConnector = ({ guard, lookup, timeoutMs, ca }: ConnectorSettings): buildConnector.connector => {
  const connect = buildConnector({
    lookup: guardedLookup(guard, lookup),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    timeout: timeoutMs,
    allowH2: false,
    ...(ca === undefined ? {} : { ca }),
  } as buildConnector.BuildOptions)
  return (options, callback) => {
    const reason = isIP(options.hostname) === 0 ? null : guard(options.hostname)
    if (reason !== null) return callback(new OutboundFailure('refused-address', `the address is ${reason}`), null)
    connect(options, (error, socket) => {
      if (error) callback(options.protocol === 'https:' ? asTlsFailure(error) : error, null)
      else callback(null, socket)
    })
  }
}

const guardedLookup =
  (guard: Guard, lookup: Lookup): LookupFunction =>
  (hostname, { all }, callback) => {
    const answer = async (): Promise<void> => {
      const judged = await judgedAddresses(hostname, guard, lookup)
      if (judged instanceof OutboundFailure) return callback(judged, '', 0)
      const found = judged.map((address) => ({ address, family: isIP(address) }))
      if (all) callback(null, found)
      else callback(null, found[0]!.address, found[0]!.family)
    }
    void answer()
  }

/** All addresses of a name, or the reason why it must not be used. */
const judgedAddresses = async (
  hostname: string,
  guard: Guard,
  lookup: Lookup,
): Promise<readonly string[] | OutboundFailure> => {
  try {
    const found = await lookup(hostname)
    if (found.length === 0) return new OutboundFailure('dns', 'the name has no address')
    const reason = found.map(guard).find((refusal) => refusal !== null)
    // Without the address: the merchant must not learn how our side resolves a name.
    return reason === undefined ? found : new OutboundFailure('refused-address', `an address of the name is ${reason}`)
  } catch (error) {
    return new OutboundFailure('dns', 'the name could not be looked up', { cause: error })
  }
}

/** Converts errors of the handshake to `tls` failures. TCP errors name a system call; others are from TLS. */
const asTlsFailure = (error: Error): Error => {
  const isTls =
    'library' in error || (!('syscall' in error) && !('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT'))
  if (!isTls || error instanceof OutboundFailure || error instanceof AggregateError) return error
  return new OutboundFailure('tls', error.message, { cause: error })
}
