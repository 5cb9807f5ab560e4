/** Builds the committer item of an accepted withdrawal as the route does. */
import { createHash } from 'node:crypto'
import type { NewId } from '../../server/src/platform/base/id.ts'
import type { Item } from '../../server/src/ledger/postings/index.ts'
import { holdTransfer } from '../../server/src/pay-out/withdrawals/postings.ts'
import { rowOf, withdrawalRows } from '../../server/src/pay-out/withdrawals/store.ts'
import type { Withdrawal } from '../../server/src/pay-out/withdrawals/withdrawal.ts'

const UNITS = 1_500_000n
const FEE = 100_000n
/** More than any account has. */
const TOO_MUCH = 10n ** 30n

/** @param n number of the request, from which its localId and signature are made */
export const acceptance = (merchantId: string, n: number, newId: NewId, affordable: boolean): Item => {
  const withdrawal: Withdrawal = {
    merchantId,
    id: newId(),
    intentId: newId(),
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    units: affordable ? UNITS : TOO_MUCH,
    fee: FEE,
    localId: `order-${n}`,
    meta: `customer ${n}`,
    state: 'requested',
    failReason: null,
    internal: false,
    holdId: newId(),
    outgoingId: null,
    doneSent: false,
    notifiedAs: null,
    createdAt: new Date(),
  }
  const hash = createHash('sha256').update(withdrawal.localId!)
  const fingerprint = hash.copy().digest('base64url')
  return {
    transfer: holdTransfer(withdrawal),
    rows: [{ table: withdrawalRows, values: rowOf(withdrawal, null) }],
    localId: { value: withdrawal.localId!, operation: 'createCryptoWithdrawal' },
    answers: {
      keys: [{ key: `sig:${hash.digest('hex')}`, fingerprint }],
      of: (settled) =>
        settled.kind === 'applied'
          ? { status: 200, body: JSON.stringify({ id: withdrawal.id }) }
          : { status: 400, body: JSON.stringify({ code: 0, description: settled.guard }) },
    },
  }
}
