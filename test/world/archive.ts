/** Reads the archive of a merchant (docs/operating/leaving.md). */
import { openZip } from '../../server/src/platform/zip/reading.ts'

/** Returns the text of each file of an archive, by the file's name. */
export const textsOf = async (path: string): Promise<Map<string, string>> => {
  const zip = await openZip(path)
  const texts = new Map<string, string>()
  for (const entry of zip.entries) {
    const parts: Buffer[] = []
    for await (const part of zip.read(entry)) parts.push(part)
    texts.set(entry.name, Buffer.concat(parts).toString('utf8'))
  }
  await zip.close()
  return texts
}

/** Returns the rows of a file in JSON lines. */
export const rowsIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
