/** The compiled contracts, as compile.ts writes them. */
import { readFileSync } from 'node:fs'
import type { Abi } from 'viem'

export type ContractName = 'TestToken' | 'UsdtLike' | 'UsdcLike' | 'BadToken' | 'FeeToken' | 'Payer'

export interface Artifact {
  readonly abi: Abi
  readonly bytecode: `0x${string}`
}

export function readArtifact(name: ContractName): Artifact {
  return JSON.parse(readFileSync(new URL(`./artifacts/${name}.json`, import.meta.url), 'utf8')) as Artifact
}
