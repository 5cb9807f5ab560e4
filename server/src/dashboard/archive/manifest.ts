import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'

/** The format of archives: a reader of another version refuses it. */
export const FORMAT = { format: 'bursar-merchant-archive', version: 1 } as const

const FileLine = Type.Object({
  name: Type.String(),
  /** without the line of the columns */
  rows: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
export type FileLine = Static<typeof FileLine>

const Manifest = Type.Object({
  format: Type.Literal(FORMAT.format),
  version: Type.Literal(FORMAT.version),
  merchantId: Type.String(),
  merchant: Type.String(),
  asOf: Type.String(),
  files: Type.Array(FileLine),
})
/** The list of the files of an archive, which is its last file. */
export type Manifest = Static<typeof Manifest>

/** Reads the text of a manifest; undefined if it is none of this version. */
export const readManifest = (text: string): Manifest | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return Value.Check(Manifest, value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
