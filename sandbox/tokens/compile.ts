/**
 * Compiles contracts/ into the committed artifacts/. `--check` fails instead of writing when they differ.
 *
 *     node sandbox/tokens/compile.ts [--check]
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const sources = new URL('./contracts/', import.meta.url).pathname
const artifacts = new URL('./artifacts/', import.meta.url).pathname
/** The newest version that every chain we name understands. */
const evmVersion = 'shanghai'

interface Output {
  readonly errors?: readonly {
    readonly severity: string
    readonly formattedMessage: string
    readonly errorCode?: string
  }[]
  readonly contracts: Record<
    string,
    Record<string, { readonly abi: unknown; readonly evm: { readonly bytecode: { readonly object: string } } }>
  >
}

/** solc has no types of its own: this is the part used here. */
const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string; version(): string }

/** Payer pays by destroying a contract on purpose. */
const expectedWarnings: ReadonlySet<string> = new Set(['5159'])

const wanted = render(compile())
if (process.argv.includes('--check')) check(wanted)
else {
  mkdirSync(artifacts, { recursive: true })
  for (const [name, text] of wanted) writeFileSync(join(artifacts, name), text)
}

function compile(): Output['contracts'] {
  const files = readdirSync(sources).sort()
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((name) => [name, { content: readFileSync(join(sources, name), 'utf8') }])),
    settings: {
      evmVersion,
      optimizer: { enabled: true, runs: 200 },
      // No hash of the sources in the bytecode: the same code is the same bytes.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const problems = (output.errors ?? []).filter((error) => !expectedWarnings.has(error.errorCode ?? ''))
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  return output.contracts
}

/** One artifact a file, named as the contract that the file is named after. */
function render(contracts: Output['contracts']): Map<string, string> {
  const rendered = new Map<string, string>()
  for (const [file, byName] of Object.entries(contracts)) {
    const name = file.replace(/\.sol$/, '')
    const contract = byName[name]
    if (contract === undefined) throw new Error(`${file} has no contract ${name}`)
    const artifact = {
      contractName: name,
      compiler: `solc ${solc.version()}`,
      evmVersion,
      abi: contract.abi,
      bytecode: `0x${contract.evm.bytecode.object}`,
    }
    rendered.set(`${name}.json`, `${JSON.stringify(artifact, null, 2)}\n`)
  }
  return rendered
}

function check(rendered: ReadonlyMap<string, string>): void {
  const present = readdirSync(artifacts)
  const stale = [...rendered].filter(
    ([name, text]) => !present.includes(name) || readFileSync(join(artifacts, name), 'utf8') !== text,
  )
  const extra = present.filter((name) => !rendered.has(name))
  if (stale.length === 0 && extra.length === 0) return
  const names = [...stale.map(([name]) => name), ...extra].join(', ')
  console.error(`sandbox/tokens/artifacts: ${names} differ from the sources; run node sandbox/tokens/compile.ts`)
  process.exitCode = 1
}
