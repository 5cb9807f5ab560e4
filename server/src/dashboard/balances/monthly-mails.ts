import type { Catalogue } from '../../market/assets/index.ts'
import { mailboxes, type Mailbox } from '../../merchants/accounts/index.ts'
import { queueMails, type Queued } from '../../merchants/mail/index.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { BALANCES } from './deps.ts'
import { endedMonths, type Month } from './months.ts'
import { readStatement } from './statement.ts'

const EVERY_MS = 60_000
const DAY_MS = 86_400_000
/** A month that ended longer ago is not mailed: its merchant has set the mails up later. */
const LONGEST_MS = 3 * DAY_MS

export interface MonthlyMailsDeps {
  runtime: Runtime
  catalogue: Catalogue
  publicUrl: string
}

/**
 * Creates the job that mails merchants that want it the balances of a month, once, within three days of its end. The
 * mails of one merchant and month are about the same object, so that workers at once queue one.
 */
export const createMonthlyMailsJob = (deps: MonthlyMailsDeps): Job => {
  const { runtime } = deps
  /** what this process need not look at again, as `MONTH MERCHANT` */
  const done = new Set<string>()
  return {
    name: 'monthly mails',
    everyMs: EVERY_MS,
    run: async () => {
      const now = runtime.clock.business()
      const month = endedMonths(now)[0]!
      if (now - month.to.getTime() > LONGEST_MS) {
        done.clear()
        return false
      }
      const nameOf = ({ merchantId }: Mailbox): string => `${month.name} ${merchantId}`
      const wanting = (await mailboxes(runtime.db, null)).filter(({ settings }) => settings.monthlyMails)
      for (const mailbox of wanting.filter((one) => !done.has(nameOf(one))))
        if (!AGAIN.has(await mailMonth(deps, mailbox, month))) done.add(nameOf(mailbox))
      return false
    },
  }
}

/** Outcomes after which a later run tries again. */
const AGAIN: ReadonlySet<Queued> = new Set(['off', 'limited'])

const mailMonth = async (
  { runtime, catalogue, publicUrl }: MonthlyMailsDeps,
  { merchantId, email, name, settings }: Mailbox,
  month: Month,
): Promise<Queued> => {
  const data = {
    merchant: name,
    month: month.name,
    balances: await balancesIn(runtime.db, catalogue, merchantId, month),
    pageUrl: `${publicUrl}/app/merchants/${merchantId}/${BALANCES}`,
  }
  const mail = { kind: 'month-ended' as const, merchantId, about: month.name, to: email, data }
  const outcomes = await inTransaction(runtime.db, (tx) =>
    queueMails(tx, [{ ...mail, language: settings.mailLanguage }], momentOf(runtime)),
  )
  return outcomes[0]!
}

/** The balances of a month, without those that were 0 at its beginning and at its end. */
const balancesIn = async (
  db: Db,
  catalogue: Catalogue,
  merchantId: string,
  { from, to }: Month,
): Promise<{ ticker: string; opening: string; closing: string }[]> => {
  const balances: { ticker: string; opening: string; closing: string }[] = []
  for (const { ticker, scale } of [...catalogue.crypto, ...catalogue.fiat]) {
    const before = async (timeTo: Date): Promise<bigint> =>
      (await readStatement(db, { merchantId, ticker }, { timeFrom: null, timeTo }, undefined, 1)).closing!
    const [opening, closing] = [await before(from), await before(to)]
    if (opening !== 0n || closing !== 0n)
      balances.push({ ticker, opening: formatUnits(opening, scale), closing: formatUnits(closing, scale) })
  }
  return balances
}
