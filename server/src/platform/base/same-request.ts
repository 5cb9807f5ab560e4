/** Distinguishes requests with the same key: the request's fingerprint, and its fingerprints by older data keys. */
export interface Fingerprinted {
  fingerprint: string
  /** by older data keys, while they are configured */
  older?: readonly string[]
}

/** Whether a stored fingerprint is that of this request, by any of the data keys. */
export const isSameRequest = (stored: string, { fingerprint, older }: Fingerprinted): boolean =>
  stored === fingerprint || older?.includes(stored) === true
