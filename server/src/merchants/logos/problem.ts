/**
 * Why a file can't be a logo. `kind`: neither PNG nor JPEG. `variant`: a JPEG that not every reader shows (CMYK).
 * `animated`: more than one picture. `heavy`: too many bytes or pixels. `small` and `shape`: sides that are too short,
 * or too different.
 */
export type LogoTrouble = 'missing' | 'kind' | 'broken' | 'variant' | 'animated' | 'heavy' | 'small' | 'shape'

/** A file is not accepted as a logo. */
export class LogoProblem extends Error {
  override name = 'LogoProblem'
  readonly trouble: LogoTrouble
  constructor(trouble: LogoTrouble, why: string) {
    super(why)
    this.trouble = trouble
  }
}

/** The most bytes of an uploaded file. */
export const MOST_FILE_BYTES = 1_000_000
/** The most bytes of the logo that is made of it: a payer's phone loads them with the payment page. */
export const MOST_LOGO_BYTES = 100_000
/** The most pixels: decoding takes about 50 ns for each. */
const MOST_PIXELS = 2_000_000
const LEAST_SIDE = 32
/** The longer side divided by the shorter one: a longer logo has no height beside the name of the merchant. */
const MOST_RATIO = 8

/** Throws a LogoProblem for sides, in pixels, that a logo can't have. Called before the pixels are decoded. */
export const checkSides = (width: number, height: number): void => {
  if (width * height > MOST_PIXELS) throw new LogoProblem('heavy', `${width} × ${height} pixels are too many`)
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)]
  if (shorter < LEAST_SIDE) throw new LogoProblem('small', `a side of ${shorter} pixels is too short`)
  if (longer > MOST_RATIO * shorter) throw new LogoProblem('shape', `${width} × ${height} is too long`)
}
