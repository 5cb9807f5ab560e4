import { encode } from 'uqr'

/** Rows of modules, true where dark. */
export type QrMatrix = readonly (readonly boolean[])[]

/**
 * The number of characters of BBQr's alphabet that a code of each version holds at the lowest error correction (ISO/IEC
 * 18004, table 7).
 */
const CAPACITIES = [
  25, 47, 77, 114, 154, 195, 224, 279, 335, 395, 468, 535, 619, 667, 758, 854, 938, 1046, 1153, 1249, 1352, 1460, 1588,
  1704, 1853, 1990, 2132, 2223, 2369, 2520, 2677, 2840, 3009, 3183, 3351, 3537, 3729, 3927, 4087, 4296,
] as const

/** The number of characters that a code of a version, 1 to 40, holds. */
export const capacityOf = (version: number): number => CAPACITIES[version - 1]!

/**
 * Encodes a text of digits, capitals and `$%*+-./:` as the smallest code that holds it. Throws a RangeError for any
 * other text.
 */
export const qrOf = (text: string): QrMatrix => {
  if (!/^[0-9A-Z $%*+\-./:]*$/.test(text)) throw new RangeError('a code holds digits, capitals and $%*+-./: only')
  if (text.length > capacityOf(40)) throw new RangeError(`a code holds at most ${capacityOf(40)} characters`)
  return encode(text, { ecc: 'L', border: 0 }).data
}
