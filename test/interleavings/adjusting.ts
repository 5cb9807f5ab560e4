/** An adjustment that one person has proposed and another has signed, as the command `bursar adjust` makes them. */
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import {
  adjustmentText,
  applyAdjustment,
  databaseIdentity,
  enrol,
  makePersonKey,
  propose,
  readAccount,
  signText,
} from '../../server/src/treasury/adjustments/index.ts'

export interface SignedAdjustment {
  id: string
  person: string
  signature: string
}

const show = (_asset: string, units: bigint): string => units.toString()

/** Money that a merchant gives back to the owner. @param units of USDT */
export const signAdjustment = async (
  runtime: Runtime,
  merchantId: string,
  units: bigint,
): Promise<SignedAdjustment> => {
  const moment = momentOf(runtime)
  const bob = { ...makePersonKey(), id: 'bob', login: 'bob' }
  await inTransaction(runtime.db, (tx) => enrol(tx, bob, { actor: 'cli:root', voucher: null }, moment))
  const proposal = {
    asset: 'USDT',
    units,
    amount: units.toString(),
    from: readAccount(`merchant:${merchantId}`),
    to: readAccount('capital'),
    address: null,
    depositId: null,
    reason: 'it was not withdrawn',
    proposedBy: 'cli:ann',
  }
  const adjustment = await inTransaction(runtime.db, (tx) => propose(tx, proposal, show, moment))
  const text = adjustmentText(adjustment, await databaseIdentity(runtime.db))
  return { id: adjustment.id, person: bob.id, signature: signText(bob.pem, text) }
}

/**
 * Posts it. Where the balance is too small, the command fails by its own check, or by that of the posting when the
 * money has left in between: both are one outcome.
 */
export const adjust = async ({ runtime }: { runtime: Runtime }, signed: SignedAdjustment): Promise<string> => {
  try {
    await inTransaction(runtime.db, (tx) => applyAdjustment(tx, signed, { actor: 'cli:ann', show }, momentOf(runtime)))
    return 'posted'
  } catch (error) {
    if (TOO_LITTLE.test((error as Error).message)) return 'refused: too little'
    throw error
  }
}

const TOO_LITTLE = /^merchant:\S+ has \d+ USDT: less than \d+$|^transfer \S+ was refused: insufficient$/
