/** Amounts of the venue: whole numbers of 1e-8, written as Binance writes them. */
export const ONE = 100_000_000n

export const textOf = (units: bigint): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(9, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`
}

/** Returns undefined for text that is not a decimal. Digits beyond 1e-8 are dropped. */
export const unitsOf = (text: unknown): bigint | undefined => {
  const match = typeof text === 'string' ? /^(\d{1,20})(?:\.(\d+))?$/.exec(text) : null
  return match ? BigInt(match[1]! + (match[2] ?? '').slice(0, 8).padEnd(8, '0')) : undefined
}
