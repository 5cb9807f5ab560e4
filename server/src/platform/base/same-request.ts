/**
 * What tells one request from another under the same name: its fingerprint, and those that older keys would have given
 * it.
 */
export interface Fingerprinted {
  fingerprint: string
  /** by data keys before the newest, while they are kept */
  older?: readonly string[]
}

/** Whether a stored fingerprint is of this request, whichever key made it. */
export const isSameRequest = (stored: string, { fingerprint, older }: Fingerprinted): boolean =>
  stored === fingerprint || older?.includes(stored) === true
