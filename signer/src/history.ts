import { isEvmNetwork } from '@bursar/chainkit'
import type { Network } from '@bursar/chainkit'
import { REBUILD_AFTER_MS, mayRebuild } from '@bursar/chainkit/tron'
import { AuthorizationBook } from './authorization-book.ts'
import type { SignedEntry } from './entry.ts'
import { nameOfSet } from './intent-set.ts'
import type { Judgement } from './judgement.ts'
import type { Position } from './log-chain.ts'
import type { Intent, SignRequest } from './protocol.ts'
import { Refusal } from './refusal.ts'
import { DAY_MS, FEE, VelocityBook } from './velocity.ts'

interface KnownTransaction {
  intentSet: string
  position: Position
}

interface KnownIntent {
  contents: string
  /** What every transaction signed for this intent uses up: while one is left, at most one of them can confirm */
  common: ReadonlySet<string>
  /** TRON, ms since the epoch: when the last of them expires. Until well past it any of them may be mined. */
  expiresAt: number | undefined
}

/** What a filler's or a sweep's nonce is kept for: nothing but these. */
const NO_INTENT = ''

/** The log as an index: everything that earlier signatures forbid or answer. */
export class History {
  readonly velocity = new VelocityBook()
  /** By the hash of what was asked to be signed */
  readonly #requests = new Map<string, KnownTransaction>()
  readonly #transactions = new Set<string>()
  readonly #intents = new Map<string, KnownIntent>()
  readonly #nonces = new Map<string, string>()
  readonly #authorizations = new AuthorizationBook()
  readonly #fees = new Map<string, { at: number; fee: bigint }>()

  /** Takes in a line of the log. Lines come in order, at start and after each signature. */
  record(entry: SignedEntry, position: Position): void {
    const { network, unsignedId, requestHash, intents, conflictKeys, expiresAt, authorizations = [] } = entry
    const intentSet = nameOfSet(intents)
    this.#requests.set(requestHash, { intentSet, position })
    this.#transactions.add(`${network}:${unsignedId}`)
    if (isEvmNetwork(network)) {
      for (const key of conflictKeys) {
        if (!this.#nonces.has(key)) this.#nonces.set(key, intentSet)
        this.#authorizations.recordTransaction(key)
      }
      for (const authorization of authorizations) {
        const isContested = this.#nonces.has(`${authorization.account}:${authorization.nonce}`)
        this.#authorizations.record(authorization, isContested)
      }
    }
    this.#recordVelocity(entry)
    for (const intent of intents) {
      const common = this.#commonAfter(intent.id, conflictKeys)
      // On TRON a later transaction is signed past the end of the earlier ones only: the last to be signed ends last.
      this.#intents.set(intent.id, { contents: contentsOf(network, intent), common, expiresAt })
    }
  }

  /** Where the answer to an identical request lies, if there was one. */
  answered(request: SignRequest, requestHash: string): Position | undefined {
    const known = this.#requests.get(requestHash)
    if (!known) return undefined
    this.#judgeContents(request)
    if (known.intentSet !== nameOfSet(request.intents)) throw this.#changed()
    return known.position
  }

