import { arrayLiteral, type Scalar } from './array-literal.ts'

/**
 * Types that cost most to read, and whose arrays are the same only when they say the same thing: whose row it is, and
 * when.
 */
const SHARED = new Set(['timestamptz', 'uuid'])

/**
 * Array parameters of one statement. Ids and times that several tables store alike are sent, and read by the server,
 * once.
 */
export class Parameters {
  readonly values: string[] = []
  readonly #places = new Map<string, number>()

  /** @returns what stands for the array in the statement */
  array(type: string, elements: readonly Scalar[]): string {
    const literal = arrayLiteral(type, elements)
    const known = SHARED.has(type) ? this.#places.get(type + literal) : undefined
    const place = known ?? this.values.push(literal)
    if (known === undefined && SHARED.has(type)) this.#places.set(type + literal, place)
    return `$${place}::${type}[]`
  }
}
