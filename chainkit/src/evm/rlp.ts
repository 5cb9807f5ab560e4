import { concatBytes } from '@noble/hashes/utils.js'

/** Recursive length prefix encoding (Ethereum yellow paper, appendix B), in canonical form only. */
export type RlpItem = Uint8Array | readonly RlpItem[]

const STRING = 0x80
const LIST = 0xc0
/** Longest payload whose length fits in the prefix byte. */
const SHORT = 55
/** Maximum nesting. A transaction has lists of lists of strings; nothing that we read is deeper than this. */
const MAX_DEPTH = 8
/** Maximum bytes of a length. Longer ones never occur, and would not be exact as numbers. */
const MAX_LENGTH_BYTES = 4

export function encodeRlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) {
    return item.length === 1 && item[0]! < STRING ? item : withPrefix(STRING, item)
  }
  return withPrefix(LIST, concatBytes(...item.map(encodeRlp)))
}

function withPrefix(kind: number, payload: Uint8Array): Uint8Array {
  if (payload.length <= SHORT) return concatBytes(Uint8Array.of(kind + payload.length), payload)
  const length = lengthBytes(payload.length)
  return concatBytes(Uint8Array.of(kind + SHORT + length.length, ...length), payload)
}

function lengthBytes(length: number): number[] {
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return bytes
}

/** Decodes exactly one item. Throws a RangeError for anything that `encodeRlp` would not have written. */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const { item, end } = decodeAt(bytes, 0, bytes.length, 0)
  if (end !== bytes.length) throw new RangeError('RLP: bytes are left over')
  return item
}

function decodeAt(bytes: Uint8Array, start: number, limit: number, depth: number): { item: RlpItem; end: number } {
  if (start >= limit) throw new RangeError('RLP: an item is missing')
  if (depth > MAX_DEPTH) throw new RangeError('RLP: nested too deep')
  const prefix = bytes[start]!
  if (prefix < STRING) return { item: bytes.slice(start, start + 1), end: start + 1 }
  const kind = prefix < LIST ? STRING : LIST
  const { from, end } = payloadRange(bytes, start, limit, prefix - kind)
  if (kind === STRING) {
    const item = bytes.slice(from, end)
    if (item.length === 1 && item[0]! < STRING) throw new RangeError('RLP: a small byte has a prefix')
    return { item, end }
  }
  const items: RlpItem[] = []
  for (let at = from; at < end;) {
    const child = decodeAt(bytes, at, end, depth + 1)
    items.push(child.item)
    at = child.end
  }
  return { item: items, end }
}

function payloadRange(bytes: Uint8Array, start: number, limit: number, code: number): { from: number; end: number } {
  const lengthSize = Math.max(0, code - SHORT)
  const from = start + 1 + lengthSize
  let length = code
  if (lengthSize > 0) {
    if (lengthSize > MAX_LENGTH_BYTES || from > limit || bytes[start + 1] === 0) throw new RangeError('RLP: bad length')
    length = bytes.slice(start + 1, from).reduce((sum, byte) => sum * 256 + byte, 0)
    if (length <= SHORT) throw new RangeError('RLP: a short length is written long')
  }
  if (from + length > limit) throw new RangeError('RLP: a length runs past the end')
  return { from, end: from + length }
}
