import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const artifactOf = (name: string): { abi: { type: string; name?: string }[]; storage: unknown[]; runtime: string } =>
  JSON.parse(readFileSync(new URL(`./artifacts/${name}.json`, import.meta.url), 'utf8'))

test('the committed artifacts equal a fresh compilation of the sources', () => {
  const script = new URL('./compile.ts', import.meta.url).pathname
  const run = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0, stderr: '' })
})

test.each(['SweepDelegate', 'SweepBatch', 'SweepRelay'])('%s has no storage', (name) => {
  expect(artifactOf(name).storage).toEqual([])
  expect(opcodesOf(artifactOf(name).runtime)).not.toContain(SSTORE)
})

test('the delegate can only sweep, report to its treasury, and receive coin', () => {
  const doors = artifactOf('SweepDelegate').abi.filter(({ type }) => !['event', 'error', 'constructor'].includes(type))
  expect(doors.map(({ type, name }) => name ?? type).toSorted()).toEqual(['fallback', 'receive', 'sweep', 'treasury'])
})

test('no contract can run the code of another as its own, make contracts, or end itself', () => {
  for (const name of ['SweepDelegate', 'SweepBatch', 'SweepRelay']) {
    const present = opcodesOf(artifactOf(name).runtime)
    for (const opcode of FORBIDDEN) expect(present).not.toContain(opcode)
  }
})

const SSTORE = 0x55
/** TSTORE, CREATE, CALLCODE, DELEGATECALL, CREATE2, SELFDESTRUCT */
const FORBIDDEN = [0x5d, 0xf0, 0xf2, 0xf4, 0xf5, 0xff]
const [PUSH1, PUSH32] = [0x60, 0x7f]

/** The operations in code, without the numbers that are pushed. */
const opcodesOf = (code: string): number[] => {
  const bytes = Buffer.from(code.slice(2), 'hex')
  const opcodes: number[] = []
  for (let at = 0; at < bytes.length; at += 1) {
    const opcode = bytes[at]!
    opcodes.push(opcode)
    if (opcode >= PUSH1 && opcode <= PUSH32) at += opcode - PUSH1 + 1
  }
  return opcodes
}
