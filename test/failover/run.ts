/**
 * The whole sandbox on a database of three machines under Patroni, which loses its primary in several ways while
 * orders and deposits come.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { check, startOf } from '../crash/run/checking.ts'
import { createLoad, NETWORKS } from '../crash/run/load.ts'
import { makeOwnedFolder } from '../setup/scratch.ts'
import { startSandbox, type Sandbox } from '../system/sandbox.ts'
import type { Role } from '../system/connected.ts'
import { compare, startFlood, type Compared } from './flood.ts'
import { FAULTS } from './faults.ts'
import { startMachines } from './machines.ts'
import { debianRoot } from './root.ts'

const CALM_MS = 5_000
const ROLES: readonly Role[] = ['api', 'worker', 'watcher', 'signer']

export interface Result extends Compared {
  /** the longest time in which no order was answered, for each fault, ms */
  gaps: Record<string, number>
  /** the leader before and after each fault */
  leaders: Record<string, string>
  /** faults of deposits, withdrawals, notifications, balances or books */
  wrong: string[]
  /** connections to etcd and Patroni that were answered without their certificate */
  open: string[]
  /** how often a process ended by itself and was started again, as systemd does */
  restarts: number
}

/** Starts a role again that has ended, as its service manager does. */
const superviseRoles = (sandbox: Sandbox): { count(): number; stop(): Promise<void> } => {
  let restarts = 0
  let isOver = false
  const isGone = (role: Role): boolean => {
    try {
      return !process.kill(sandbox.pid(role), 0)
    } catch {
      return true
    }
  }
  const watching = (async () => {
    for (; !isOver; await sleep(500)) {
      for (const role of ROLES) {
        if (!isGone(role)) continue
        restarts += 1
        await sandbox.start(role).catch(() => {})
      }
    }
  })()
  return {
    count: () => restarts,
    stop: () => {
      isOver = true
      return watching
    },
  }
}

export const runFailovers = async (
  names: readonly string[] = Object.keys(FAULTS),
  { log = () => {}, isQuorum = false }: { log?: (line: string) => void; isQuorum?: boolean } = {},
): Promise<Result> => {
  const dir = makeOwnedFolder('failover')
  const machines = await startMachines(debianRoot(), dir, { isQuorum })
  let sandbox: Sandbox | undefined
  try {
    const [first] = await machines.healthy()
    await withClient(machines.urlOf(first).replace('/bursar?', '/postgres?'), (client) =>
      client.query('create database bursar'),
    )
    const open = await machines.open()
    log(`${first.name} leads`)
    sandbox = await startSandbox({ DATABASE_URL: machines.url })
    const roles = superviseRoles(sandbox)
    for (const merchant of sandbox.merchants)
      for (const [ticker, amount] of [
        ['BTC', '5'],
        ['USDT', '100000'],
        ['USDC', '100000'],
      ] as const)
        await sandbox.credit(merchant, ticker, amount)
    const load = createLoad(sandbox)
    const start = await startOf(sandbox, 0)
    const flood = await startFlood(sandbox)
    await flood.next()
    const gaps: Result['gaps'] = {}
    const leaders: Result['leaders'] = {}
    for (const name of names) {
      const [leader, standby] = await machines.healthy()
      for (const network of NETWORKS) {
        await load.withdraw(network)
        load.deposit(network)
      }
      await sleep(CALM_MS)
      flood.takeGap()
      const before = flood.answered.length
      await FAULTS[name]!(machines, leader, standby)
      await flood.next()
      const [next] = await machines.healthy()
      gaps[name] = Math.round(flood.takeGap())
      leaders[name] = `${leader.name} -> ${next.name}`
      log(`${name}: ${leaders[name]}, ${gaps[name]} ms without an answer, ${flood.answered.length - before} answers`)
    }
    await flood.stop()
    const wrong = await check(sandbox, load, start)
    const compared = await compare(sandbox, flood)
    await roles.stop()
    return { ...compared, gaps, leaders, wrong, open, restarts: roles.count() }
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${machines.logs()}`, { cause: error })
  } finally {
    await sandbox?.stop()
    machines.stop()
  }
}
