import { sql } from 'kysely'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import type { Finding } from './audit.ts'
import { entriesOf, GENESIS, link, type ChainEntry } from './chain.ts'

/** Accounts verified in one snapshot. */
const MOST_ACCOUNTS = 200

interface Account {
  id: number
  merchantId: string
  asset: string
  kind: string
  bounded: boolean
  posted: bigint
  held: bigint
  version: number
  verified: number | null
  verifiedHash: Buffer | null
}

/** How far an account's history was verified, and its totals there. */
interface Checkpoint {
  id: number
  version: number
  posted: bigint
  held: bigint
  hash: Buffer
}

/**
 * Checks the ledger: every transfer adds up to zero for each asset, every balance equals the sum of its entries, no
 * account's history has a gap or a hash that differs from its seals, every hold ends as a whole, no bounded account is
 * negative. It continues from the last verified entry of each account, so that its cost depends on new entries only,
 * and reads entries in pages.
 * @param again start at each account's first entry, and compare the entries that were verified before with their hash
 * of that time
 */
export const verifyLedger = async (
  db: Db,
  { again = false }: { again?: boolean } = {},
  now: Date,
): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (let after = 0; ;) {
    const { last, found, checkpoints } = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((tx) => verifyPage(tx, after, again))
    findings.push(...found)
    if (checkpoints.length > 0) await inTransaction(db, (tx) => keep(tx, checkpoints, now))
    if (last === undefined) return findings
    after = last
  }
}

const verifyPage = async (
  tx: Tx,
  after: number,
  again: boolean,
): Promise<{ last: number | undefined; found: Finding[]; checkpoints: Checkpoint[] }> => {
  const { rows } = await sql<Account & { changed: boolean }>`
    select a.id, a.merchant_id as "merchantId", a.asset, a.kind, a.bounded, a.posted, a.held, a.version, c.version as verified, c.hash as "verifiedHash",
      (a.version, a.posted, a.held) is distinct from (c.version, c.posted, c.held) as changed
    from (select * from ledger_accounts where id > ${after} order by id limit ${MOST_ACCOUNTS}) a
    left join ledger_checkpoints c on c.account_id = a.id order by a.id`.execute(tx)
  const found: Finding[] = []
  const checkpoints: Checkpoint[] = []
  for (const account of rows) {
    if (!account.changed && !again) continue
    const { findings, checkpoint } = await verifyAccount(tx, account, again)
    found.push(...findings)
    if (findings.length === 0) checkpoints.push(checkpoint)
  }
  return { last: rows.at(-1)?.id, found, checkpoints }
}

/** State of an account's history while it is read. */
type Running = Omit<Checkpoint, 'id'>

const verifyAccount = async (
  tx: Tx,
  account: Account,
  again: boolean,
): Promise<{ findings: Finding[]; checkpoint: Checkpoint }> => {
  const findings: Finding[] = []
  const find = (check: Finding['check'], detail: string, subject = String(account.id)): void =>
    void findings.push({ check, subject, detail })
  let at = again ? START : await startOf(tx, account)
  const seals = await sealsAfter(tx, account.id, at.version)
  for await (const page of entriesOf(tx, account, at.version, Number.MAX_SAFE_INTEGER)) {
    for (const entry of page) {
      const isNext =
        entry.version === at.version + 1 &&
        entry.postedAfter === at.posted + entry.posted &&
        entry.heldAfter === at.held + entry.held
      if (!isNext) find('account-chain', `history breaks at version ${entry.version}`)
      if (entry.kind === null) find('account-chain', `the entry of version ${entry.version} has no transfer`)
      at = { version: entry.version, posted: entry.postedAfter, held: entry.heldAfter, hash: link(at.hash, entry) }
      const sealed = entry.version === account.verified && again ? account.verifiedHash : seals.get(entry.version)
      if (sealed && !sealed.equals(at.hash))
        find('hash-chain', `entries up to version ${entry.version} are not those that were sealed or verified`)
    }
    for (const { subject, detail } of await unbalancedAmong(tx, page)) find('transfer-balance', detail, subject)
    for (const { version, detail } of await brokenHoldsAmong(tx, account, page))
      find('held', `${detail} at version ${version}`)
  }
  if (at.version !== account.version || at.posted !== account.posted || at.held !== account.held) {
    find(
      'account-balance',
      `account says ${account.posted}/${account.held} at version ${account.version}, entries ${at.posted}/${at.held} at ${at.version}`,
    )
  }
  if (account.bounded && account.posted - account.held < 0n)
    find('negative', `${account.asset} ${account.kind} has ${account.posted} posted, ${account.held} held`)
  return { findings, checkpoint: { id: account.id, ...at } }
}

