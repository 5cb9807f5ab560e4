/** The acquirers of a simulated installation: two accounts, each with an interface that the seed draws. */
import { mkdirSync } from 'node:fs'
import type { AccountOptions, Payment, Payout, SimulatedAccount } from './account.ts'
import { startBank } from './bank.ts'
import { startEmulated } from './emulated.ts'
import { ACCOUNTS, drawInterfaces } from './interfaces.ts'

export type { Payment, Payout, SimulatedAccount } from './account.ts'

export interface Acquirers {
  /** in the order of preference */
  readonly accounts: readonly SimulatedAccount[]
  payments(): Payment[]
  payouts(): Payout[]
  accountOf(order: Pick<Payment, 'account'>): SimulatedAccount
  stop(): Promise<void>
}

export const startAcquirers = async ({ random, ...options }: Omit<AccountOptions, 'name'>): Promise<Acquirers> => {
  mkdirSync(options.dir, { recursive: true })
  const interfaces = drawInterfaces(random.of('interfaces'))
  const accounts: SimulatedAccount[] = []
  for (const [at, name] of ACCOUNTS.entries()) {
    const { emulated, ...rest } = interfaces[at]!
    const own = { ...options, name, random: random.of(name) }
    accounts.push(emulated === undefined ? await startBank(own) : await startEmulated({ ...rest, emulated }, own))
  }
  return {
    accounts,
    payments: () => accounts.flatMap((one) => one.payments()),
    payouts: () => accounts.flatMap((one) => one.payouts()),
    accountOf: ({ account }) => accounts.find(({ name }) => name === account)!,
    stop: async () => {
      for (const one of accounts) await one.stop()
    },
  }
}
