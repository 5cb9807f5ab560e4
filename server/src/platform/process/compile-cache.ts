import { fileURLToPath } from 'node:url'

/**
 * Where Node keeps what it has compiled (NODE_COMPILE_CACHE), so that the next process starts in two thirds of the time
 * and does not hold the compiler, 15 MB. Beside the packages and not in the system's temporary folder, where others
 * could put code before us; who may not write there goes without. The starter of a process of ours names it in the
 * environment as well: main.ts is TypeScript itself, and would have loaded the compiler before it could ask for what is
 * kept.
 */
export const COMPILE_CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/bursar', import.meta.url))
