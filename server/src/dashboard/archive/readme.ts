import type { Manifest } from './manifest.ts'
import type { Subject } from './subject.ts'

/** The text that explains an archive to its reader. */
export const readmeOf = (
  { merchant, merchantId, asOf }: Omit<Manifest, 'files'>,
  subjects: readonly Pick<Subject, 'name' | 'about'>[],
): string => `Archive of ${merchant.replaceAll(/\p{Cc}/gu, ' ')} (${merchantId}), begun at ${asOf}.

Each table is in two files with the same rows: NAME.csv for spreadsheets (UTF-8, commas, a line of columns,
times in ISO 8601 in UTC) and NAME.jsonl for programs (one JSON object in a line, with all members, times in
milliseconds since 1970). A long table continues in NAME-2, NAME-3 and so on. Amounts are exact decimals.
A text that a spreadsheet would run as a formula begins with an apostrophe in the CSV.

balances and entries are of one moment: the balance of an asset is the balance after its newest entry, and
the sum of all its entries. The other tables have the rows that were created before ${asOf}, each in the state
in which it was when it was read, while the archive was made. Notifications that the operator has moved to
files of its own are not in the archive.

manifest.json has the number of rows, the length and the SHA-256 of each file.
"bursar export verify FILE.zip" checks them, and that the entries add up to the balances.

${subjects.map(({ name, about }) => `${name.padEnd(24)} ${about}`).join('\n')}
`
