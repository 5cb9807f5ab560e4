import type { Role } from '../config/settings.ts'

/**
 * Arguments of `node` that keep a role near what it uses. Without them V8 sizes itself by the machine: where there is
 * much memory a process that needs 40 MB of heap grows to several hundred before it collects. The api's young
 * generation is large, as its callers wait while it is collected.
 */
export const heapFlagsOf = (role: Role): string[] =>
  role === 'api' || role === 'all'
    ? ['--max-semi-space-size=24', '--heap-growing-percent=30']
    : ['--max-semi-space-size=8', '--heap-growing-percent=40']
