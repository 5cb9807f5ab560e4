/** What a QR code holds, as bytes: alphanumeric mode, error correction level L (ISO/IEC 18004:2015, clauses 7.4 and 7.5). */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'
const MODE = 0b0010
const MODE_BITS = 4
const PAD = [0xec, 0x11]
const LARGEST = 40

/** Table 9, level L: error correction codewords of each block, and the number of blocks, by version from 1. */
const CORRECTION = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  30, 30, 30,
]
const BLOCKS = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
]

/** Modules that are left for codewords when finders, timing, alignment, format and version have theirs (Table 1). */
const modulesFor = (version: number): number => {
  const all = (16 * version + 128) * version + 64
  if (version === 1) return all
  const aligned = Math.floor(version / 7) + 2
  return all - ((25 * aligned - 10) * aligned - 55) - (version >= 7 ? 36 : 0)
}

const codewordsOf = (version: number): number => Math.floor(modulesFor(version) / 8)
const dataCodewords = (version: number): number => codewordsOf(version) - CORRECTION[version - 1]! * BLOCKS[version - 1]!

/** Table 3: bits of the character count. */
const countBits = (version: number): number => (version < 10 ? 9 : version < 27 ? 11 : 13)

/** How many characters a version holds. */
export const capacityOf = (version: number): number => {
  const bits = dataCodewords(version) * 8 - MODE_BITS - countBits(version)
  return Math.floor(bits / 11) * 2 + (bits % 11 >= 6 ? 1 : 0)
}

/**
 * The codewords of a text in the smallest version that holds it, in the order in which they are placed. Throws a RangeError for
 * other characters than digits, capitals and ` $%*+-./:`, and for more than a code holds.
 */
export const codewordsFor = (text: string): { version: number; codewords: Uint8Array } => {
  if ([...text].some((character) => !ALPHABET.includes(character))) throw new RangeError('a character that is not alphanumeric')
  const version = Array.from({ length: LARGEST }, (_, at) => at + 1).find((one) => capacityOf(one) >= text.length)
  if (version === undefined) throw new RangeError(`${text.length} characters are more than a QR code holds`)
  return { version, codewords: interleave(dataOf(text, version), version) }
}

const dataOf = (text: string, version: number): Uint8Array => {
  const wanted = dataCodewords(version)
  const bits = [binary(MODE, MODE_BITS), binary(text.length, countBits(version)), pairs(text)].join('')
  const ended = bits + '0'.repeat(Math.min(4, wanted * 8 - bits.length))
  const whole = ended.padEnd(Math.ceil(ended.length / 8) * 8, '0')
  const used = whole.length / 8
  return Uint8Array.from({ length: wanted }, (_, at) => (at < used ? Number.parseInt(whole.slice(at * 8, at * 8 + 8), 2) : PAD[(at - used) % 2]!))
}

const pairs = (text: string): string =>
  (text.match(/..?/gs) ?? [])
    .map((pair) => {
      const [first, second] = [...pair].map((character) => ALPHABET.indexOf(character))
      return second === undefined ? binary(first!, 6) : binary(first! * ALPHABET.length + second, 11)
    })
    .join('')

const binary = (value: number, bits: number): string => value.toString(2).padStart(bits, '0')

/** Splits the data into blocks, the shorter ones first, and takes a codeword of each in turn, then of their corrections. */
const interleave = (data: Uint8Array, version: number): Uint8Array => {
  const [count, correction] = [BLOCKS[version - 1]!, CORRECTION[version - 1]!]
  const short = Math.floor(data.length / count)
  const longer = data.length % count
  let from = 0
  const blocks = Array.from({ length: count }, (_, at) => data.slice(from, (from += short + (at >= count - longer ? 1 : 0))))
  const divisor = divisorOf(correction)
  const corrections = blocks.map((block) => remainderOf(block, divisor))
  const inTurn = (rows: readonly Uint8Array[], length: number): number[] =>
    Array.from({ length }, (_, at) => rows.flatMap((row) => (at < row.length ? [row[at]!] : []))).flat()
  return Uint8Array.from([...inTurn(blocks, short + 1), ...inTurn(corrections, correction)])
}

/** Multiplication in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
const multiply = (a: number, b: number): number => {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((b >>> bit) & 1) * a
  }
  return product
}

/** The coefficients of (x - 1)(x - 2)...(x - 2^(degree-1)), highest first, without the leading 1. */
const divisorOf = (degree: number): Uint8Array => {
  const result = new Uint8Array(degree)
  result[degree - 1] = 1
  let root = 1
  for (let step = 0; step < degree; step += 1) {
    for (let at = 0; at < degree; at += 1) result[at] = multiply(result[at]!, root) ^ (result[at + 1] ?? 0)
    root = multiply(root, 2)
  }
  return result
}

const remainderOf = (data: Uint8Array, divisor: Uint8Array): Uint8Array => {
  const rest = [...new Uint8Array(divisor.length)]
  for (const byte of data) {
    const factor = byte ^ rest.shift()!
    rest.push(0)
    divisor.forEach((coefficient, at) => (rest[at]! ^= multiply(coefficient, factor)))
  }
  return Uint8Array.from(rest)
}