const START: Running = { version: 0, posted: 0n, held: 0n, hash: GENESIS }

const startOf = async (tx: Tx, { id }: Account): Promise<Running> => {
  const { rows } =
    await sql<Running>`select version, posted, held, hash from ledger_checkpoints where account_id = ${id}`.execute(tx)
  return rows[0] ?? START
}

const sealsAfter = async (tx: Tx, id: number, after: number): Promise<Map<number, Buffer>> => {
  const { rows } = await sql<{
    version: number
    hash: Buffer
  }>`select version, hash from ledger_seals where account_id = ${id} and version > ${after}`.execute(tx)
  return new Map(rows.map(({ version, hash }) => [version, hash]))
}

const unbalancedAmong = async (tx: Tx, page: readonly ChainEntry[]): Promise<{ subject: string; detail: string }[]> => {
  const ids = [...new Set(page.map(({ transferId }) => transferId))]
  const { rows } = await sql<{ subject: string; detail: string }>`
    select e.transfer_id::text as subject, a.asset || ' adds up to ' || sum(e.posted) as detail
    from unnest(${ids}::uuid[]) u(id)
    cross join lateral (select * from ledger_entries where transfer_id = u.id offset 0) e
    cross join lateral (select asset from ledger_accounts where id = e.account_id offset 0) a
    group by e.transfer_id, a.asset having sum(e.posted) <> 0`.execute(tx)
  return rows
}

/**
 * Finds transfers that reduce `held` without ending one hold of the same account as a whole. A hold can end only once
 * (a unique index), so that an account's held amount then equals the sum of its open holds.
 */
const brokenHoldsAmong = async (
  tx: Tx,
  { id }: Account,
  page: readonly ChainEntry[],
): Promise<{ version: number; detail: string }[]> => {
  const ending = page.filter(({ held }) => held < 0n)
  if (ending.length === 0) return []
  const { rows } = await sql<{ transferId: string; held: bigint }>`
    select e.transfer_id as "transferId", sum(e.held) as held from unnest(${[...new Set(ending.flatMap(({ closes }) => closes ?? []))]}::uuid[]) u(id)
    cross join lateral (select * from ledger_entries where transfer_id = u.id and account_id = ${id} offset 0) e
    group by e.transfer_id`.execute(tx)
  const holds = new Map(rows.map(({ transferId, held }) => [transferId, held]))
  return ending.flatMap(({ version, closes, held }) => {
    if (closes === null) return [{ version, detail: `${-held} units end a hold that does not exist` }]
    const of = holds.get(closes) ?? 0n
    return of === -held ? [] : [{ version, detail: `a hold of ${of} ends with ${-held}` }]
  })
}

/** Stores checkpoints, forward only: a concurrent audit may have come further. */
const keep = async (tx: Tx, checkpoints: readonly Checkpoint[], now: Date): Promise<void> => {
  const column = <T>(of: (checkpoint: Checkpoint) => T): T[] => checkpoints.map(of)
  await sql`insert into ledger_checkpoints as c (account_id, version, posted, held, hash, verified_at)
    select u.*, ${now}::timestamptz from unnest(${column(({ id }) => id)}::bigint[], ${column(({ version }) => version)}::bigint[], ${column(({ posted }) => posted.toString())}::numeric[],
      ${column(({ held }) => held.toString())}::numeric[], ${column(({ hash }) => hash)}::bytea[]) u
    on conflict (account_id) do update set version = excluded.version, posted = excluded.posted, held = excluded.held, hash = excluded.hash,
      verified_at = excluded.verified_at where c.version <= excluded.version`.execute(tx)
}
