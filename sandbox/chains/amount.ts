/** Converts decimal text to integer units and back, exactly. */
import { Refusal } from '../http/refusal.ts'

/** Parses an amount. Throws a Refusal unless it is a plain positive decimal with at most `decimals` places. */
export function parseAmount(text: string, decimals: number): bigint {
  const match = /^(0|[1-9]\d{0,29})(?:\.(\d+))?$/.exec(text)
  if (match === null) throw new Refusal('amount: send a decimal as a string, such as "1.5"')
  const fraction = match[2] ?? ''
  if (fraction.length > decimals) throw new Refusal(`amount: send at most ${decimals} decimal places`)
  const units = BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`)
  if (units === 0n) throw new Refusal('amount: send more than zero')
  return units
}

/** Without trailing zeros: 1500000n with 6 decimals is `1.5`. */
export function formatAmount(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
