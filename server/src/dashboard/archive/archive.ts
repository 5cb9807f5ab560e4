import { createHash } from 'node:crypto'
import { accountsOf } from '../../ledger/postings/index.ts'
import { profileOf } from '../../merchants/accounts/index.ts'
import { lastSequence } from '../../merchants/webhooks/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { csvLine, csvText } from '../../platform/lists/csv.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { zipOf, type FileToZip } from '../../platform/zip/writing.ts'
import { controlSubjects } from './control.ts'
import { FORMAT, type FileLine, type Manifest } from './manifest.ts'
import { ledgerSubjects, orderSubjects } from './orders.ts'
import { readmeOf } from './readme.ts'
import { balanceSubject, moneySubjects, notificationSubject, ownSubjects, type RecordDeps } from './records.ts'
import type { ArchiveRow, Subject } from './subject.ts'

export interface ArchiveDeps extends RecordDeps {
  clock: Clock
  /** the lists of the API */
  lists: readonly Route[]
}

/** Rows and bytes of a CSV after which its subject goes on in further files: an archive in the making holds one CSV. */
export interface PartSize {
  rows: number
  bytes: number
}
const PART: PartSize = { rows: 50_000, bytes: 16_000_000 }

/**
 * Everything that a merchant owns, as a ZIP file in pieces (docs/integrating/export.md). Every page of rows is read in
 * statements of its own, when the receiver takes it: no transaction stays open, and the memory does not depend on the
 * number of rows. Throws a RangeError, before the first piece, when there is no such merchant.
 */
export async function* archiveOf(deps: ArchiveDeps, merchantId: string, part = PART): AsyncGenerator<Buffer> {
  const { db, clock } = deps
  const profile = await profileOf(db, merchantId)
  if (!profile) throw new RangeError(`no merchant has the id ${merchantId}`)
  const [asOf, real] = [new Date(clock.business()), new Date(clock.now())]
  // One statement: these balances and versions are of one moment, and bound the entries.
  const accounts = await accountsOf(db, merchantId, ['merchant', 'quarantine', 'receivable'])
  const upTo = await lastSequence(db, merchantId)
  const versions = accounts.filter(({ kind }) => kind === 'merchant')
  const subjects = [
    ...ownSubjects(deps, merchantId, real),
    balanceSubject(deps, accounts),
    ...ledgerSubjects(deps.lists, merchantId, versions),
    ...orderSubjects(deps.lists, merchantId, asOf),
    ...moneySubjects(deps, merchantId, asOf),
    ...controlSubjects(deps, merchantId, { asOf, real }),
    notificationSubject(deps, merchantId, upTo),
  ]
  const manifest = { ...FORMAT, merchantId, merchant: profile.name, asOf: asOf.toISOString() }
  yield* zipOf(filesOf(subjects, manifest, part), real)
}

async function* filesOf(
  subjects: readonly Subject[],
  head: Omit<Manifest, 'files'>,
  part: PartSize,
): AsyncGenerator<FileToZip> {
  yield { name: 'README.txt', content: [readmeOf(head, subjects)] }
  const files: FileLine[] = []
  for (const subject of subjects) yield* partsOf(subject, part, files)
  yield { name: 'manifest.json', content: [`${JSON.stringify({ ...head, files }, null, 2)}\n`] }
}

/** The files of a subject: of each row, the JSON and the line of the CSV are made of one reading. */
async function* partsOf(subject: Subject, most: PartSize, files: FileLine[]): AsyncGenerator<FileToZip> {
  const { name, columns, pages } = subject
  const iterator = pages[Symbol.asyncIterator]()
  let ahead = await iterator.next()
  for (let number = 1; number === 1 || !ahead.done; number += 1) {
    const base = number === 1 ? name : `${name}-${number}`
    const csv = [csvLine(columns)]
    let [rows, bytes] = [0, 0]
    const lines = async function* lines(): AsyncGenerator<string> {
      while (!ahead.done && rows < most.rows && bytes < most.bytes) {
        const page: readonly ArchiveRow[] = ahead.value
        const text = page.map((row) => csvLine(columns.map((column) => csvText(row, column)))).join('')
        csv.push(text)
        rows += page.length
        bytes += text.length
        yield page.map((row) => `${JSON.stringify(row)}\n`).join('')
        ahead = await iterator.next()
      }
    }
    yield summed(`${base}.jsonl`, lines(), () => rows, files)
    yield summed(`${base}.csv`, csv, () => rows, files)
  }
}

/** The file, which is added to the list of files when it has been read to its end. */
const summed = (name: string, content: FileToZip['content'], rowsOf: () => number, files: FileLine[]): FileToZip => {
  async function* read(): AsyncGenerator<string> {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const text of content) {
      hash.update(text)
      bytes += Buffer.byteLength(text)
      yield text
    }
    files.push({ name, rows: rowsOf(), bytes, sha256: hash.digest('hex') })
  }
  return { name, content: read() }
}
