import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '@noble/hashes/utils.js'
import batchArtifact from '../../contracts/artifacts/SweepBatch.json' with { type: 'json' }
import delegateArtifact from '../../contracts/artifacts/SweepDelegate.json' with { type: 'json' }
import relayArtifact from '../../contracts/artifacts/SweepRelay.json' with { type: 'json' }
import { addressOfBytes, checksumAddress } from './address.ts'
import { addressWord } from './erc20.ts'
import { fromHex, toHex } from './hex.ts'
import type { Hex } from './hex.ts'

/**
 * The contract that deploys others by CREATE2 on every supported chain (Arachnid's deterministic deployment proxy). It
 * is called with a salt of 32 bytes and init code.
 */
export const CREATE2_DEPLOYER: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const SALT = new Uint8Array(32)
/** Prefix of the delegation designator, the code of a delegating account; the delegate's address follows (EIP-7702). */
const DELEGATION_PREFIX = '0xef0100'
const DELEGATION_DIGITS = 48

/** One of our contracts; everything about it is known before it is deployed. */
export interface PinnedContract {
  /** the same on every chain: it is derived from the code, which includes the treasury (EIP-1014) */
  address: Hex
  /** transaction that deploys it, from any account; a second one reverts */
  deployment: { to: Hex; data: Hex }
  /** expected result of `eth_getCode` */
  code: Hex
  /** keccak-256 of `code` */
  codeHash: Hex
}

export interface SweepContracts {
  /** contract that deposit addresses delegate to; pays the treasury only */
  delegate: PinnedContract
  /** sweeps many delegated addresses at once */
  batch: PinnedContract
  /** executes signed transfers and permits of addresses without code; pays the treasury only */
  relay: PinnedContract
}

interface Artifact {
  bytecode: string
  runtime: string
  immutables: { start: number; length: number }[]
}

/** The contracts of sweeps for one treasury. Throws a RangeError when the treasury is not an address. */
export const sweepContracts = (treasury: string): SweepContracts => {
  const word = fromHex(`0x${addressWord(treasury)}`)
  return {
    delegate: pinned(delegateArtifact, word),
    batch: pinned(batchArtifact, new Uint8Array()),
    relay: pinned(relayArtifact, word),
  }
}

/** @param constructorWord ABI-encoded argument of the constructor, which is also the value of every immutable */
const pinned = ({ bytecode, runtime, immutables }: Artifact, constructorWord: Uint8Array): PinnedContract => {
  const initCode = concatBytes(fromHex(bytecode), constructorWord)
  const code = fromHex(runtime)
  for (const { start } of immutables) code.set(constructorWord, start)
  return {
    address: create2Address(CREATE2_DEPLOYER, SALT, initCode),
    deployment: { to: CREATE2_DEPLOYER, data: toHex(concatBytes(SALT, initCode)) },
    code: toHex(code),
    codeHash: toHex(keccak_256(code)),
  }
}

/** EIP-1014. */
export const create2Address = (deployer: Hex, salt: Uint8Array, initCode: Uint8Array): Hex =>
  addressOfBytes(keccak_256(concatBytes(Uint8Array.of(0xff), fromHex(deployer), salt, keccak_256(initCode))).slice(-20))

/**
 * Returns the delegate named by an account's code (from `eth_getCode`); undefined for no code and for a contract's own
 * code.
 */
export const delegateOfCode = (code: string): Hex | undefined =>
  code.length === DELEGATION_DIGITS && code.startsWith(DELEGATION_PREFIX)
    ? checksumAddress(`0x${code.slice(DELEGATION_PREFIX.length)}`)
    : undefined
