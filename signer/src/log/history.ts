import { isEvmNetwork, SECOND_SEED } from '@bursar/chainkit'
import type { Network } from '@bursar/chainkit'
import { REBUILD_AFTER_MS, mayRebuild } from '@bursar/chainkit/tron'
import { ApprovalBook } from './approval-book.ts'
import { AuthorizationBook } from './authorization-book.ts'
import type { SignedEntry } from './entry.ts'
import { contentsOf, nameOfSet } from '../protocol/intent-set.ts'
import type { Judgement } from '../rules/judgement.ts'
import type { IndexFile } from './index-file.ts'
import type { ChainEnd, Chained, Position } from './log-chain.ts'
import type { LogSubscriber } from './log.ts'
import type { Intent, KeyReference, LogEnd, SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import { DAY_MS, FEE, FIRST_SEED_FEE, VelocityBook } from './velocity.ts'

interface KnownIntent {
  contents: string
  /**
   * Resources that every transaction signed for this intent uses. While there is one, at most one of them can confirm.
   */
  common: readonly string[]
  /** TRON, ms since the epoch: when the last of them expires. Until well after that, any of them may be mined. */
  expiresAt: number | null
}

/** Stands for the intents of a filler or a sweep in the table of nonces. */
const NO_INTENT = ''

/**
 * Rules about earlier signatures: which requests they forbid, and which requests repeat one. Reads the log's
 * index.
 */
export class History implements LogSubscriber {
  readonly velocity: VelocityBook
  readonly approvals: ApprovalBook
  readonly #index: IndexFile
  readonly #authorizations: AuthorizationBook

  constructor(index: IndexFile) {
    this.#index = index
    this.velocity = new VelocityBook(index)
    this.approvals = new ApprovalBook(index)
    this.#authorizations = new AuthorizationBook(index)
  }

  get end(): ChainEnd {
    return this.#index.end
  }

  /** Adds a line of the log to the index. It is called in order, at start and for each line that is added. */
  apply(entry: Chained, position: Position, head: string): void {
    this.#index.add(entry, position, head, () => {
      if (entry.kind === 'signed') this.#record(entry, entry.seq)
      if (entry.kind === 'approved') this.approvals.record(entry)
      if (entry.kind === 'rotated') this.#index.run('insert into rotations values (?)', entry.masterFingerprint)
      if (entry.kind === 'closed') this.#index.run('insert or ignore into closed values (?)', entry.intent)
    })
  }

  commit(): void {
    this.#index.commit()
  }

  catchUp<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#index.catchUp(run)
  }

  close(): void {
    this.#index.close()
  }

  #record(entry: SignedEntry, seq: number): void {
    const { network, unsignedId, requestHash, intents, conflictKeys, expiresAt, authorizations = [] } = entry
    const intentSet = nameOfSet(intents)
    this.#index.run('insert or replace into requests values (?, ?, ?)', requestHash, intentSet, seq)
    this.#index.run('insert or ignore into transactions values (?)', `${network}:${unsignedId}`)
    if (isEvmNetwork(network)) {
      for (const key of conflictKeys) {
        this.#index.run('insert or ignore into nonces values (?, ?)', key, intentSet)
        this.#authorizations.recordTransaction(key)
      }
      for (const authorization of authorizations) {
        const isContested = this.#holderOf(`${authorization.account}:${authorization.nonce}`) !== undefined
        this.#authorizations.record(authorization, isContested)
      }
    }
    this.#recordVelocity(entry)
    this.approvals.recordSigned(entry)
    for (const intent of intents) {
      const common = JSON.stringify(this.#commonAfter(intent.id, conflictKeys))
      // On TRON a later transaction is signed only after the earlier ones have expired, so the last one signed expires
      // last.
      this.#index.run(
        'insert or replace into intents values (?, ?, ?, ?)',
        intent.id,
        contentsOf(network, intent),
        common,
        expiresAt ?? null,
      )
      this.#index.run('insert into intentLines values (?, ?)', intent.id, seq)
    }
  }

  /** Fingerprint of the second seed that the log was activated with, hex; undefined when there was none. */
  get secondSeed(): string | undefined {
    return this.#index.row('select masterFingerprint from rotations')?.['masterFingerprint'] as string | undefined
  }

  /** Whether the log's hash chain had this head at this length. */
  holds({ length, head }: LogEnd): boolean {
    if (length === this.end.lines) return head === this.end.head
    return this.#index.row('select previous from lines where seq = ?', length)?.['previous'] === head
  }

  /**
   * Position of the answer to an identical request; undefined if there was none. Throws a Refusal if the request names
   * other intents or contents than the first.
   */
  answered(request: SignRequest, requestHash: string): Position | undefined {
    const known = this.#index.row('select intentSet, seq from requests where hash = ?', requestHash)
    if (!known) return undefined
    this.#judgeContents(request)
    if (known['intentSet'] !== nameOfSet(request.intents)) throw this.#changed()
    return this.#positionOf(known['seq'] as number)
  }

  /**
   * Throws a Refusal when signing could let an intent be paid twice, or let a nonce be used for two purposes.
   * @param now ms since the epoch by the signer's own clock
   */
  judge(request: SignRequest, { unsignedId, conflictKeys, authorizations = [] }: Judgement, now: number): void {
    this.#judgeContents(request)
    this.#judgeClosed(request)
    // Another request for the same transaction states other amounts for its inputs. Two partly valid sets of
    // signatures, combined, could hide a fee from us (this is why PSBTs contain previous transactions).
    const transaction = `${request.network}:${unsignedId}`
    if (this.#index.row('select 1 from transactions where id = ?', transaction)) throw this.#changed()
    if (request.network === 'TRON') return this.#judgeExpiries(request.intents, now)
    for (const { id } of request.intents) this.#judgeCommon(id, conflictKeys)
    if (!isEvmNetwork(request.network) || request.purpose === 'filler') return
    for (const key of conflictKeys) this.#judgeNonce(key, request)
    for (const { account, nonce } of authorizations) this.#judgeNonce(`${account}:${nonce}`, request)
    const isKnown = (key: string): boolean => this.#holderOf(key) !== undefined
    for (const authorization of authorizations) this.#authorizations.judge(authorization, isKnown)
  }

  #judgeCommon(id: string, conflictKeys: readonly string[]): void {
    const known = this.#intent(id)
    if (!known || this.#commonAfter(id, conflictKeys).length > 0) return
    const message = `Intent ${id}: spend the coins or nonce that all its earlier transactions spend (${known.common.join(', ')})`
    throw new Refusal('intent-already-signed', message, [id])
  }

  /**
   * Throws a Refusal when the nonce is used for something else. Fillers and sweeps may share a nonce; the nonce of a
   * payment belongs to that payment.
   */
  #judgeNonce(key: string, { intents }: SignRequest): void {
    const owner = this.#holderOf(key)
    const isAuthorized = intents.length > 0 && this.#authorizations.holds(key)
    if (!isAuthorized && (owner === undefined || owner === nameOfSet(intents))) return
    const holder = isAuthorized ? 'an authorisation' : owner === NO_INTENT ? 'a filler or a sweep' : `intent ${owner}`
    throw new Refusal('nonce-used', `Nonce ${key} was signed for ${holder}: use a fresh one`)
  }

  /**
   * Throws a Refusal while an earlier transaction of an intent may still be mined. On TRON only expiration prevents two
   * transactions of one intent from both being mined.
   */
  #judgeExpiries(intents: readonly Intent[], now: number): void {
    for (const { id } of intents) {
      const last = this.#intent(id)?.expiresAt ?? null
      if (last === null || mayRebuild(last, now)) continue
      const from = new Date(last + REBUILD_AFTER_MS).toISOString()
      throw new Refusal(
        'intent-already-signed',
        `Intent ${id}: an earlier transaction may still be mined until ${from}`,
        [id],
      )
    }
  }

  /** Positions of the transactions signed for an intent, in the order of signing. */
  positionsOf(intentId: string): Position[] {
    const rows = [...this.#index.rows('select seq from intentLines where id = ? order by seq', intentId)]
    return rows.map(({ seq }) => this.#positionOf(seq as number))
  }

  /** Positions of the lines from a number on, in order: as many as have this many bytes together, and one at least. */
  positionsFrom(seq: number, mostBytes: number): Position[] {
    const found: Position[] = []
    let bytes = 0
    for (const row of this.#index.rows('select segment, offset, length from lines where seq >= ? order by seq', seq)) {
      const position = { ...row } as unknown as Position
      bytes += position.length
      if (found.length > 0 && bytes > mostBytes) break
      found.push(position)
    }
    return found
  }

  isKnown(intentId: string): boolean {
    return this.#index.row('select 1 from intents where id = ?', intentId) !== undefined
  }

  /**
   * Whether an intent's amount has been counted already, so that a further transaction adds nothing: at most one of its
   * transactions can be mined. On TRON every transaction counts, because an expired one may have been mined before it
   * expired, and no party can prove to the signer that it was not.
   */
  isCounted(network: Network, intentId: string): boolean {
    return network !== 'TRON' && this.isKnown(intentId)
  }

  isClosed(intentId: string): boolean {
    return this.#index.row('select 1 from closed where id = ?', intentId) !== undefined
  }

  /** Throws a Refusal if the intent was signed or closed before. */
  judgeFirst(network: Network, intent: Intent): void {
    const request = { network, intents: [intent] }
    this.#judgeContents(request)
    this.#judgeClosed(request)
    if (this.isKnown(intent.id))
      throw new Refusal('intent-already-signed', `Intent ${intent.id} was signed before`, [intent.id])
  }

  #judgeClosed({ intents }: Pick<SignRequest, 'intents'>): void {
    for (const { id } of intents) {
      if (this.isClosed(id))
        throw new Refusal('intent-closed', `Intent ${id} was closed: nothing is signed for it`, [id])
    }
  }

  /**
   * The amount that a transaction adds to the fees. Of the competitors for one slot at most one is paid, so only the
   * highest fee counts.
   */
  addedFee(network: Network, { fee, feeSlot }: { fee: bigint; feeSlot: string }): bigint {
    const before = this.#feeOf(`${network}:${feeSlot}`)
    return fee > before ? fee - before : 0n
  }

  /**
   * The key under which the fee of a transaction counts. A thief of a replaced first seed can raise the fees of its
   * addresses on EVM chains, so these do not count against the limits of the second seed. On Bitcoin both seeds count
   * together.
   */
  feeKeyOf(network: Network, [payer]: readonly Pick<KeyReference, 'index'>[]): string {
    const isReplaced = this.secondSeed !== undefined && payer !== undefined && payer.index < SECOND_SEED
    return isReplaced && isEvmNetwork(network) ? FIRST_SEED_FEE : FEE
  }

  #changed(): Refusal {
    const message = 'This transaction was signed before with other intents or inputs: send the first request again'
    return new Refusal('transaction-changed', message)
  }

  #judgeContents({ network, intents }: Pick<SignRequest, 'network' | 'intents'>): void {
    for (const intent of intents) {
      const known = this.#intent(intent.id)
      if (known && known.contents !== contentsOf(network, intent)) {
        throw new Refusal('intent-changed', `Intent ${intent.id} was signed as ${known.contents}`, [intent.id])
      }
    }
  }

  #commonAfter(intentId: string, conflictKeys: readonly string[]): string[] {
    const common = this.#intent(intentId)?.common
    return common ? conflictKeys.filter((key) => common.includes(key)) : [...conflictKeys]
  }

  #intent(id: string): KnownIntent | undefined {
    const row = this.#index.row('select contents, common, expiresAt from intents where id = ?', id)
    if (!row) return undefined
    const { contents, common, expiresAt } = row as Record<keyof KnownIntent, string>
    return {
      contents,
      common: JSON.parse(common) as string[],
      expiresAt: expiresAt === null ? null : Number(expiresAt),
    }
  }

  /** Name of the set of intents that a nonce was signed for. */
  #holderOf(key: string): string | undefined {
    return this.#index.row('select intentSet from nonces where key = ?', key)?.['intentSet'] as string | undefined
  }

  #feeOf(slot: string): bigint {
    return BigInt(this.#index.row('select fee from fees where slot = ?', slot)?.['fee'] ?? '0')
  }

  #positionOf(seq: number): Position {
    return { ...this.#index.row('select segment, offset, length from lines where seq = ?', seq) } as unknown as Position
  }

  #recordVelocity({ network, at, purpose, intents, keys, fee, feeSlot, bound }: SignedEntry): void {
    for (const { id, asset, units } of intents) {
      if (purpose !== 'cold' && !this.isCounted(network, id)) this.velocity.add(network, asset, at, BigInt(units))
    }
    if (bound) this.velocity.add(network, bound.as, at, BigInt(bound.units))
    const slot = `${network}:${feeSlot}`
    const added = this.addedFee(network, { fee: BigInt(fee), feeSlot })
    this.velocity.add(network, this.feeKeyOf(network, keys), at, added)
    // If a deleted slot returns, its fee is counted in full again, which is the safe direction.
    this.#index.run('delete from fees where at <= ?', at - DAY_MS)
    const total = this.#feeOf(slot) + added
    this.#index.run('insert or replace into fees values (?, ?, ?)', slot, at, total.toString())
  }
}
