/** Sums over the whole database: for tests and the simulation, whose databases are small. */
import { sql } from 'kysely'
import { auditLedger } from '../../ledger/postings/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Violation } from './invariant.ts'

/** Names of the checks that only `checkInvariants` makes. */
export const WHOLE = {
  'accounts-add-up': 'The balances of all accounts add up to zero for each asset.',
  'entries-add-up':
    'Each balance is the sum of its entries, each history has no gap, and held amounts are the open holds.',
  'records-are-books':
    'The recorded balances of our addresses add up to the account custody of the ledger and the amounts that are posted once they are final.',
} as const

export const findInBooks = async (db: Db): Promise<Violation[]> => {
  const { rows: sums } = await sql<{
    asset: string
    units: bigint
  }>`select asset, sum(posted) as units from ledger_accounts
    group by asset having sum(posted) <> 0 order by asset`.execute(db)
  const { rows: records } = await sql<{
    network: string
    asset: string
    booked: bigint
    recorded: bigint
  }>`with books as (select network, asset, sum(units) as units from (
        select substr(kind, 9) as network, asset, -posted as units from ledger_accounts where kind like 'custody:%'
        union all select network, asset, units from deposits where state = 'pending' and block_height is not null and not internal and index not like 's:%'
        union all select network, asset, units from fundings where not booked) x group by 1, 2),
      records as (select network, asset, sum(booked) as units from custody_addresses group by 1, 2)
    select network, asset, coalesce(b.units, 0) as booked, coalesce(r.units, 0) as recorded from books b full join records r using (network, asset)
    where coalesce(b.units, 0) <> coalesce(r.units, 0) order by 1, 2`.execute(db)
  return [
    ...sums.map(({ asset, units }) => ({
      invariant: 'accounts-add-up',
      asset,
      merchantId: null,
      subject: asset,
      text: `its accounts add up to ${units}`,
    })),
    ...(await auditLedger(db)).map(({ check, subject, detail }) => ({
      invariant: 'entries-add-up',
      asset: null,
      merchantId: null,
      subject: `${check} ${subject}`,
      text: detail,
    })),
    ...records.map(({ network, asset, booked, recorded }) => ({
      invariant: 'records-are-books',
      asset,
      merchantId: null,
      subject: `${asset} on ${network}`,
      text: `the books have ${booked}, the records of addresses ${recorded}`,
    })),
  ]
}
