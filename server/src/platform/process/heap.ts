import type { Role } from '../config/settings.ts'

/**
 * Arguments of `node` that limit the heap to about the size that a role uses. By default V8 adapts to the machine: with
 * much memory, a process that needs 40 MB of heap grows to several hundred before it collects garbage. The api has a
 * large young generation, because its callers wait while it is collected.
 */
export const heapFlagsOf = (role: Role): string[] =>
  role === 'api' || role === 'all'
    ? ['--max-semi-space-size=24', '--heap-growing-percent=30']
    : ['--max-semi-space-size=8', '--heap-growing-percent=40']
