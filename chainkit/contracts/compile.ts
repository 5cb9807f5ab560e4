/**
 * Compiles the contracts of sweeps into the committed artifacts/. `--check` fails instead of writing when they differ.
 *
 *     node chainkit/contracts/compile.ts [--check]
 */
import { runCompiler } from '../../tools/solidity.ts'

const here = new URL('./', import.meta.url).pathname

runCompiler(
  // Delegation exists since Prague, on both chains.
  { sources: here, artifacts: `${here}artifacts/`, evmVersion: 'prague', forGas: true, runtime: true },
  'node chainkit/contracts/compile.ts',
)
