/** Losses of a database machine or of its network. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CLIENTS, MACHINES, type Machine, type Machines } from './machines.ts'

/** Longer than the time in which Patroni promotes another machine. */
const CUT_MS = 40_000

const others = (machine: Machine): Machine[] => MACHINES.filter(({ name }) => name !== machine.name)

type Fault = (machines: Machines, leader: Machine, standby: Machine) => Promise<void> | void

/** What happens to the leader. Each ends with all machines running. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'kill -9 of the server of the primary': (machines, leader) => machines.killServer(leader),
  'kill -9 of the machine of the primary': async (machines, leader) => {
    machines.kill(leader)
    await sleep(CUT_MS)
    machines.start(leader)
  },
  'the primary is cut off': async (machines, leader) => {
    machines.cut(leader)
    await sleep(CUT_MS)
    machines.mend(leader)
  },
  'the machine of the primary stands still': async (machines, leader) => {
    machines.freeze(leader)
    await sleep(CUT_MS)
    machines.thaw(leader)
  },
  'kill -9 of the machine of the synchronous standby': async (machines, _leader, standby) => {
    machines.kill(standby)
    await sleep(CUT_MS / 2)
    machines.start(standby)
  },
  // Its own member of etcd goes on to hear the others, and is not heard.
  'packets of the primary to etcd are lost': async (machines, leader) => {
    const mend = machines.lose(
      leader,
      others(leader).flatMap(({ address: to }) =>
        (['sport', 'dport'] as const).map((side) => ({ to, ports: { side, range: '2379-2380' } })),
      ),
    )
    await sleep(CUT_MS)
    mend()
  },
  'packets of the primary to its synchronous standby are lost': async (machines, leader, standby) => {
    const mend = machines.lose(leader, [{ to: standby.address }])
    await sleep(CUT_MS)
    mend()
  },
  'packets of the clients to the primary are lost': async (machines, leader) => {
    const mend = machines.loseToIt(leader)
    await sleep(CUT_MS)
    mend()
  },
  // Orders are committed, and their answers do not arrive.
  'answers of the primary to the clients are lost': async (machines, leader) => {
    const mend = machines.lose(leader, [{ to: CLIENTS, ports: { side: 'sport', range: '5432' } }])
    await sleep(CUT_MS)
    mend()
  },
  'patronictl switchover': (machines, leader, standby) => machines.switchover(leader, standby),
}

/**
 * Faults that lose nothing with quorum commit and no watchdog, which the kernel of a test may lack: the earlier primary
 * has ended.
 */
export const QUORUM_FAULTS: readonly string[] = [
  'kill -9 of the server of the primary',
  'kill -9 of the machine of the primary',
  'kill -9 of the machine of the synchronous standby',
  'patronictl switchover',
]
