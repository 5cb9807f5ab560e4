/**
 * Money that screening rejected leaves quarantine: one person proposes it, and another one signs
 * (docs/operating/adjustments.md, "Returning money that screening rejected"). The merchant that gets it pays it back by
 * a withdrawal of its own.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import {
  adjustmentText,
  applyAdjustment,
  databaseIdentity,
  enrol,
  NotAllowed,
  propose,
  signText,
  type Show,
} from '../../../server/src/treasury/adjustments/index.ts'
import { unitsOf } from '../model/books.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'

/** Ed25519 in PKCS #8 (RFC 8410), so that the same seed gives the same signatures. */
const KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
})
const PEM = KEY.export({ type: 'pkcs8', format: 'pem' }).toString()
const RAW_BYTES = 32
const SIGNER = {
  id: 'second',
  publicKey: createPublicKey(KEY).export({ type: 'spki', format: 'der' }).subarray(-RAW_BYTES).toString('hex'),
  login: 'second',
}

/** The second person may sign from now on. */
export const enrolSigner = async ({ db, moment }: Simulation): Promise<void> =>
  inTransaction(db, (tx) => enrol(tx, SIGNER, { actor: 'simulation', voucher: null }, moment()))

/** A rejected deposit, as `bursar screening list --rejected --json` shows it. */
interface Rejected {
  merchantId: string
  subjectId: string
  asset: string
  amount: string
}

const giveBack: Action = {
  name: 'operators return rejected money',
  weight: ({ books }) => (books.decided.some(({ event }) => event === 'reject') ? 0.7 : 0),
  run: async (simulation, random) => {
    const { books, catalogue, db, merchants, moment, operate } = simulation
    const listed = await operate('screening list', '--rejected')
    if ('failure' in listed) throw new Error(`screening list: ${listed.failure}`)
    const rejected = listed.printed['screenings'] as readonly Rejected[]
    if (rejected.length === 0) return 'there is none'
    const { merchantId, subjectId, asset, amount } = random.pick(rejected)
    const to = random.pick(merchants)
    const units = unitsOf(catalogue, asset, amount)
    const proposal = {
      asset,
      units,
      amount,
      from: { kind: 'quarantine', of: merchantId },
      to: { kind: 'merchant', of: to.id },
      address: null,
      depositId: subjectId,
      reason: 'simulation',
      proposedBy: 'simulation',
    } as const
    const show: Show = (ticker, shown) => formatUnits(shown, catalogue.find(ticker)!.scale)
    try {
      const adjustment = await inTransaction(db, (tx) => propose(tx, proposal, show, moment()))
      const signature = signText(PEM, adjustmentText(adjustment, await databaseIdentity(db)))
      const signed = { id: adjustment.id, person: SIGNER.id, signature }
      await inTransaction(db, (tx) => applyAdjustment(tx, signed, { actor: 'simulation', show }, moment()))
    } catch (error) {
      // Its block is not final, or the money was moved before.
      if (!(error instanceof NotAllowed) && !((error as Error).cause instanceof NotAllowed)) throw error
      return `${amount} ${asset}: refused`
    }
    books.granted.push({ merchant: to.name, ticker: asset, units })
    return `${amount} ${asset} to ${to.name}`
  },
}

export const RETURNS: readonly Action[] = [giveBack]

/** @returns the text for the trace */
export const returnOne = (simulation: Simulation, random: Random): Promise<string> => giveBack.run(simulation, random)
