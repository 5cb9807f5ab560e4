import { createHash } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import { approvalMessage } from '../policy/approval.ts'
import type { Approvers } from '../policy/approvers.ts'
import { contentsOf } from '../protocol/intent-set.ts'
import type { Intent } from '../protocol/protocol.ts'
import type { ApprovedEntry, SignedEntry } from './entry.ts'
import type { IndexFile } from './index-file.ts'

/** The approvals that the log contains. */
export class ApprovalBook {
  readonly #index: IndexFile

  constructor(index: IndexFile) {
    this.#index = index
  }

  record(entry: ApprovedEntry): void {
    const { network, intent, approver, key, expiresAt, proof } = entry
    this.#index.run(
      'insert or ignore into approvals values (?, ?, ?, ?, ?, ?, ?)',
      approvalId(entry),
      intent.id,
      contentsOf(network, intent),
      approver,
      key,
      expiresAt,
      // A request may have carried it before, and used it up.
      Number(this.isUsed(entry)),
    )
    if (proof.kind === 'passkey') this.#index.run('insert or replace into counters values (?, ?)', key, proof.counter)
  }

  /**
   * Records who had approved the intents of a signed transaction. On TRON each transaction may be a payment of its own,
   * so that an approval serves one transaction only.
   */
  recordSigned({ network, intents, approvedBy = {}, usedApprovals = [] }: SignedEntry): void {
    for (const id of usedApprovals) this.#index.run('insert or ignore into usedApprovals values (?)', id)
    for (const { id } of intents) {
      for (const approver of approvedBy[id] ?? [])
        this.#index.run('insert or ignore into approvedBy values (?, ?)', id, approver)
      if (network === 'TRON') this.#useUp(id)
    }
  }

  #useUp(intent: string): void {
    this.#index.run('insert or ignore into usedApprovals select id from approvals where intent = ?', intent)
    this.#index.run('update approvals set isUsed = 1 where intent = ?', intent)
  }

  /** Whether an approval was used for a transaction on TRON, whichever way the signer had got it. */
  isUsed(approval: Identified): boolean {
    return this.#index.row('select 1 from usedApprovals where id = ?', approvalId(approval)) !== undefined
  }

  /** Whether exactly this approval is in the log: the same text, and the same key. */
  has(approval: Identified): boolean {
    return this.#index.row('select 1 from approvals where id = ?', approvalId(approval)) !== undefined
  }

  /** The last counter of a passkey in the log; 0 when there is none. */
  counterOf(key: string): number {
    return Number(this.#index.row('select counter from counters where key = ?', key)?.['counter'] ?? 0)
  }

  /**
   * Ids of the approvers whose approvals in the log count for an intent: those that have not ended, and those with
   * which the intent was signed before, because its further transactions replace the first one. An approval counts only
   * while its key is enrolled.
   * @param now ms since the epoch
   */
  approversOf(network: Network, intent: Intent, approvers: Approvers, now: number): string[] {
    const found = this.#counting(network, intent, approvers, now).map(({ approver }) => approver)
    if (network === 'TRON') return found
    const before = [...this.#index.rows('select approver from approvedBy where intent = ?', intent.id)]
    return [...found, ...before.map(({ approver }) => approver as string).filter((one) => approvers.has(one))]
  }

  /**
   * The latest end, in ms since the epoch, of one person's approvals of an intent that count; undefined when none does.
   * @param now ms since the epoch
   */
  endOf(
    network: Network,
    intent: Intent,
    { approver, approvers, now }: { approver: string; approvers: Approvers; now: number },
  ): number | undefined {
    const counting = this.#counting(network, intent, approvers, now).filter((one) => one.approver === approver)
    return counting.length === 0 ? undefined : Math.max(...counting.map(({ expiresAt }) => expiresAt))
  }

  /** The approvals of an intent that have not ended, were not used up, and whose keys are enrolled. */
  #counting(
    network: Network,
    intent: Intent,
    approvers: Approvers,
    now: number,
  ): { approver: string; expiresAt: number }[] {
    const rows = this.#index.rows(
      'select approver, key, expiresAt from approvals where intent = ? and contents = ? and expiresAt > ? and isUsed = 0',
      intent.id,
      contentsOf(network, intent),
      now,
    )
    return [...rows].flatMap(({ approver, key, expiresAt }) =>
      approvers.get(approver as string)?.some(({ name }) => name === key)
        ? [{ approver: approver as string, expiresAt: Number(expiresAt) }]
        : [],
    )
  }
}

export type Identified = Pick<ApprovedEntry, 'network' | 'intent' | 'key' | 'expiresAt'> & {
  proof: { kind: 'ed25519' } | { kind: 'passkey'; nonce: string }
}

/** Identifies an approval by its text and key. A passkey's text has a nonce, so that each page makes another one. */
export function approvalId({ network, intent, key, expiresAt, proof }: Identified): string {
  const text = approvalMessage(network, intent, expiresAt) + (proof.kind === 'passkey' ? proof.nonce : '')
  return createHash('sha256').update(`${key}\n${text}`).digest('hex')
}
