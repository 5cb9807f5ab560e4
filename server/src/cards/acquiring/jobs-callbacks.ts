import { ForgedCallback, type Acquirer, type Callback, type RawCallback } from '../../adapters/acquirers/port.ts'

/**
 * Verifies a callback with the acquirer's own keys and reads it; undefined when it is not the acquirer's. Sends no
 * request.
 */
export const readSigned = (acquirer: Pick<Acquirer, 'readCallback'>, raw: RawCallback): Callback | undefined => {
  try {
    return acquirer.readCallback(raw)
  } catch (error) {
    if (error instanceof ForgedCallback) return undefined
    throw error
  }
}
