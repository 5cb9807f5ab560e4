/**
 * Packets that are lost in one direction, by routes: those that match a rule go to a neighbour that does not exist. The
 * sender sees no error, and what comes the other way arrives.
 */
import { execFileSync, spawnSync } from 'node:child_process'

const TABLE = '4242'
const PRIORITY = '10'
/** No machine has these. */
const NEIGHBOUR = '10.88.0.99'
const HARDWARE = '02:00:00:00:00:99'

/** A network that the test made, or that of this machine. */
interface Sender {
  /** undefined: that of this machine */
  namespace?: string
  device: string
}

/** Packets to an address, and by TCP from or to some ports. */
export interface Lost {
  to: string
  ports?: { side: 'sport' | 'dport'; range: string }
}

const ip = (sender: Sender, args: readonly string[]): string[] => [
  ...(sender.namespace === undefined ? [] : ['-n', sender.namespace]),
  ...args,
]

const ruleOf = ({ to, ports }: Lost): string[] => [
  'priority',
  PRIORITY,
  'to',
  to,
  ...(ports === undefined ? [] : ['ipproto', 'tcp', ports.side, ports.range]),
  'lookup',
  TABLE,
]

/** Loses packets of a sender until the returned function is called. */
export const loseOneWay = (sender: Sender, lost: readonly Lost[]): (() => void) => {
  const run = (...args: string[]): void =>
    void execFileSync('ip', ip(sender, args), { stdio: ['ignore', 'ignore', 'pipe'] })
  run('neigh', 'replace', NEIGHBOUR, 'lladdr', HARDWARE, 'dev', sender.device, 'nud', 'permanent')
  run('route', 'replace', 'default', 'via', NEIGHBOUR, 'dev', sender.device, 'table', TABLE)
  for (const one of lost) run('rule', 'add', ...ruleOf(one))
  return () => {
    for (const one of lost) spawnSync('ip', ip(sender, ['rule', 'del', ...ruleOf(one)]))
    spawnSync('ip', ip(sender, ['route', 'flush', 'table', TABLE]))
    spawnSync('ip', ip(sender, ['neigh', 'del', NEIGHBOUR, 'dev', sender.device]))
  }
}
