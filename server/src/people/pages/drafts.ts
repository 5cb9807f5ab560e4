import { SCOPES } from '@bursar/contract'
import type { Markup } from '@bursar/checkout/html'
import { NOTIFICATION_KINDS } from '../../merchants/webhooks/index.ts'
import type { PageRequest } from '../../platform/api/page.ts'
import type { Session } from '../access/index.ts'
import { hidden } from './frame.ts'
import type { DashboardDeps, Fields } from './visit.ts'

/** The fields that a person may have typed on a page that needs a session. None of them holds a secret. */
const DRAFT_FIELDS = [
  'name',
  'invitee',
  'invitee-role',
  'webhook-url',
  'endpoint-url',
  'endpoint-description',
  'endpoint-all',
  'endpoint-on',
  ...NOTIFICATION_KINDS.map((kind) => `endpoint-${kind}`),
  'key-name',
  'key-addresses',
  'key-days',
  ...SCOPES.map((scope) => `key-${scope}` as const),
  'payer-email',
  'payout-asset',
  'payout-to',
  'payout-amount',
  'payout-meta',
  'exchange-spend',
  'exchange-target',
  'exchange-side',
  'exchange-amount',
  'exchange-automatic',
  'address-name',
  'network',
  'address',
  'setting-shown',
  'setting-accent',
  'setting-supportUrl',
  'setting-supportEmail',
  'setting-redirectHosts',
  'setting-assetOrder',
  'setting-email',
  'setting-mailLanguage',
  'setting-activityMails',
  'setting-monthlyMails',
  'money',
  'amount',
  'least',
  'most',
  'description',
  'meta',
  'email',
  'language',
  'duration',
  'redirect',
  'expires',
  'uses',
  'refund-amount',
  'refund-reason',
  'note',
  'reason',
  'version',
  'addresses',
  'cooling',
  'from-hour',
  'to-hour',
  'api',
] as const
/** The fields of a policy for one asset. */
const OF_ASSET = /^(alone|approvals|hour|day|api)-[A-Z0-9]{1,20}$/
/** Before the name of a field that a form of a sign-in or a proof carries: such a form has fields of the same names. */
const CARRIED = 'draft-'
const PARAMETER = 'draft'
/** Typed fields travel in an address, sealed: proxies accept addresses of 8 kB. */
const MOST_BYTES = 4_500

/** Typed fields that a page shows again after the person has signed in or proved that it is them. */
export type Draft = Readonly<Record<string, string>>

const isDraftField = (name: string): boolean =>
  (DRAFT_FIELDS as readonly string[]).includes(name) || OF_ASSET.test(name)

/** The fields that were typed, in a form of a page or carried by a form of a proof. */
export const draftIn = (fields: Fields): Draft => ({ ...read(fields, ''), ...read(fields, CARRIED) })

/** The fields that a form of a sign-in carries. */
export const carriedIn = (fields: Fields): Draft => read(fields, CARRIED)

const read = (fields: Fields, prefix: string): Draft =>
  Object.fromEntries(
    fields.names
      .filter((name) => name.startsWith(prefix) && isDraftField(name.slice(prefix.length)))
      .map((name) => [name.slice(prefix.length), fields(name, 'whole')])
      .filter(([, text]) => text !== ''),
  )

/** All fields or none: a form that shows some of them would lose the others when it is saved. */
const withinBounds = (draft: Draft): Draft => (Buffer.byteLength(JSON.stringify(draft)) > MOST_BYTES ? {} : draft)

export const draftInputs = (draft: Draft): readonly Markup[] =>
  Object.entries(withinBounds(draft)).map(([name, text]) => hidden(`${CARRIED}${name}`, text))

const ownerOf = ({ id }: Pick<Session, 'id'>, page: string): string => `typed fields|${id}|${page.split('?')[0]!}`

/**
 * Typed fields as the query of the page `next`, to which a form returns. They are sealed for the session and the page,
 * so that no link of another site, of another person or of another page can fill a form: an invitation that is filled
 * in looks like the person's own.
 */
export const draftQuery = (
  { ring }: Pick<DashboardDeps, 'ring'>,
  session: Pick<Session, 'id'> | undefined,
  { next, draft }: { next: string; draft: Draft },
): Readonly<Record<string, string>> => {
  const all = withinBounds(draft)
  return session === undefined || Object.keys(all).length === 0
    ? {}
    : { [PARAMETER]: ring.seal(JSON.stringify(all), ownerOf(session, next)) }
}

/** The typed fields in the query of a request; none if they were not sealed for this session and this page. */
export const draftOf = (
  { ring }: Pick<DashboardDeps, 'ring'>,
  session: Pick<Session, 'id'> | undefined,
  { query, url }: Pick<PageRequest, 'query' | 'url'>,
): Draft => {
  const sealed = query[PARAMETER]
  if (sealed === undefined || session === undefined) return {}
  try {
    return JSON.parse(ring.open(sealed, ownerOf(session, url))) as Draft
  } catch {
    return {}
  }
}
