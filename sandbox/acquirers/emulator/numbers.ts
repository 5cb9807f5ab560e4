/** Parses and prints amounts as acquirers do. */

/** Returns the minor units of `100`, `100.5`, `100.50`; undefined for any other text. */
export function unitsOf(text: string): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/.exec(text)
  return match === null ? undefined : BigInt(match[1]! + (match[2] ?? '').padEnd(2, '0'))
}

/** Prints an amount as a program prints a float: 100, 100.5. */
export function shortest(units: bigint | string): string {
  return twoDecimals(units).replace(/\.?0+$/, '')
}

export function twoDecimals(units: bigint | string): string {
  const digits = units.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Parses JSON and keeps the text of numbers. Returns undefined when the text is not a JSON object. */
export function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const keep = (_key: string, value: unknown, context: { source?: string }): unknown =>
      typeof value === 'number' ? context.source : value
    const value: unknown = JSON.parse(text, keep as (key: string, value: unknown) => unknown)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Returns a JSON number with exactly these digits. */
export function number(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)
}

export function textOf(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name]
  return typeof value === 'string' ? value : ''
}
