import type { Sabotage } from './sabotage.ts'

/** Faults of the ledger: balances, holds, localIds and stored answers. */
export const ledgerSabotages: readonly Sabotage[] = [
  {
    name: 'no-balance-check',
    file: 'server/src/ledger/postings/judge.ts',
    replace: ['bounded && after < 0n', 'bounded && after < -(10n ** 60n)'],
    fault: 'P2, I7, I9',
    breaks: 'A merchant withdraws more than its balance.',
    finder: 'server/src/ledger/postings/judge.test.ts › items see the effects of earlier items of the batch',
  },
  {
    name: 'local-id-not-taken',
    file: 'server/src/ledger/postings/judge.ts',
    replace: [
      "if (taken !== undefined) return { kind: 'refused', guard: 'local-id-taken', objectId: taken }",
      "if (taken === '') return { kind: 'refused', guard: 'local-id-taken', objectId: taken }",
    ],
    fault: 'P2, L3',
    breaks: 'One order that is sent twice is paid twice.',
    finder:
      'server/src/ledger/postings/judge.test.ts › a localId is taken once, and the refusal names the object that has it',
  },
  {
    name: 'hold-ends-twice',
    file: 'server/src/ledger/postings/judge.ts',
    replace: ['if (transfer.closes) openHolds.delete(`${transfer.merchantId}/${transfer.closes}`)', ''],
    fault: 'L6',
    breaks: 'Money of one hold is released twice.',
    finder: 'server/src/ledger/postings/judge.test.ts › a hold ends once: the second release or capture is refused',
  },
  {
    name: 'hold-closed-ignored',
    file: 'server/src/ledger/postings/judge.ts',
    replace: [
      "if (!hold) return { kind: 'refused', guard: 'hold-closed' }\n    requireWholeHold",
      'if (hold) requireWholeHold',
    ],
    fault: 'L6',
    breaks: 'A hold that was captured is released as well.',
    finder:
      'server/src/ledger/postings/ledger.test.ts › capture and release race for one hold: one wins, 30 times out of 30',
  },
  {
    name: 'partial-hold',
    file: 'server/src/ledger/postings/judge.ts',
    replace: ['requireWholeHold(transfer, hold, touched)\n  }', '\n  }'],
    fault: 'L6',
    breaks: 'A part of a hold is never released.',
    finder: 'server/src/ledger/postings/judge.test.ts › a hold ends as a whole or not at all',
  },
  {
    name: 'other-merchants-account',
    file: 'server/src/ledger/postings/posting.ts',
    replace: ['if (merchantId !== owner) throw', "if (owner === '') throw"],
    fault: 'L2',
    breaks: 'A transfer of one merchant changes the balance of another.',
    finder: 'server/src/ledger/postings/judge.test.ts › malformed transfers are refused before they reach the database',
  },
  {
    name: 'accounts-not-locked',
    file: 'server/src/ledger/postings/store.ts',
    replace: ['where id = any($1::bigint[]) order by id for no key update', 'where id = any($1::bigint[]) order by id'],
    fault: 'L1, I16',
    breaks: 'Two batches judge the same balance, and both spend it.',
    finder:
      'server/src/ledger/postings/ledger.test.ts › capture and release race for one hold: one wins, 30 times out of 30',
  },
  {
    name: 'stored-answer-for-another-request',
    file: 'server/src/ledger/postings/identity.ts',
    replace: ['if (!isSameRequest(stored.fingerprint, asked)) return', "if (stored.fingerprint === '') return"],
    fault: 'L3',
    breaks: 'A reused key answers another order as if that had been placed.',
    finder:
      'server/src/ledger/postings/judge.test.ts › a repeated request gets the first answer, refusals included, and a reused key is refused',
  },
  {
    name: 'refusal-not-stored',
    file: 'server/src/ledger/postings/judge.ts',
    replace: [
      "if (outcome.kind === 'answered' || outcome.kind === 'key-reused') return\n    keep(item, outcome)\n    if (outcome.kind !== 'applied') return",
      "if (outcome.kind === 'answered' || outcome.kind === 'key-reused') return\n    if (outcome.kind !== 'applied') return\n    keep(item, outcome)",
    ],
    fault: 'L4',
    breaks: 'A repeated request is placed after its first answer said that it was refused.',
    finder:
      'server/src/ledger/postings/judge.test.ts › a repeated request gets the first answer, refusals included, and a reused key is refused',
  },
  {
    name: 'sum-below-zero',
    file: 'server/src/ledger/postings/posting.ts',
    replace: ['if (sum !== 0n) throw', 'if (sum > 0n) throw'],
    fault: 'L9',
    breaks: 'A transfer destroys money: its entries add up to less than zero.',
    finder: 'server/src/ledger/postings/judge.test.ts › malformed transfers are refused before they reach the database',
  },
  {
    name: 'applied-item-judged-again',
    file: 'server/src/ledger/postings/committer.ts',
    replace: ["      if (await hasTransfer(lane, item)) return { outcome: { kind: 'applied' } }\n", ''],
    fault: 'C4',
    breaks: 'An order that was placed is refused for its own localId, and the merchant places it again.',
    finder:
      'server/src/ledger/postings/ledger.test.ts › a COMMIT whose answer is lost has applied its items: they are answered so, and not refused for their own localId',
  },
  {
    name: 'equal-requests-not-locked',
    file: 'server/src/ledger/postings/identity.ts',
    replace: ["  await query('ledger-lock-known', LOCK, [arrayLiteral('text', names)])\n", ''],
    fault: 'L3',
    breaks: 'A request that comes twice at once is answered with a refusal, although it was carried out.',
    finder:
      'server/src/ledger/postings/ledger.test.ts › a request that comes twice at once waits for the first, before prices and inventory are read, and gets its answer',
  },
  {
    name: 'addresses-locked-before-accounts',
    file: 'server/src/ledger/effects/index.ts',
    replace: [
      'await applyAll(tx, items)\n  await moveCustody(tx, moves)',
      'await moveCustody(tx, moves)\n  await applyAll(tx, items)',
    ],
    fault: 'L1',
    breaks: 'Two transactions deadlock, and a payment is delayed.',
    finder:
      'server/src/ledger/effects/lock-order.test.ts › effects lock accounts, then balances of addresses in their order, then the heads of notifications: at the account',
  },
  {
    name: 'heads-locked-before-addresses',
    file: 'server/src/ledger/effects/index.ts',
    replace: [
      'await moveCustody(tx, moves)\n  await emit(tx, notices, moment)',
      'await emit(tx, notices, moment)\n  await moveCustody(tx, moves)',
    ],
    fault: 'L1',
    breaks: 'Two transactions deadlock, and a payment is delayed.',
    finder:
      'server/src/ledger/effects/lock-order.test.ts › effects lock accounts, then balances of addresses in their order, then the heads of notifications: at the balance of the first address',
  },
  {
    name: 'addresses-locked-in-any-order',
    file: 'server/src/ledger/address-balances/commands.ts',
    replace: ['return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(', 'return [...sums].map('],
    fault: 'L1',
    breaks: 'Two blocks that move money of the same addresses deadlock.',
    finder:
      'server/src/ledger/effects/lock-order.test.ts › effects lock accounts, then balances of addresses in their order, then the heads of notifications: at the balance of the first address',
  },
]
