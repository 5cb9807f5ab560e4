import { arrayLiteral, type Scalar } from './array-literal.ts'

/** Types whose values are expensive to parse and often occur as equal arrays in several tables: ids and times. */
const SHARED = new Set(['timestamptz', 'uuid'])

/** Array parameters of one statement. Equal arrays of ids or times are sent, and parsed by the server, once. */
export class Parameters {
  readonly values: string[] = []
  readonly #places = new Map<string, number>()

  /** @returns the placeholder of the array in the statement */
  array(type: string, elements: readonly Scalar[]): string {
    const literal = arrayLiteral(type, elements)
    const known = SHARED.has(type) ? this.#places.get(type + literal) : undefined
    const place = known ?? this.values.push(literal)
    if (known === undefined && SHARED.has(type)) this.#places.set(type + literal, place)
    return `$${place}::${type}[]`
  }
}
