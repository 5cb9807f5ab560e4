/** The statement of an account, oldest line first, in pages, and the bank's own transfers. */
import { BankRefusal, newId } from './context.ts'
import type { Context } from './context.ts'
import type { Line } from './rows.ts'
import { currencies } from './terms.ts'
import type { Currency } from './terms.ts'
import { lineView } from './view.ts'

const pageLength = 500

/** Returns lines with from <= at < to, after the line `after` if it is given. `next` is present when more follow. */
export function statementPage(context: Context, account: string, query: Readonly<Record<string, string>>): object {
  const [from, to] = [timeOf(query, 'from'), timeOf(query, 'to')]
  const lines = context.book.lines(account).filter(({ at }) => at >= from && at < to)
  const start = query['after'] === undefined ? 0 : lines.findIndex(({ id }) => id === query['after']) + 1
  if (query['after'] !== undefined && start === 0)
    throw new BankRefusal(422, 'after', 'after: no line of this statement')
  const page = lines.slice(start, start + pageLength)
  const isMore = lines.length > start + pageLength
  return { lines: page.map(lineView), ...(isMore ? { next: page.at(-1)?.id } : {}) }
}

/** The amount that the bank owes the account, in minor units; negative if the account owes the bank. */
function balanceOf(context: Context, account: string, currency: Currency): bigint {
  const lines = context.book.lines(account).filter((line) => line.currency === currency)
  return lines.reduce((sum, { units, fee }) => sum + BigInt(units) - BigInt(fee), 0n)
}

/** Transfers the amount that the bank owes to the merchant's bank account. */
export function settle(context: Context, account: string): Line[] {
  const made = currencies.flatMap((currency): Line[] => {
    const units = balanceOf(context, account, currency)
    if (units <= 0n) return []
    return [
      {
        kind: 'line',
        id: newId(),
        account,
        type: 'settlement',
        currency,
        units: (-units).toString(),
        fee: '0',
        at: context.now(),
      },
    ]
  })
  context.book.rows.put(...made)
  return made
}

function timeOf(query: Readonly<Record<string, string>>, name: string): number {
  const text = query[name] ?? ''
  if (/^\d{1,16}$/.test(text)) return Number(text)
  throw new BankRefusal(422, name, `${name}: send ms since 1970`)
}
