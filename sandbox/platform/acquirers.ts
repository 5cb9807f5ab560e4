/** Provides the sandbox's acquirers, and the settings file that lists them. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../bank/index.ts'
import { amountOf, priceList } from '../bank/terms.ts'

/** Accounts with the bank: the first is used, the second when the first fails. */
const accountNames = ['bank', 'bank-reserve'] as const

/** Returns the accounts with their secrets, which are created once and stored. */
export function bankAccounts(keysFolder: string): Account[] {
  return accountNames.map((name) => {
    const file = secretFile(keysFolder, name)
    if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
    return { name, secret: readFileSync(file, 'utf8').trim() }
  })
}

/**
 * Writes `BURSAR_ACQUIRERS_FILE`, with the bank's limits. @param others accounts that get orders before the bank's
 * @returns its path
 */
export function writeAcquirersFile(
  dir: string,
  keysFolder: string,
  bankUrl: string,
  others: readonly object[] = [],
): string {
  const limits = (direction: 'payIn' | 'payout') =>
    Object.fromEntries(
      Object.entries(priceList[direction]).map(([currency, { limits }]) => [
        currency,
        { least: amountOf(limits.least), most: amountOf(limits.most) },
      ]),
    )
  const accounts = accountNames.map((name) => ({
    name,
    kind: 'bank',
    url: bankUrl,
    account: name,
    secretFile: secretFile(keysFolder, name),
    payIn: limits('payIn'),
    payout: limits('payout'),
    timeoutMs: 5_000,
  }))
  const file = join(dir, 'settings', 'acquirers.json')
  writeFileSync(file, `${JSON.stringify({ accounts: [...others, ...accounts] }, null, 2)}\n`, { mode: 0o600 })
  return file
}

function secretFile(keysFolder: string, name: string): string {
  return join(keysFolder, `acquirer-${name}`)
}
