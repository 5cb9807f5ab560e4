/**
 * Adjustments as two people make them: ann proposes, bob signs, and the books are checked. It stands here because only
 * tests of this module propose and sign; the command line has tests of its own through the command.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { applyAll, auditLedger, ruleOf, totalOf, type AccountKind } from '../../ledger/postings/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createAuditJob, listOpenFindings } from '../auditing/index.ts'
import { readAccount } from './accounts.ts'
import {
  adjustmentText,
  applyAdjustment,
  databaseIdentity,
  enrol,
  findAdjustment,
  makePersonKey,
  propose,
  signText,
} from './index.ts'

export const [SHOP, OWNER] = [randomUUID(), randomUUID()]
export const ann = { ...makePersonKey(), id: 'ann', login: 'ann' }
export const bob = { ...makePersonKey(), id: 'bob', login: 'bob' }

const show = (_asset: string, units: bigint): string => units.toString()
export interface Typed {
  from: string
  to: string
  units: bigint
  asset?: string
  address?: string
  deposit?: string
  reason?: string
  by?: string
}

/** For the top of a test file: an empty ledger before each test, two merchants, and bob enrolled as the only person. */
export const useAdjustments = () => {
  const { db } = useDb()
  const runtime = createTestRuntime(db)
  let ahead = 0
  beforeEach(async () => {
    ahead = 0
    await emptyTables(db)
    for (const id of [SHOP, OWNER]) await makeMerchant(db, Date.now(), { id })
    await inTransaction(db, (tx) => enrol(tx, bob, { actor: 'cli:root', voucher: null }, moment()))
  })

  const moment = () => ({ ...momentOf(runtime), at: new Date(runtime.clock.business() + ahead) })
  const proposed = ({ from, to, units, asset = 'USDT', address, deposit, reason = 'because', by = 'cli:ann' }: Typed) =>
    inTransaction(db, (tx) =>
      propose(
        tx,
        {
          asset,
          units,
          amount: units.toString(),
          from: readAccount(from),
          to: readAccount(to),
          address: address ?? null,
          depositId: deposit ?? null,
          reason,
          proposedBy: by,
        },
        show,
        moment(),
      ),
    )

  const signatureOf = async (id: string, person = bob): Promise<string> =>
    signText(person.pem, adjustmentText((await findAdjustment(db, id))!, await databaseIdentity(db)))

  const apply = (id: string, signature: string, person = 'bob') =>
    inTransaction(db, (tx) => applyAdjustment(tx, { id, person, signature }, { actor: 'cli:ann', show }, moment()))

  /** Proposes, has the second person sign, and posts. */
  const adjust = async (typed: Typed): Promise<string> => {
    const { id } = await proposed(typed)
    await apply(id, await signatureOf(id))
    return id
  }

  /** The balance of an account, positive on its normal side. */
  const balance = async (merchantId: string, kind: AccountKind, asset = 'USDT'): Promise<bigint> => {
    const { rows } = await sql<{
      posted: bigint
    }>`select posted from ledger_accounts where merchant_id = ${merchantId} and asset = ${asset} and kind = ${kind}`.execute(
      db,
    )
    const posted = rows[0]?.posted ?? 0n
    return ruleOf(kind).normal === 'credit' ? posted : -posted
  }

  /** Money from outside: an account of an owner gets it, custody of the same owner holds it. */
  const given = (merchantId: string, kind: AccountKind, units: bigint, asset = 'USDT') =>
    post(
      merchantId,
      [
        [kind, units],
        ['custody:TRON', -units],
      ],
      asset,
    )
  const post = (merchantId: string, entries: readonly (readonly [AccountKind, bigint])[], asset = 'USDT') =>
    inTransaction(db, (tx) =>
      applyAll(tx, [
        {
          transfer: {
            id: runtime.newId(),
            merchantId,
            kind: 'post',
            cause: { kind: 'funding', id: runtime.newId() },
            at: new Date(),
            entries: entries.map(([kind, posted]) => ({ account: { merchantId, asset, kind }, posted, held: 0n })),
          },
        },
      ]),
    )

  /** Each asset adds up, every clearing is level, and the continuous audit finds nothing. */
  const booksHold = async (): Promise<void> => {
    expect(await auditLedger(db)).toEqual([])
    expect(await totalOf(db, 'USDT', 'clearing')).toBe(0n)
    await createAuditJob(runtime, 1).run(new AbortController().signal)
    expect((await listOpenFindings(db)).filter(({ detail }) => detail.includes('adjustment'))).toEqual([])
  }

  return {
    db,
    runtime,
    moment,
    /** Moves the business clock. */
    later: (ms: number): void => {
      ahead += ms
    },
    proposed,
    signatureOf,
    apply,
    adjust,
    balance,
    given,
    post,
    booksHold,
  }
}
