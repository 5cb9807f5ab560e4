import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Logo, MediaType } from './reading.ts'

/** Which logo of a merchant: `draft` is uploaded and seen by its members only, `shown` is on its pages. */
export type LogoState = 'draft' | 'shown'

/** A stored logo. `uploadedBy` is `person:ID`; `uploadedAt` is of the real clock. */
export interface StoredLogo extends Logo {
  state: LogoState
  uploadedBy: string
  uploadedAt: Date
}

/** The logos of a merchant: at most one of each state, the draft first. */
export const logosOf = async (db: Db | Tx, merchantId: string): Promise<StoredLogo[]> =>
  (
    await sql<StoredLogo>`select state, media_type as "mediaType", width, height, bytes, hash,
        uploaded_by as "uploadedBy", uploaded_at as "uploadedAt"
      from merchant_logos where merchant_id = ${merchantId} order by state`.execute(db)
  ).rows

/** The logo that the pages and the documents of a merchant show. */
export const shownLogoOf = async (db: Db | Tx, merchantId: string): Promise<Logo | undefined> =>
  (await logosOf(db, merchantId)).find(({ state }) => state === 'shown')

/** The file of a logo that a page of any merchant shows. */
export const shownFile = async (db: Db, hash: string): Promise<Pick<Logo, 'mediaType' | 'bytes'> | undefined> =>
  (
    await sql<{ mediaType: MediaType; bytes: Buffer }>`select media_type as "mediaType", bytes from merchant_logos
      where hash = ${hash} and state = 'shown' limit 1`.execute(db)
  ).rows[0]

/** Stores an uploaded logo as the draft of a merchant, in place of the previous draft. */
export const storeDraft = async (
  tx: Tx,
  { mediaType, width, height, bytes, hash }: Logo,
  { merchantId, by, at }: { merchantId: string; by: string; at: Date },
): Promise<void> => {
  await sql`insert into merchant_logos(merchant_id, state, media_type, width, height, bytes, hash, uploaded_by,
      uploaded_at)
    values (${merchantId}, 'draft', ${mediaType}, ${width}, ${height}, ${bytes}, ${hash}, ${by}, ${at})
    on conflict (merchant_id, state) do update set media_type = excluded.media_type, width = excluded.width,
      height = excluded.height, bytes = excluded.bytes, hash = excluded.hash, uploaded_by = excluded.uploaded_by,
      uploaded_at = excluded.uploaded_at`.execute(tx)
}

/** The hashes of the logos of a merchant. Commands lock the settings of the merchant first. */
export const logoHashes = async (tx: Tx, merchantId: string): Promise<Partial<Record<LogoState, string>>> => {
  const { rows } = await sql<{ state: LogoState; hash: string }>`select state, hash from merchant_logos
    where merchant_id = ${merchantId}`.execute(tx)
  return Object.fromEntries(rows.map(({ state, hash }) => [state, hash]))
}

/** Makes the draft of a merchant the logo that is shown, and deletes the previous one. */
export const showDraft = async (tx: Tx, merchantId: string): Promise<void> => {
  await removeLogo(tx, merchantId, 'shown')
  await sql`update merchant_logos set state = 'shown' where merchant_id = ${merchantId} and state = 'draft'`.execute(tx)
}

export const removeLogo = async (tx: Tx, merchantId: string, state: LogoState): Promise<void> => {
  await sql`delete from merchant_logos where merchant_id = ${merchantId} and state = ${state}`.execute(tx)
}

/** A logo as pages name it. Sizes in pixels. */
export interface LogoReference {
  hash: string
  width: number
  height: number
}

/** An SQL expression: the reference of the logo that a merchant shows, as JSON; null if there is none. */
export const shownReference = (merchantId: RawBuilder<unknown>): RawBuilder<LogoReference | null> =>
  sql`(select jsonb_build_object('hash', l.hash, 'width', l.width, 'height', l.height) from merchant_logos l
    where l.merchant_id = ${merchantId} and l.state = 'shown')`
