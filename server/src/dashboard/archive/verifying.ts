import { createHash } from 'node:crypto'
import { openZip, type OpenZip } from '../../platform/zip/reading.ts'
import type { ZipEntry } from '../../platform/zip/records.ts'
import { unitsOf } from './amounts.ts'
import { readManifest, type FileLine } from './manifest.ts'

/** A verified archive. */
export interface Verified {
  merchantId: string
  merchant: string
  asOf: string
  files: number
  /** of all JSON Lines files */
  rows: number
  balances: readonly { ticker: string; balance: string; entries: number }[]
  /** what is wrong, one sentence each; empty: the archive is complete and consistent */
  problems: readonly string[]
}

/**
 * Checks an archive: that its files are those of the manifest, with their lengths, rows and SHA-256, and that the
 * entries of each asset have no gap and add up to its balance. Throws ZipDamaged for a file that can't be read.
 */
export const verifyArchive = async (path: string): Promise<Verified> => {
  const zip = await openZip(path)
  try {
    return await verify(zip)
  } finally {
    await zip.close()
  }
}

const MANIFEST = 'manifest.json'
const MOST_MANIFEST_BYTES = 100_000_000

const verify = async (zip: OpenZip): Promise<Verified> => {
  const listed = zip.entries.find(({ name }) => name === MANIFEST)
  if (!listed || listed.size > MOST_MANIFEST_BYTES) throw new Error(`the file has no ${MANIFEST}: it is no archive`)
  const parts: Buffer[] = []
  for await (const part of zip.read(listed)) parts.push(part)
  const manifest = readManifest(Buffer.concat(parts).toString('utf8'))
  if (!manifest) throw new Error(`${MANIFEST} is not of an archive of this version of Bursar`)
  const problems: string[] = []
  const books = createBooks(problems)
  const expected = new Map(manifest.files.map((file) => [file.name, file]))
  for (const entry of zip.entries) {
    if (entry.name === MANIFEST || entry.name === 'README.txt') continue
    const file = expected.get(entry.name)
    if (!file) problems.push(`${entry.name} is not in ${MANIFEST}`)
    else if (!expected.delete(entry.name)) continue
    else problems.push(...(await problemsOf(zip, entry, file, books)))
  }
  for (const name of expected.keys()) problems.push(`${name} is missing, or there twice`)
  return {
    merchantId: manifest.merchantId,
    merchant: manifest.merchant,
    asOf: manifest.asOf,
    files: manifest.files.length,
    rows: manifest.files.reduce((sum, { name, rows }) => sum + (name.endsWith('.jsonl') ? rows : 0), 0),
    balances: books.close(),
    problems,
  }
}

const problemsOf = async (zip: OpenZip, entry: ZipEntry, file: FileLine, books: Books): Promise<string[]> => {
  const { name } = file
  const isJson = name.endsWith('.jsonl')
  const take = books.readerOf(name)
  const hash = createHash('sha256')
  const decoder = new TextDecoder()
  let [bytes, rows, rest] = [0, 0, '']
  for await (const part of zip.read(entry)) {
    hash.update(part)
    bytes += part.length
    if (!isJson) continue
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop()!
    rows += lines.length
    if (take) for (const line of lines) take(JSON.parse(line) as Record<string, unknown>)
  }
  return [
    ...(bytes === file.bytes ? [] : [`${name} has ${bytes} bytes, not ${file.bytes}`]),
    ...(hash.digest('hex') === file.sha256 ? [] : [`${name} differs from its SHA-256`]),
    ...(!isJson || rows === file.rows ? [] : [`${name} has ${rows} rows, not ${file.rows}`]),
  ]
}

type Take = (row: Record<string, unknown>) => void

interface Books {
  /** takes the rows of a file; undefined for a file without amounts of balances */
  readerOf(file: string): Take | undefined
  /** Adds what does not add up to the problems. @returns the balances that the archive states */
  close(): Verified['balances']
}

interface Account {
  entries: number
  sum: bigint
  heldSum: bigint
  /** of the newest entry */
  newest: { balance: bigint; held: bigint }
  /** the balance that the next older entry must have */
  before: { balance: bigint; held: bigint }
  hasGap: boolean
}

const createBooks = (problems: string[]): Books => {
  const stated = new Map<string, { balance: string; held: string; entries: number }>()
  const accounts = new Map<string, Account>()
  const statements = new Map<string, { lines: bigint; closing: bigint | null }>()
  const takeEntry: Take = (row) => {
    const { ticker } = row as { ticker: string }
    const [balance, held] = [unitsOf(row['balance']), unitsOf(row['held'])]
    const [amount, change] = [unitsOf(row['amount']), unitsOf(row['heldChange'])]
    const before = { balance: balance - amount, held: held - change }
    const account = accounts.get(ticker)
    if (!account) {
      const newest = { balance, held }
      accounts.set(ticker, { entries: 1, sum: amount, heldSum: change, newest, before, hasGap: false })
      return
    }
    account.hasGap ||= account.before.balance !== balance || account.before.held !== held
    account.entries += 1
    account.sum += amount
    account.heldSum += change
    account.before = before
  }
  const takeLine: Take = ({ ticker, line, amount }) => {
    const sums = statements.get(String(ticker)) ?? { lines: 0n, closing: null }
    statements.set(String(ticker), sums)
    if (line === 'closing') sums.closing = unitsOf(amount)
    else sums.lines += unitsOf(amount)
  }
  return {
    readerOf: (file) => {
      if (/^entries(-\d+)?\.jsonl$/.test(file)) return takeEntry
      if (file === 'statement.jsonl') return takeLine
      if (file !== 'balances.jsonl') return undefined
      return ({ ticker, balance, held, entries }) =>
        void stated.set(String(ticker), { balance: String(balance), held: String(held), entries: Number(entries) })
    },
    close: () => {
      for (const [ticker, one] of stated) problems.push(...differences(ticker, one, accounts.get(ticker)))
      for (const [ticker, { balance }] of stated) {
        const found = statements.get(ticker)
        if (found?.lines !== unitsOf(balance) || found.closing !== unitsOf(balance))
          problems.push(`the statement of ${ticker} does not lead to its balance`)
      }
      for (const ticker of accounts.keys())
        if (!stated.has(ticker)) problems.push(`${ticker} has entries, and no balance`)
      return [...stated].map(([ticker, { balance, entries }]) => ({ ticker, balance, entries }))
    },
  }
}

const differences = (
  ticker: string,
  { balance, held, entries }: { balance: string; held: string; entries: number },
  account: Account | undefined,
): string[] => {
  const found = account ?? { entries: 0, sum: 0n, heldSum: 0n, newest: { balance: 0n, held: 0n }, hasGap: false }
  const [units, heldUnits] = [unitsOf(balance), unitsOf(held)]
  return [
    ...(found.entries === entries ? [] : [`${ticker} has ${found.entries} entries, not ${entries}`]),
    ...(found.newest.balance === units && found.newest.held === heldUnits
      ? []
      : [`the newest entry of ${ticker} does not lead to its balance`]),
    ...(found.sum === units && found.heldSum === heldUnits
      ? []
      : [`the entries of ${ticker} do not add up to its balance`]),
    ...(found.hasGap ? [`the entries of ${ticker} have a gap`] : []),
  ]
}
