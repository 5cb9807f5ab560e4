/** How many cases a property is tried on: few in `npm test`, more in `.ci/run`, very many in `npm run test:long`. */

const isSet = (name: string): boolean => !['', '0', 'false'].includes(process.env[name] ?? '')

/** In `npm run test:long`. */
export const isLong = isSet('BURSAR_LONG')
const FACTOR = isLong ? 20 : isSet('CI') ? 1 / 2 : 1 / 5
/** Fewer than these prove too little to be worth running. */
const LEAST = 3

/**
 * The number of cases for this run, for `numRuns`.
 * @param count `.ci/run` tries half of it, `npm run test:long` twenty times it. `BURSAR_CASES` is another factor for
 * all properties: 0.01, 100.
 */
export const cases = (count: number): number => {
  const factor = Number(process.env['BURSAR_CASES'] || FACTOR)
  if (!(factor > 0)) throw new Error(`BURSAR_CASES is no factor: ${process.env['BURSAR_CASES']}`)
  return Math.max(Math.min(LEAST, count), Math.round(count * factor))
}
