/** Screening: a judgement, an operator's decisions about it, and a new list of sanctions. */
import { createTestDeposits } from '../chain.ts'
import { decide, endHalted, judgeAll, listMore } from '../screening.ts'
import type { Operation } from './operation.ts'

export const screeningOperations: readonly Operation[] = [
  {
    name: 'judge',
    isJob: true,
    changes: ['USDT', 'screenings'],
    run: (process, { world }) => judgeAll(process, createTestDeposits(), world.signer),
  },
  {
    name: 'release-deposit',
    changes: ['USDT', 'screenings'],
    run: (process, { objects }) => decide(process, createTestDeposits(), objects.riskyDeposit, 'released'),
  },
  {
    name: 'reject-deposit',
    changes: ['screenings'],
    run: (process, { objects }) => decide(process, createTestDeposits(), objects.riskyDeposit, 'rejected'),
  },
  { name: 'list-sanctions', changes: ['screenings', 'payouts'], run: listMore },
  {
    name: 'release-withdrawal',
    changes: ['screenings', 'payouts'],
    run: (process, { objects }) => decide(process, createTestDeposits(), objects.riskyWithdrawal, 'released'),
  },
  {
    name: 'end-halted',
    isJob: true,
    changes: ['USDT', 'screenings', 'payouts'],
    run: (process, { world }) => endHalted(process, createTestDeposits(), world.signer),
  },
]
