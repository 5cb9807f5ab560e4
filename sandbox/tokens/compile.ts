/**
 * Compiles contracts/ into the committed artifacts/. `--check` fails instead of writing when they differ.
 *
 *     node sandbox/tokens/compile.ts [--check]
 */
import { runCompiler } from '../../tools/solidity.ts'

const here = new URL('./', import.meta.url).pathname

runCompiler(
  {
    sources: `${here}contracts/`,
    artifacts: `${here}artifacts/`,
    // The newest version that every chain we name understands.
    evmVersion: 'shanghai',
    // Payer pays by destroying a contract on purpose.
    expectedWarnings: ['5159'],
  },
  'node sandbox/tokens/compile.ts',
)
