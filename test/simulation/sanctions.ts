/**
 * The sanctions list of the simulation: a file of addresses (the form of a published derivative,
 * server/src/risk/screening/list-file.ts), which an operator imports each time that it has grown.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operate } from './installation/commands.ts'
import type { VirtualClock } from './virtual.ts'

export interface Sanctions {
  /** Adds addresses, and imports the list. */
  add(addresses: readonly string[]): Promise<void>
  /** whether the list in force has an address */
  has(address: string): boolean
}

/** @param dir an empty folder of this run */
export const createSanctions = (dir: string, clock: Pick<VirtualClock, 'world'>, operate: Operate): Sanctions => {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'sanctioned_addresses_ETH.txt')
  const listed: string[] = []
  return {
    add: async (addresses) => {
      writeFileSync(file, [...listed, ...addresses].join('\n'))
      const date = new Date(clock.world()).toISOString().slice(0, 10)
      const imported = await operate('screening import', '--date', date, file)
      if ('failure' in imported) throw new Error(`screening import: ${imported.failure}`)
      listed.push(...addresses)
    },
    has: (address) => listed.some((one) => one.toLowerCase() === address.toLowerCase()),
  }
}
