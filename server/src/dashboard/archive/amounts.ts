/** Sums of amounts of an archive, which are decimal texts. */

/** More decimals than any asset has. */
const SCALE = 40
const AMOUNT = new RegExp(`^(-?)(\\d+)(?:\\.(\\d{1,${SCALE}}))?$`)

/** An amount as an integer number of 10^-40. Throws for a text that is no amount. */
export const unitsOf = (text: unknown): bigint => {
  const found = AMOUNT.exec(String(text))
  if (!found) throw new Error(`${JSON.stringify(text)} is no amount`)
  const [, sign, whole, fraction = ''] = found
  return BigInt(`${sign}${whole}${fraction.padEnd(SCALE, '0')}`)
}

/** The inverse of `unitsOf`, in its shortest form. */
export const textOf = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(SCALE + 1, '0')
  const fraction = digits.slice(-SCALE).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${fraction === '' ? '' : `.${fraction}`}`
}
