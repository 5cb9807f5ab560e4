import { Type, type Static } from 'typebox'
import { readShape, ShapeError } from '../../platform/config/shape.ts'

const hash = Type.String({ pattern: '^[0-9a-f]{64}$', says: 'a SHA-256 in hex' })
const time = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, says: 'a time in UTC' })
const position = Type.String({ pattern: '^[0-9A-F]{1,8}/[0-9A-F]{1,8}$', says: 'a position in the write-ahead log' })
/** A name of a file, without a folder. */
const fileName = '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$'

const shape = Type.Object(
  {
    format: Type.Literal(1),
    /** version of the program that made it */
    version: Type.String(),
    /** real time */
    startedAt: time,
    finishedAt: time,
    database: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 63 }),
        major: Type.Integer({ minimum: 0 }),
        systemIdentifier: Type.String({ pattern: String.raw`^\d*$`, says: 'digits' }),
        timeline: Type.Integer({ minimum: 1 }),
      },
      { additionalProperties: false },
    ),
    /** positions in the write-ahead log between which the base backup was made, and the file of the first */
    wal: Type.Object(
      {
        start: position,
        end: position,
        startFile: Type.String({ pattern: '^[0-9A-F]{24}$', says: 'the name of a file of the log' }),
        segmentBytes: Type.Integer({ minimum: 1 }),
      },
      { additionalProperties: false },
    ),
    /** SHA-256 of PostgreSQL's own manifest, which has a hash of each file of the base backup */
    backupManifest: hash,
    /** the end of the signer's log when it was copied, after the base backup; null: the signer is not configured */
    signerLog: Type.Union([
      Type.Object({ length: Type.Integer({ minimum: 0 }), head: hash }, { additionalProperties: false }),
      Type.Null(),
    ]),
    /** SHA-256 of each file below `settings` */
    settings: Type.Record(Type.String({ pattern: fileName }), hash),
    /**
     * Names of the data keys that encrypt the secrets of the database. The keys themselves are in no backup. Absent: an
     * earlier version made the backup
     */
    dataKeys: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9a-f]{8}$', says: 'the name of a data key' }))),
    /** variables whose files have secrets and were left out, because no certificate was given to encrypt them for */
    leftOut: Type.Array(Type.String()),
  },
  { additionalProperties: false },
)

/** One backup, as its `manifest.json` describes it. */
export type Manifest = Static<typeof shape>

/** Reads a manifest. Throws an Error that lists what is wrong with it. */
export const readManifest = (text: string): Manifest => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Error('manifest.json is no JSON')
  }
  try {
    return readShape(shape, json)
  } catch (error) {
    if (error instanceof ShapeError) throw new Error(`manifest.json: ${error.message}`, { cause: error })
    throw error
  }
}
