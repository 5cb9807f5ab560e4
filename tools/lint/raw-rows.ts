import type { SourceFile } from './imports.ts'

/** Tests and their builders, but for those whose subject is SQL itself. */
const AT = /\.test\.ts$|\/test-[^/]+\.ts$|^test\/(world|setup|system|crash)\//
const NOT = /^tools\/(lint|sql)\//
/** Lines above an insert in which its comment may stand: a statement may have several rows. */
const NEAR = 12
const INSERT = /\binsert into (\w+)/i
const REASON = /\/\/ (Raw|Forged)[:,]/
const HEADER_REASON = /^(?:#!.*\n)?\/\*\*[^]*?\braw\b[^]*?\*\//

/**
 * Returns the inserts of tests that do not say why no command writes their rows. A row that a test makes up may be one
 * that the program never has, and hides a fault. The reason stands in the file's header ("inserted raw: ..."), or in a
 * comment above the insert ("Raw: ...", "Forged: ...").
 */
export const findRawRows = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path, text }) => AT.test(path) && !NOT.test(path) && !HEADER_REASON.test(text))
    .flatMap(({ path, text }) => {
      const lines = text.split('\n')
      return lines.flatMap((line, at) => {
        const table = INSERT.exec(line)?.[1]
        if (table === undefined || new RegExp(String.raw`create table (if not exists )?${table}\b`, 'i').test(text))
          return []
        if (lines.slice(Math.max(0, at - NEAR), at).some((above) => REASON.test(above))) return []
        return [`${path}:${at + 1}: says why no command writes this row of ${table} ("// Raw: ...")`]
      })
    })
