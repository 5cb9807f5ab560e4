/** Output scripts that have an address and that any wallet can pay (standard in Bitcoin Core's policy). */
export type ScriptType = 'p2pkh' | 'p2sh' | 'p2wpkh' | 'p2wsh' | 'p2tr'

interface ScriptPattern {
  type: ScriptType
  before: readonly number[]
  hashLength: number
  after: readonly number[]
}

/** Each script is fixed opcodes around one hash or key, such as `OP_DUP OP_HASH160 <20> OP_EQUALVERIFY OP_CHECKSIG`. */
const PATTERNS: readonly ScriptPattern[] = [
  { type: 'p2wpkh', before: [0x00, 0x14], hashLength: 20, after: [] },
  { type: 'p2tr', before: [0x51, 0x20], hashLength: 32, after: [] },
  { type: 'p2wsh', before: [0x00, 0x20], hashLength: 32, after: [] },
  { type: 'p2pkh', before: [0x76, 0xa9, 0x14], hashLength: 20, after: [0x88, 0xac] },
  { type: 'p2sh', before: [0xa9, 0x14], hashLength: 20, after: [0x87] },
]

function patternOf(script: Uint8Array): ScriptPattern | undefined {
  return PATTERNS.find(
    ({ before, hashLength, after }) =>
      script.length === before.length + hashLength + after.length &&
      before.every((byte, at) => script[at] === byte) &&
      after.every((byte, at) => script[before.length + hashLength + at] === byte),
  )
}

/** The script's type, or undefined for everything else: data carriers, bare multisig, future witness versions. */
export function scriptTypeOf(script: Uint8Array): ScriptType | undefined {
  return patternOf(script)?.type
}

/** The hash or key that the script commits to, with its type; undefined when the script is none of the five. */
export function readScript(script: Uint8Array): { type: ScriptType; hash: Uint8Array } | undefined {
  const pattern = patternOf(script)
  if (!pattern) return undefined
  const start = pattern.before.length
  return { type: pattern.type, hash: script.slice(start, start + pattern.hashLength) }
}

/** Throws a RangeError when the hash does not have the length of the type. */
export function writeScript(type: ScriptType, hash: Uint8Array): Uint8Array {
  const pattern = PATTERNS.find((candidate) => candidate.type === type)!
  if (hash.length !== pattern.hashLength) {
    throw new RangeError(`A ${type} script commits to ${pattern.hashLength} bytes, not ${hash.length}`)
  }
  return Uint8Array.from([...pattern.before, ...hash, ...pattern.after])
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
