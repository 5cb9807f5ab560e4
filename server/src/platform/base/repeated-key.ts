const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/**
 * The first member that an object of a JSON text has twice: of two, `JSON.parse` keeps the last and says nothing. The
 * text must be JSON.
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
