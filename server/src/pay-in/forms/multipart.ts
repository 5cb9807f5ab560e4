import { isUtf8 } from 'node:buffer'
import { formRefusal } from './refusal.ts'

/** Names and values of fields, in the order of the form. */
export type Pairs = [name: string, value: string][]

const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;",]{1,70}))/i
/** A name as browsers write it: quotation marks and line ends percent-encoded, everything else unchanged. */
const NAME = /^content-disposition:\s*form-data;\s*name="([^"\r\n]*)"([^\r\n]*)$/im
const UNREADABLE = 'the form is not readable as multipart/form-data'

/** Returns the text fields of a `multipart/form-data` body (RFC 7578). Refuses files and incomplete bodies. */
export const decodeParts = (body: Buffer, contentType: string): Pairs => {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? bare
  if (boundary === undefined) throw formRefusal('multipart/form-data needs a boundary')
  if (!isUtf8(body)) throw formRefusal('the form is not UTF-8')
  const [before, ...parts] = `\r\n${body.toString('utf8')}`.split(`\r\n--${boundary}`)
  const end = parts.pop()
  if (before!.trim() !== '' || end === undefined || !/^--\s*$/.test(end)) throw formRefusal(UNREADABLE)
  return parts.map((part) => {
    const at = part.indexOf('\r\n\r\n')
    const [, name, more] = NAME.exec(part.slice(0, Math.max(0, at)).trim()) ?? []
    if (name === undefined || !/^[ \t]*\r\n/.test(part)) throw formRefusal(UNREADABLE)
    if (/;\s*filename/i.test(more!)) throw formRefusal(`${name.slice(0, 64)} is a file: forms take texts`, name)
    return [name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n'), part.slice(at + 4)]
  })
}
