const cost = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= to.length; j += 1)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)))
    row = next
  }
  return row[to.length]!
}

const LEAST_OF_A_START = 3
const isStart = (given: string, word: string): boolean =>
  given.length >= LEAST_OF_A_START && word.toLowerCase().startsWith(given.toLowerCase())

/**
 * Finds the known word for a misspelt one: at most a third of its letters differ, ignoring case, or the given word is
 * its start. Undefined when none is that close.
 */
export const similarWord = (given: string, known: readonly string[]): string | undefined => {
  // Input may be long, and the time of a comparison is proportional to the product of both lengths.
  if (given.length > 64) return undefined
  const [best] = known
    .map((word) => ({ word, distance: cost(given.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.max(1, Math.floor(word.length / 3)) || isStart(given, word))
    .sort((a, b) => a.distance - b.distance)
  return best?.word
}
