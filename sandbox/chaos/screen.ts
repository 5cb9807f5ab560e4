/** The output of a chaos run: a live line, a line for each step, and the verdict, all within 100 columns. */
import { ORDER_KINDS, total } from './orders.ts'
import type { Chaos, ChaosOptions, Order } from './orders.ts'
import type { Comparison } from './comparing.ts'
import type { Reconciled } from './reconciling.ts'

export interface Screen {
  say(line: string): void
  /** The process that was killed or stopped, in a few words. */
  did(what: string): void
  /** Shows the counts: on a terminal always in the same line, else once in a while. */
  counts(chaos: Chaos, waiting: number): void
}

const WITHOUT_TERMINAL_EVERY_MS = 10_000
const CLEAR_LINE = '\r\u001b[K'

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

export function openScreen({ seed }: ChaosOptions): Screen {
  const began = performance.now()
  const { isTTY } = process.stdout
  let last = ''
  let shownAt = -WITHOUT_TERMINAL_EVERY_MS
  let isLive = false
  const time = (): string => {
    const seconds = Math.floor((performance.now() - began) / 1_000)
    return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`
  }
  const say = (line: string): void => {
    process.stdout.write(`${isLive ? CLEAR_LINE : ''}${time()}  ${line}\n`)
    isLive = false
  }
  say(`chaos with seed ${seed}`)
  return {
    say,
    did: (what) => void (last = what),
    counts: ({ orders, tally }, waiting) => {
      const ended = orders.filter(({ state }) => state !== 'asked').length - waiting
      const counted = `${orders.length} asked, ${ended} ended, ${waiting} waiting; ${plural(total(tally.kills), 'kill')}`
      const line = last === '' ? counted : `${counted}; ${last}`
      if (isTTY) {
        process.stdout.write(`${CLEAR_LINE}${time()}  ${line}`)
        isLive = true
      } else if (performance.now() - shownAt >= WITHOUT_TERMINAL_EVERY_MS) {
        say(line)
        shownAt = performance.now()
      }
    },
  }
}

const row = ([name, ...numbers]: readonly [string, ...(string | number)[]]): string =>
  `  ${name.padEnd(24)}${numbers.map((number) => String(number).padStart(11)).join('')}`

/** Prints the table, the comparisons and the verdict. @returns whether nothing is lost, double or different */
export function verdict(
  screen: Screen,
  { orders, tally }: Chaos,
  found: Comparison & { readonly received: number; readonly repeated: number; readonly books: Reconciled },
): boolean {
  screen.say('done')
  const say = (line: string): void => console.log(line)
  const byRole = Object.entries(tally.kills).map(([role, count]) => `${role} ${count}`)
  say('')
  say(
    `  ${plural(total(tally.kills), 'kill -9', 'kill -9')}: ${byRole.join(', ')}; paused for a while: ${tally.pauses}`,
  )
  say(`  ${plural(tally.noAnswer, 'call')} got no answer: they were repeated, or their orders were found by localId`)
  say('')
  say(row(['asked for', 'orders', 'accepted', 'refused', 'not placed']))
  for (const kind of ORDER_KINDS) {
    const of = orders.filter((one) => one.kind === kind)
    const states = (state: Order['state']): number => of.filter((one) => one.state === state).length
    say(row([kind, of.length, states('accepted'), states('refused'), states('not placed')]))
  }
  say('')
  say(
    `  webhooks   ${plural(found.notifications, 'notification')}, ${found.received} received and verified; ${found.repeated} came again`,
  )
  say(`  balances   ${found.balances} of the two merchants compared with the outcomes of their orders`)
  say(`  books      ${plural(found.books.addresses, 'address', 'addresses')} compared with the chains`)
  const problems = [...found.problems, ...found.books.problems]
  for (const [reason, ones] of Map.groupBy(
    orders.filter(({ state }) => state === 'refused'),
    ({ reason }) => reason,
  ))
    say(`  refused    ${ones.length} x ${reason}`)
  for (const line of found.failed) say(`  failed     ${line}`)
  for (const line of problems) say(`  PROBLEM    ${line}`)
  say('')
  const operations = plural(orders.length, 'order')
  if (problems.length > 0) say(`${plural(problems.length, 'problem')} in ${operations}: the ids are above`)
  else say(`Nothing lost, nothing double: ${operations}, ${plural(total(tally.kills), 'kill')}.`)
  return problems.length === 0
}
