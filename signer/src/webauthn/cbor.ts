/** Thrown when bytes do not have the format of Web Authentication. The message names the fault, not the bytes. */
export class NotWebAuthn extends Error {
  override name = 'NotWebAuthn'
}

export type Cbor = number | string | Uint8Array | boolean | null | Cbor[] | Map<number | string, Cbor>

const MAX_DEPTH = 4
/** Most members of a list or a map. An attestation has a few certificates and fewer than ten members. */
const MAX_MEMBERS = 64

/**
 * Reads one CBOR value (RFC 8949) in the canonical form of CTAP2: definite lengths, shortest heads, no tag, no
 * fraction, each key once. An authenticator writes no other form.
 * @param bytes at least one whole value; more bytes may follow
 * @returns the value and the number of its bytes. Throws NotWebAuthn.
 */
export function readCbor(bytes: Uint8Array): { value: Cbor; length: number } {
  const reader = new Reader(bytes)
  const value = reader.value(0)
  return { value, length: reader.position }
}

/** Reads one value that fills the bytes. Throws NotWebAuthn. */
export function readWholeCbor(bytes: Uint8Array): Cbor {
  const { value, length } = readCbor(bytes)
  if (length !== bytes.length) throw new NotWebAuthn('there are bytes after the CBOR value')
  return value
}

class Reader {
  position = 0
  readonly #bytes: Buffer

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  value(depth: number): Cbor {
    if (depth > MAX_DEPTH) throw new NotWebAuthn('the CBOR value is nested too deeply')
    const first = this.#take(1)[0]!
    const [major, info] = [first >> 5, first & 0x1f]
    if (major === 7) return simple(info)
    const argument = this.#argument(info)
    switch (major) {
      case 0:
        return argument
      case 1:
        return -1 - argument
      case 2:
        return Uint8Array.from(this.#take(argument))
      case 3:
        return textOf(this.#take(argument))
      case 4:
        return Array.from({ length: membersOf(argument) }, () => this.value(depth + 1))
      case 5:
        return this.#map(membersOf(argument), depth)
      default:
        throw new NotWebAuthn('the CBOR value has a tag')
    }
  }

  #map(members: number, depth: number): Map<number | string, Cbor> {
    const map = new Map<number | string, Cbor>()
    for (let member = 0; member < members; member++) {
      const key = this.value(depth + 1)
      if (typeof key !== 'number' && typeof key !== 'string') throw new NotWebAuthn('a CBOR key is no number or text')
      if (map.has(key)) throw new NotWebAuthn('the CBOR map has a key twice')
      map.set(key, this.value(depth + 1))
    }
    return map
  }

  /** The number in the head of a value, which must be in its shortest form. */
  #argument(info: number): number {
    if (info < 24) return info
    const size = [1, 2, 4][info - 24]
    if (size === undefined) throw new NotWebAuthn('the CBOR value has a head that CTAP2 does not write')
    const argument = this.#take(size).readUIntBE(0, size)
    const least = size === 1 ? 24 : 2 ** (4 * size)
    if (argument < least) throw new NotWebAuthn('the head of a CBOR value is not in its shortest form')
    return argument
  }

  #take(length: number): Buffer {
    const end = this.position + length
    if (end > this.#bytes.length) throw new NotWebAuthn('the CBOR value is cut off')
    const taken = this.#bytes.subarray(this.position, end)
    this.position = end
    return taken
  }
}

function simple(info: number): boolean | null {
  if (info === 20) return false
  if (info === 21) return true
  if (info === 22) return null
  throw new NotWebAuthn('the CBOR value is of a kind that CTAP2 does not write')
}

function membersOf(count: number): number {
  if (count > MAX_MEMBERS) throw new NotWebAuthn('the CBOR value has too many members')
  return count
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new NotWebAuthn('a CBOR text is not UTF-8')
  }
}
