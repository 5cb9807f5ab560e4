import { setImmediate as others } from 'node:timers/promises'
import { signingKeyOf } from '../policy/approval.ts'
import type { Policy } from '../policy/policy.ts'
import type { Approval, CheckRequest, Intent, SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import { approvalsNeeded } from './asset-policies.ts'

/** An approval that a request carries, and the name of the Ed25519 key that signed it. */
interface Carried {
  approval: Approval
  key: string
}

/** The valid approvals of each intent of a request. */
export type CarriedApprovals = ReadonlyMap<Intent, readonly Carried[]>

/**
 * Most pairs of an approval and an intent in one request. The object `Approval` has no intent id, so each is verified
 * against each intent. The signed text has the id: an approval is valid for one intent only.
 */
const MOST_PAIRS = 25_600
/** After this number of verifications, the process serves other requests and the page of the approvers. */
const VERIFIED_TOGETHER = 20

/**
 * Finds the intents to which the approvals of a request belong. An intent that needs no approval has none, except on
 * TRON, where a transaction uses up its approvals. Throws the Refusal `bad-request` when there are more than
 * 25,600 pairs of an approval and an intent.
 * @param now ms since the epoch
 */
export async function findCarried(
  { networks, approvers }: Policy,
  { network, intents, approvals = [] }: Pick<SignRequest & CheckRequest, 'network' | 'intents' | 'approvals'>,
  now: number,
): Promise<CarriedApprovals> {
  const networkPolicy = networks.get(network)
  const judged = intents.filter(
    (intent) =>
      networkPolicy?.assets.has(intent.asset) && (network === 'TRON' || approvalsNeeded(networkPolicy, intent) > 0),
  )
  const enrolled = approvals.filter(({ keyId }) => approvers.get(keyId)?.some(({ kind }) => kind === 'ed25519'))
  if (judged.length * enrolled.length > MOST_PAIRS)
    throw new Refusal('bad-request', `${enrolled.length} approvals are too many for ${judged.length} payments`)
  const found = new Map<Intent, Carried[]>()
  // An approval's text contains the intent's id: it can belong to no other intent.
  const intentOf = new Map<Approval, string>()
  let verified = 0
  for (const intent of judged) {
    for (const approval of enrolled) {
      if ((intentOf.get(approval) ?? intent.id) !== intent.id) continue
      if (++verified % VERIFIED_TOGETHER === 0) await others()
      const key = signingKeyOf(network, intent, approval, approvers, now)
      if (key === undefined) continue
      intentOf.set(approval, intent.id)
      found.set(intent, [...(found.get(intent) ?? []), { approval, key }])
    }
  }
  return found
}
