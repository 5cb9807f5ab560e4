/**
 * Everything that a merchant owns, as one file. Guarantees:
 * - balances and entries are of one moment, and the entries add up to the balances;
 * - the rows are read by the readers of the API's lists, page by page: no transaction stays open while they are sent;
 * - no secret is in it, and no cell of a CSV is a formula;
 * - the file states the rows and the SHA-256 of each of its parts, and `verifyArchive` checks them.
 */
export { archivePages } from './page.ts'
export { archiveOf } from './archive.ts'
export { verifyArchive } from './verifying.ts'
