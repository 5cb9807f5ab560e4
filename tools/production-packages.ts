/**
 * Counts the packages that a production installation runs: those of package-lock.json without development packages,
 * our own workspaces, and optional ones, which only the sandbox and the tests start (PostgreSQL, nodes of chains,
 * Node). `node tools/production-packages.ts` prints them.
 */
import { readFileSync } from 'node:fs'

interface LockedPackage {
  version?: string
  dev?: true
  devOptional?: true
  optional?: true
  peer?: true
  link?: true
}

/** @returns `NAME VERSION`, sorted; the same package in two versions counts twice */
export const productionPackages = (lock: string): string[] => {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> }
  const installed = Object.entries(packages).filter(
    ([path, { dev, devOptional, optional, peer, link }]) =>
      path.includes('node_modules/') && !dev && !devOptional && !optional && !peer && !link,
  )
  const named = installed.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`)
  return [...new Set(named)].toSorted()
}

export const readLock = (): string => readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')

if (import.meta.main) {
  const packages = productionPackages(readLock())
  console.log([...packages, `${packages.length} packages`].join('\n'))
}
