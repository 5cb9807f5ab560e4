const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/**
 * Finds the first key that an object of a JSON text has twice; `JSON.parse` would silently use the last. The text must
 * be valid JSON.
 */
export const repeatedKey = (json: string): string | undefined => {
  const open: (Set<string> | null)[] = []
  let text = ''
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(null)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const key = JSON.parse(text) as string
      const keys = open.at(-1)!
      if (keys!.has(key)) return key
      keys!.add(key)
    } else text = token
  }
  return undefined
}
