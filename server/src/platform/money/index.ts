/**
 * Money as integer units of an asset. Guarantees:
 * - parsing and printing are exact;
 * - every division names its rounding;
 * - the parts of a split add up to the whole.
 */
export { formatUnits, parseUnits, unitsOf, rescale } from './decimal.ts'

export { allocate, mulDiv } from './ratio.ts'