  /**
   * Throws when signing this could let an intent be paid twice, or a nonce serve two ends.
   * @param now ms since the epoch by the signer's own clock
   */
  judge(request: SignRequest, { unsignedId, conflictKeys, authorizations = [] }: Judgement, now: number): void {
    this.#judgeContents(request)
    // Another request for the same transaction states other amounts for its inputs. Two half valid signatures put
    // together could hide a fee from us (the reason PSBTs carry previous transactions).
    if (this.#transactions.has(`${request.network}:${unsignedId}`)) throw this.#changed()
    if (request.network === 'TRON') return this.#judgeExpiries(request.intents, now)
    for (const { id } of request.intents) {
      if (this.#intents.has(id) && this.#commonAfter(id, conflictKeys).size === 0) {
        throw new Refusal(
          'intent-already-signed',
          `Intent ${id}: spend what all its earlier transactions do (${[...this.#intents.get(id)!.common].join(', ')})`,
        )
      }
    }
    if (!isEvmNetwork(request.network) || request.purpose === 'filler') return
    for (const key of conflictKeys) this.#judgeNonce(key, request)
    for (const { account, nonce } of authorizations) this.#judgeNonce(`${account}:${nonce}`, request)
    for (const authorization of authorizations) this.#authorizations.judge(authorization, (key) => this.#nonces.has(key))
  }

  /** What pays the treasury only, and fillers, may compete for a nonce among themselves; a payment has its own. */
  #judgeNonce(key: string, { intents }: SignRequest): void {
    const kept = this.#nonces.get(key)
    const isAuthorized = intents.length > 0 && this.#authorizations.holds(key)
    if (!isAuthorized && (kept === undefined || kept === nameOfSet(intents))) return
    const holder = isAuthorized ? 'an authorisation' : kept === NO_INTENT ? 'a filler or a sweep' : `intent ${kept}`
    throw new Refusal('nonce-used', `Nonce ${key} was signed for ${holder}: take a fresh one`)
  }

  /** Nothing on TRON keeps a transaction from being mined beside another of the same intent, save that it has expired. */
  #judgeExpiries(intents: readonly Intent[], now: number): void {
    for (const { id } of intents) {
      const last = this.#intents.get(id)?.expiresAt
      if (last === undefined || mayRebuild(last, now)) continue
      const from = new Date(last + REBUILD_AFTER_MS).toISOString()
      throw new Refusal('intent-already-signed', `Intent ${id}: an earlier transaction may still be mined until ${from}`)
    }
  }

  isKnown(intentId: string): boolean {
    return this.#intents.has(intentId)
  }

  /** What a transaction adds to the fees: competitors for one slot are paid at most once, the dearest counts. */
  addedFee(network: Network, { fee, feeSlot }: { fee: bigint; feeSlot: string }): bigint {
    const before = this.#fees.get(`${network}:${feeSlot}`)?.fee ?? 0n
    return fee > before ? fee - before : 0n
  }

  #changed(): Refusal {
    const message = 'This transaction was signed before with other intents or inputs: send the first request again'
    return new Refusal('transaction-changed', message)
  }

  #judgeContents({ network, intents }: SignRequest): void {
    for (const intent of intents) {
      const known = this.#intents.get(intent.id)
      if (known && known.contents !== contentsOf(network, intent)) {
        throw new Refusal('intent-changed', `Intent ${intent.id} was signed as ${known.contents}`)
      }
    }
  }

  #commonAfter(intentId: string, conflictKeys: readonly string[]): Set<string> {
    const known = this.#intents.get(intentId)
    return new Set(known ? conflictKeys.filter((key) => known.common.has(key)) : conflictKeys)
  }

  #recordVelocity({ network, at, purpose, intents, fee, feeSlot }: SignedEntry): void {
    for (const { id, asset, units } of intents) {
      if (purpose !== 'cold' && !this.isKnown(id)) this.velocity.add(network, asset, at, BigInt(units))
    }
    const slot = `${network}:${feeSlot}`
    const added = this.addedFee(network, { fee: BigInt(fee), feeSlot })
    this.velocity.add(network, FEE, at, added)
    this.#forgetFees(at)
    // Deleted first, so that the map stays in the order of time and the oldest are found at its start.
    const before = this.#fees.get(slot)?.fee ?? 0n
    this.#fees.delete(slot)
    this.#fees.set(slot, { at, fee: before + added })
  }

  /** A slot forgotten is counted in full when it comes back: on the safe side. */
  #forgetFees(now: number): void {
    for (const [slot, { at }] of this.#fees) {
      if (at > now - DAY_MS) return
      this.#fees.delete(slot)
    }
  }
}

function contentsOf(network: Network, { asset, to, units }: Intent): string {
  return `${units} ${asset} to ${to} on ${network}`
}
