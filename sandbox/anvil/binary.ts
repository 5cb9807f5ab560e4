/** anvil from npm: the platform package's binary itself, without the wrapper that adds a process. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export function findAnvil(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`
  for (const modules of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const file = join(modules, name, 'bin', 'anvil')
    if (existsSync(file)) return file
  }
  throw new Error(`anvil cannot be started here: the npm package ${name} is not installed; run npm install`)
}
