/** Additional endpoints of a merchant's webhooks: commands of members and of operators. */
import { merchantExists, readEndpointUrl } from '../../merchants/accounts/index.ts'
import {
  addEndpoint,
  changeEndpoint,
  lockEndpoint,
  NOTIFICATION_KINDS,
  readDescription,
  removeEndpoint,
  rotateEndpointSecret,
  type EndpointChoices,
} from '../../merchants/webhooks/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { authoriseSession } from './acting.ts'
import { actorOf, record } from './audit.ts'
import { notifyOwners } from './notices.ts'
import type { Now, Secrets } from './now.ts'
import type { Person } from './people.ts'
import type { Session } from './sessions.ts'

/** How long notifications have signatures with the replaced secret too. */
const ENDPOINT_OVERLAP_MS = 24 * 3_600_000

/**
 * - url, description, kinds: the field is empty or invalid
 * - known: the form has done its work before
 * - too-many: the merchant has ten endpoints
 * - limited: too many endpoints were made within an hour
 * - changed: it is no longer as the form has shown it
 * - unchanged: it is as the form asks already
 * - unknown: the merchant has no such endpoint
 */
export type EndpointTrouble =
  | 'url'
  | 'description'
  | 'kinds'
  | 'known'
  | 'too-many'
  | 'limited'
  | 'changed'
  | 'unchanged'
  | 'unknown'

/** Why an endpoint was not made, changed or removed: every reason that is known. */
export class EndpointProblem extends Error {
  override name = 'EndpointProblem'
  readonly troubles: readonly EndpointTrouble[]
  constructor(troubles: readonly EndpointTrouble[]) {
    super(troubles.join(', '))
    this.troubles = troubles
  }
}

/** The choices as typed. */
export interface AskedEndpoint {
  url: string
  description: string
  /** null: all */
  kinds: readonly string[] | null
}

interface Author {
  actor: string
  /** null: the operator */
  person: Person | null
}

const memberOf = ({ person }: Session): Author => ({ actor: actorOf(person.id), person })

const readChoices = ({ url, description, kinds }: AskedEndpoint): Omit<EndpointChoices, 'isOn'> => {
  const [read, text] = [urlOf(url), readDescription(description)]
  const known = kinds === null ? null : NOTIFICATION_KINDS.filter((kind) => kinds.includes(kind))
  const isWrongKind = kinds !== null && (kinds.length === 0 || known?.length !== new Set(kinds).size)
  const troubles: EndpointTrouble[] = [
    ...(read === undefined ? ['url' as const] : []),
    ...(text === undefined ? ['description' as const] : []),
    ...(isWrongKind ? ['kinds' as const] : []),
  ]
  if (read === undefined || text === undefined || troubles.length > 0) throw new EndpointProblem(troubles)
  return { url: read, description: text, kinds: known }
}

