import { generalErrors } from '@bursar/contract'
import type { FileAnswer } from '../../platform/api/page.ts'
import { refusal } from '../../platform/api/route.ts'
import { csvLine } from '../../platform/lists/csv.ts'
import type { Scope } from './scope.ts'

/** Lines of a page of a file, and the key behind which the next page begins. */
interface FilePage<Key> {
  lines: readonly (readonly string[])[]
  next: Key | null
}

/**
 * A CSV of any length. It is read page by page, each in statements of its own, so that it takes the same memory however
 * long it is. Before each page the session and the permission are read again: a file that is read slowly ends when its
 * reader signs out or may no longer see it.
 * @param name letters, digits, `-` and `.`
 * @param first the key of the first page
 */
export const csvFile = <Key>(
  { merchantId, isStillAllowed }: Pick<Scope, 'merchantId' | 'isStillAllowed'>,
  { name, columns }: { name: string; columns: readonly string[] },
  first: Key,
  read: (key: Key) => Promise<FilePage<Key>>,
): FileAnswer => ({
  status: 200,
  headers: {},
  merchantId,
  contentType: 'text/csv; charset=utf-8; header=present',
  fileName: name,
  pieces: piecesOf(isStillAllowed, columns, first, read),
})

async function* piecesOf<Key>(
  isStillAllowed: Scope['isStillAllowed'],
  columns: readonly string[],
  first: Key,
  read: (key: Key) => Promise<FilePage<Key>>,
): AsyncGenerator<string> {
  let [key, head] = [first, csvLine(columns)]
  for (;;) {
    if (!(await isStillAllowed())) {
      throw refusal(generalErrors.notFound, 'the reader of the file may no longer see it')
    }
    const { lines, next } = await read(key)
    yield head + lines.map(csvLine).join('')
    if (next === null) return
    key = next
    head = ''
  }
}
