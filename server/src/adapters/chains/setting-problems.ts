/** What can be wrong with one setting of a chain: a line for each problem, none when it is well. */

/** Of a block, as the settings write it. */
const HASH = /^[0-9a-f]{64}$/
const DIGITS = /^\d{1,30}$/

type Given = Record<string, unknown>

export const unknownKeys = (given: Given, known: readonly string[]): string[] =>
  Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => `${key} is unknown; there are ${known.join(', ')}`)

export const isUrl = (url: unknown): boolean => typeof url === 'string' && URL.canParse(url) && /^https?:/.test(url)

export const urlProblem = ({ url }: Given): string[] => (isUrl(url) ? [] : ['url is an http(s) address'])

export const genesisProblem = ({ genesis }: Given): string[] =>
  typeof genesis === 'string' && HASH.test(genesis) ? [] : ['genesis is the hash of block 0: 64 lowercase hex digits']

export const countProblem = (given: Given, key: string): string[] =>
  given[key] === undefined || (Number.isSafeInteger(given[key]) && (given[key] as number) > 0)
    ? []
    : [`${key} is a whole number above 0`]

export const digitsProblem = (given: Given, key: string): string[] =>
  given[key] === undefined || (typeof given[key] === 'string' && DIGITS.test(given[key]))
    ? []
    : [`${key} is a whole number written as a string`]

/** A cap below the floor would offer less than the network takes: everything sent would be stuck. */
export const boundsProblem = (
  given: Given,
  floorKey: string,
  capKey: string,
  bounds: { floor: string; cap: string },
): string[] => {
  const digits = (key: string, otherwise: string): string => {
    const value = given[key] ?? otherwise
    return typeof value === 'string' ? value : ''
  }
  const [floor, cap] = [digits(floorKey, bounds.floor), digits(capKey, bounds.cap)]
  const isAbove = DIGITS.test(floor) && DIGITS.test(cap) && BigInt(floor) > BigInt(cap)
  return isAbove ? [`${floorKey} (${floor}) is above ${capKey} (${cap})`] : []
}