const urlOf = (typed: string): string | undefined => {
  try {
    return readEndpointUrl(typed.trim())
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Makes an additional endpoint, and mails the owners of the merchant. Throws NotAllowed, ProofNeeded or an
 * EndpointProblem.
 * @param id of the form; a form that is sent twice makes one endpoint
 * @returns its secret, here and never again
 */
export const createEndpoint = async (
  tx: Tx,
  session: Session,
  asked: AskedEndpoint & { merchantId: string; id: string },
  secrets: Secrets,
  now: Now,
): Promise<string> => {
  await authoriseSession(tx, session, { merchantId: asked.merchantId, action: 'manage-webhooks', needsProof: true })
  return create(tx, asked, memberOf(session), secrets, now)
}

/** `createEndpoint` for an operator. Throws a RangeError for an unknown merchant, or an EndpointProblem. */
export const createEndpointAsOperator = async (
  tx: Tx,
  asked: AskedEndpoint & { merchantId: string; id: string },
  actor: string,
  secrets: Secrets,
  now: Now,
): Promise<string> => {
  if (!(await merchantExists(tx, asked.merchantId))) throw new RangeError(`no merchant has the id ${asked.merchantId}`)
  return create(tx, asked, { actor, person: null }, secrets, now)
}

const create = async (
  tx: Tx,
  asked: AskedEndpoint & { merchantId: string; id: string },
  { actor, person }: Author,
  { ring, random }: Secrets,
  now: Now,
): Promise<string> => {
  const { merchantId, id } = asked
  const choices = readChoices(asked)
  const given = { ...choices, merchantId, id, createdBy: actor }
  const { secret, problem } = await addEndpoint(tx, given, { box: ring, random }, now.moment)
  if (problem !== undefined) throw new EndpointProblem([problem])
  const detail = { endpointId: id, ...choices }
  await record(tx, { merchantId, personId: null, actor, action: 'added webhook endpoint', detail }, now)
  await notifyOwners(tx, merchantId, { event: 'webhook-endpoint', detail: choices.url, by: person }, now)
  return secret
}

/** The choices of an endpoint as one text, which a form carries so that it changes only what it has shown. */
export const shownChoices = ({ url, description, kinds, isOn }: EndpointChoices): string =>
  JSON.stringify([url, description, kinds, isOn])

/**
 * Changes an additional endpoint; the owners are mailed about another URL, and when it is switched off. Throws
 * NotAllowed, ProofNeeded or an EndpointProblem.
 * @param asked `shown`: of `shownChoices`, when the form was shown
 */
export const changeEndpointOf = async (
  tx: Tx,
  session: Session,
  asked: AskedEndpoint & { merchantId: string; id: string; isOn: boolean; shown: string },
  now: Now,
): Promise<void> => {
  const { merchantId, id, isOn, shown } = asked
  await authoriseSession(tx, session, { merchantId, action: 'manage-webhooks', needsProof: true })
  const before = await lockEndpoint(tx, merchantId, id)
  if (before === undefined) throw new EndpointProblem(['unknown'])
  const after = { ...readChoices(asked), isOn }
  if (shownChoices(after) === shownChoices(before)) throw new EndpointProblem(['unchanged'])
  if (shownChoices(before) !== shown) throw new EndpointProblem(['changed'])
  await changeEndpoint(tx, merchantId, id, after)
  const { actor, person } = memberOf(session)
  const { url, description, kinds } = before
  const detail = { endpointId: id, before: { url, description, kinds, isOn: before.isOn }, after }
  await record(tx, { merchantId, personId: null, actor, action: 'changed webhook endpoint', detail }, now)
  if (after.url !== before.url)
    await notifyOwners(tx, merchantId, { event: 'webhook-url', detail: after.url, by: person }, now)
  if (before.isOn && !after.isOn)
    await notifyOwners(tx, merchantId, { event: 'webhook-endpoint-off', detail: after.url, by: person }, now)
}

/**
 * Replaces the secret of an additional endpoint, and mails the owners; the secret before stays valid for
 * ENDPOINT_OVERLAP_MS. Throws NotAllowed, ProofNeeded or an EndpointProblem.
 * @param asked `form`: a form that is sent twice replaces the secret once; `after`: the `rotationId` that the form has
 *   shown, empty for null: it is not valid after another replacement
 * @returns the new secret, here and never again
 */
export const rotateEndpointOf = async (
  tx: Tx,
  session: Session,
  { merchantId, id, form, after }: { merchantId: string; id: string; form: string; after: string },
  { ring, random }: Secrets,
  now: Now,
): Promise<string> => {
  await authoriseSession(tx, session, { merchantId, action: 'manage-webhooks', needsProof: true })
  const endpoint = await lockEndpoint(tx, merchantId, id)
  if (endpoint === undefined) throw new EndpointProblem(['unknown'])
  if (endpoint.rotationId === form) throw new EndpointProblem(['known'])
  if ((endpoint.rotationId ?? '') !== after) throw new EndpointProblem(['changed'])
  const rotation = { id, rotationId: form, overlapMs: ENDPOINT_OVERLAP_MS }
  const secret = await rotateEndpointSecret(tx, merchantId, rotation, { box: ring, random }, now.moment)
  if (secret === undefined) throw new EndpointProblem(['known'])
  const { actor, person } = memberOf(session)
  const audited = { merchantId, personId: null, actor, action: 'replaced webhook secret', detail: { endpointId: id } }
  await record(tx, audited, now)
  await notifyOwners(tx, merchantId, { event: 'webhook-secret', detail: endpoint.url, by: person }, now)
  return secret
}

/**
 * Removes an additional endpoint, with what waits for it, and mails the owners. Throws NotAllowed, ProofNeeded or an
 * EndpointProblem.
 */
export const removeEndpointOf = async (
  tx: Tx,
  session: Session,
  { merchantId, id }: { merchantId: string; id: string },
  now: Now,
): Promise<void> => {
  await authoriseSession(tx, session, { merchantId, action: 'manage-webhooks', needsProof: true })
  if (!(await remove(tx, { merchantId, id }, memberOf(session), now))) throw new EndpointProblem(['unknown'])
}

/** `removeEndpointOf` for an operator. @returns false when the merchant has no such endpoint */
export const removeEndpointAsOperator = (
  tx: Tx,
  endpoint: { merchantId: string; id: string },
  actor: string,
  now: Now,
): Promise<boolean> => remove(tx, endpoint, { actor, person: null }, now)

const remove = async (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  { actor, person }: Author,
  now: Now,
): Promise<boolean> => {
  const url = await removeEndpoint(tx, merchantId, id, now.moment)
  if (url === undefined) return false
  const audited = {
    merchantId,
    personId: null,
    actor,
    action: 'removed webhook endpoint',
    detail: { endpointId: id, url },
  }
  await record(tx, audited, now)
  await notifyOwners(tx, merchantId, { event: 'webhook-endpoint-removed', detail: url, by: person }, now)
  return true
}
