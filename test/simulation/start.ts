/**
 * `npm run simulate`, which `main.ts` describes, with Node's compile cache: some 600 files of TypeScript are then
 * compiled once, not at each start.
 */
import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from '../../server/src/platform/process/compile-cache.ts'

enableCompileCache(COMPILE_CACHE)
await import('./main.ts')
