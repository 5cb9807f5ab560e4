/**
 * Throws an Error that names members of an object which nothing reads: a misspelt setting must not be taken for one
 * left out.
 */
export const refuseUnknownKeys = (where: string, given: object, known: readonly string[]): void => {
  const unknown = Object.keys(given).filter((key) => !known.includes(key))
  if (unknown.length > 0) throw new Error(`${where}: unknown ${unknown.join(', ')}; there are ${known.join(', ')}`)
}

/** The same, for something that must be an object in the first place. */
export const objectOfKeys = (
  where: string,
  given: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error(`${where} is a JSON object`)
  refuseUnknownKeys(where, given, known)
  return given as Readonly<Record<string, unknown>>
}
