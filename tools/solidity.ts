/**
 * Compiles a folder of Solidity sources into committed artifacts, or reports artifacts that differ from their sources.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface ContractFolder {
  /** absolute path of the folder with `*.sol`, each with a contract of the file's name */
  sources: string
  /** absolute path of the folder for `*.json`, which holds nothing else */
  artifacts: string
  /** the newest version that all target chains support */
  evmVersion: string
  /** optimises through Yul for many runs: for contracts whose calls we pay for */
  forGas?: boolean
  /** codes of warnings to ignore */
  expectedWarnings?: readonly string[]
  /** whether to store the deployed bytecode too, with the positions of immutable values */
  runtime?: boolean
}

interface Bytecode {
  object: string
  immutableReferences?: Record<string, { start: number; length: number }[]>
}

interface Output {
  errors?: { severity: string; formattedMessage: string; errorCode?: string }[]
  contracts: Record<
    string,
    Record<
      string,
      { abi: unknown; evm: { bytecode: Bytecode; deployedBytecode: Bytecode }; storageLayout: { storage: unknown[] } }
    >
  >
}

/** solc has no types; this is the part used here. */
const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string; version(): string }

/** Writes the artifacts. Throws an Error with the compiler's messages if a source does not compile or has a warning. */
export const writeArtifacts = (folder: ContractFolder): void => {
  mkdirSync(folder.artifacts, { recursive: true })
  for (const [name, text] of render(folder)) writeFileSync(join(folder.artifacts, name), text)
}

/** Returns the names of artifacts that are missing, superfluous, or different from the compiled sources. */
export const staleArtifacts = (folder: ContractFolder): string[] => {
  const rendered = render(folder)
  const present = readdirSync(folder.artifacts)
  const stale = [...rendered].filter(
    ([name, text]) => !present.includes(name) || readFileSync(join(folder.artifacts, name), 'utf8') !== text,
  )
  return [...stale.map(([name]) => name), ...present.filter((name) => !rendered.has(name))]
}

/** Runs the command: writes the artifacts, or with `--check` fails if one is stale. */
export const runCompiler = (folder: ContractFolder, command: string): void => {
  if (!process.argv.includes('--check')) return writeArtifacts(folder)
  const stale = staleArtifacts(folder)
  if (stale.length === 0) return
  process.stderr.write(`${stale.join(', ')} differ from the sources; run ${command}\n`)
  process.exitCode = 1
}

/** Renders one artifact per file, for the contract with the file's name. */
const render = (folder: ContractFolder): Map<string, string> => {
  const rendered = new Map<string, string>()
  for (const [file, byName] of Object.entries(compile(folder))) {
    const name = file.replace(/\.sol$/, '')
    const contract = byName[name]
    if (contract === undefined) throw new Error(`${file} has no contract ${name}`)
    const { abi, evm, storageLayout } = contract
    const artifact = {
      contractName: name,
      compiler: `solc ${solc.version()}`,
      evmVersion: folder.evmVersion,
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      ...(folder.runtime && {
        runtime: `0x${evm.deployedBytecode.object}`,
        immutables: Object.values(evm.deployedBytecode.immutableReferences ?? {}).flat(),
        storage: storageLayout.storage,
      }),
    }
    rendered.set(`${name}.json`, `${JSON.stringify(artifact, null, 2)}\n`)
  }
  return rendered
}

const compile = ({
  sources,
  evmVersion,
  forGas = false,
  expectedWarnings = [],
}: ContractFolder): Output['contracts'] => {
  const files = readdirSync(sources)
    .filter((name) => name.endsWith('.sol'))
    .toSorted()
  const wanted = [
    'abi',
    'evm.bytecode.object',
    'evm.deployedBytecode.object',
    'evm.deployedBytecode.immutableReferences',
    'storageLayout',
  ]
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((name) => [name, { content: readFileSync(join(sources, name), 'utf8') }])),
    settings: {
      evmVersion,
      optimizer: { enabled: true, runs: forGas ? 1_000_000 : 200 },
      viaIR: forGas,
      // The bytecode contains no hash of the sources, so that the same code gives the same bytes.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': wanted } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const problems = (output.errors ?? []).filter((error) => !expectedWarnings.includes(error.errorCode ?? ''))
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  return output.contracts
}
