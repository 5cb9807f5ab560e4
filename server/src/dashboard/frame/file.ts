import type { FileAnswer } from '../../platform/api/page.ts'
import { csvLine } from '../../platform/lists/csv.ts'

/** Lines of a page of a file, and the key behind which the next page begins. */
interface FilePage<Key> {
  lines: readonly (readonly string[])[]
  next: Key | null
}

/**
 * A CSV of any length. It is read page by page, each in statements of its own, so that it takes the same memory however
 * long it is.
 * @param name letters, digits, `-` and `.`
 * @param first the key of the first page
 */
export const csvFile = <Key>(
  { merchantId, name, columns }: { merchantId: string; name: string; columns: readonly string[] },
  first: Key,
  read: (key: Key) => Promise<FilePage<Key>>,
): FileAnswer => ({
  status: 200,
  headers: {},
  merchantId,
  contentType: 'text/csv; charset=utf-8; header=present',
  fileName: name,
  pieces: piecesOf(columns, first, read),
})

async function* piecesOf<Key>(
  columns: readonly string[],
  first: Key,
  read: (key: Key) => Promise<FilePage<Key>>,
): AsyncGenerator<string> {
  let [key, head] = [first, csvLine(columns)]
  for (;;) {
    const { lines, next } = await read(key)
    yield head + lines.map(csvLine).join('')
    if (next === null) return
    key = next
    head = ''
  }
}
