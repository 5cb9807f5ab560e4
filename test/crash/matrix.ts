/**
 * The crash matrix: every pause point of the source, the operations that pass it, and for each pair the test that
 * kills there. `matrix.test.ts` compares it with the source: a new point, or a new purpose of transactions, fails until
 * it has a row here.
 */
import type { Purpose } from '../../server/src/chain/transactions/transaction.ts'

/**
 * How a test kills. `process`: kill -9 of the real process, beside real nodes. `job`: in the test's process, the job
 * goes no further or throws at the point, and another one goes on; the database is real, the counterparty as the test
 * says.
 */
type Kill = 'process' | 'job'

interface Cells {
  /** the operations that pass the points; networks are named where tests differ */
  operation: string
  /** of the transactions that the operation sends, which pass all of `SENDING` */
  purpose?: Purpose
  points: readonly string[]
  kill: Kill
  /** `path/of.test.ts › part of the title` */
  test: string
}

/** Points on the way of a transaction from its plan to a node. */
export const SENDING = ['before-sign', 'signed-not-stored', 'stored-not-broadcast', 'broadcast-not-recorded'] as const

/** A pair without a test, and the reason. */
interface Gap {
  operation: string
  points: readonly string[]
  why: string
}

const PAUSE_POINTS = 'test/crash/pause-points.slow.test.ts › %s on %s: one payment'
const BOUNDARIES = 'test/crash/boundaries.slow.test.ts'
const SWEEP = 'test/crash/sweeps.slow.test.ts › at %s on %s: a deposit leaves once'
const COLD = 'test/crash/sweeps.slow.test.ts › at %s on %s: one is offered, and an old one ends'
const SCREENED = 'test/crash/screening.slow.test.ts'
const BITCOIN_MONEY =
  'server/src/treasury/consolidation/bitcoin-money.slow.test.ts › killed in a %s at %s: one transaction, and books and chain agree to the satoshi'
const TRON_SWEEP =
  'server/src/treasury/sweeps/tron/crash.slow.test.ts › killed at $name, pass $passes: one sweep, the energy is back, books and chain agree'
const EVM_SWEEP = 'server/src/treasury/sweeps/evm/crash.slow.test.ts › at %s, delegation %s: each asset leaves once'
const KILLED = 'server/src/pay-out/withdrawals/killed.test.ts'
const FIAT = 'test/system/fiat-invoices.slow.test.ts'
const FIAT_JOBS =
  'server/src/pay-in/fiat-invoices/crashes.test.ts › an invoice is paid once, refunded once, and another one ends in time'
const EXCHANGE = 'test/crash/exchange.slow.test.ts'

export const MATRIX: readonly Cells[] = [
  // Withdrawals
  ...(['Bitcoin', 'Ethereum', 'TRON'] as const).map((network) => ({
    operation: `withdrawal, ${network}`,
    purpose: 'payout' as const,
    points: [network === 'Bitcoin' ? 'batch-chosen' : 'payout-chosen', ...SENDING],
    kill: 'process' as const,
    test: PAUSE_POINTS,
  })),
  {
    operation: 'withdrawals of one sender together, EVM',
    purpose: 'payout',
    points: ['payout-chosen', ...SENDING],
    kill: 'job',
    test: 'server/src/pay-out/withdrawals/together.system.test.ts › killed at %s each is paid once',
  },
  {
    operation: 'exchange with withdrawal, Ethereum',
    purpose: 'payout',
    points: ['payout-chosen', ...SENDING],
    kill: 'process',
    test: `${EXCHANGE} › at %s pays the address once, Exchanged and Done once each`,
  },
  ...(['evm', 'tron'] as const).map((family) => ({
    operation: `withdrawal from a deposit address, ${family === 'evm' ? 'EVM' : 'TRON'}`,
    purpose: 'payout' as const,
    points: ['direct-chosen', ...SENDING],
    kill: 'job' as const,
    test: `server/src/pay-out/from-deposit-addresses/${family}.slow.test.ts › killed at %s it is paid once`,
  })),
  {
    operation: 'withdrawal to a listed address',
    points: ['screening-claimed', 'screening-asked', 'screening-stored', 'halted-decided', 'payout-chosen'],
    kill: 'process',
    test: `${SCREENED} › at %s, over a withdrawal that is to be judged again: it is given back once`,
  },
  {
    operation: 'replacement of a stuck withdrawal, EVM',
    purpose: 'payout',
    points: ['bump-planned', ...SENDING],
    kill: 'job',
    test: `${KILLED} › killed at %s of a replacement: one payment, by its latest bytes`,
  },
  {
    operation: 'replacement of a stuck withdrawal, Bitcoin',
    purpose: 'payout',
    points: ['bump-planned', ...SENDING],
    kill: 'job',
    test: BITCOIN_MONEY,
  },
  {
    operation: 'renewal of an expired withdrawal, TRON',
    points: ['renewal-planned'],
    kill: 'job',
    test: 'server/src/pay-out/from-deposit-addresses/tron.slow.test.ts › T3 killed at renewal-planned, it is made anew once',
  },
  {
    operation: 'expired withdrawal that nodes refuse, TRON',
    points: ['death-proven'],
    kill: 'job',
    test: 'server/src/chain/transactions/expired.test.ts › killed at death-proven: the next worker gives it back, once',
  },
  {
    operation: 'withdrawal whose nonce another transaction has used',
    points: ['superseded-proven'],
    kill: 'job',
    test: 'server/src/pay-out/withdrawals/overtaken.test.ts › is ended by the next worker when one dies between the proof and its record',
  },
  {
    operation: 'filler of a nonce, EVM',
    purpose: 'filler',
    points: SENDING,
    kill: 'job',
    test: `${KILLED} › killed at %s of a filler: one filler takes the nonce, and the payment behind it is sent`,
  },
  {
    operation: 'move between hot addresses, EVM',
    purpose: 'rebalance',
    points: ['rebalance-chosen', ...SENDING],
    kill: 'job',
    test: 'server/src/pay-out/withdrawals/pool.system.test.ts › killed before a move is stored, or while it is signed and sent, money moves once',
  },
  // Our own coins
  {
    operation: 'sweep, Ethereum and BSC',
    purpose: 'sweep',
    points: ['sweep-chosen', 'sweep-planned', ...SENDING],
    kill: 'process',
    test: SWEEP,
  },
  {
    operation: 'sweep with delegation or gas first, EVM',
    purpose: 'gas',
    points: ['sweep-chosen', 'sweep-planned', ...SENDING],
    kill: 'job',
    test: EVM_SWEEP,
  },
  {
    operation: 'deployment of the contracts of sweeps',
    points: ['sweep-deployment-chosen', 'sweep-deployment-planned'],
    kill: 'process',
    test: SWEEP,
  },
  {
    operation: 'sweep, TRON',
    purpose: 'sweep',
    points: ['sweep-step-chosen', 'sweep-step-planned', ...SENDING],
    kill: 'process',
    test: SWEEP,
  },
  {
    operation: 'sweep with lent energy, TRON',
    purpose: 'resources',
    points: ['sweep-step-chosen', 'sweep-step-planned', 'return-chosen', 'return-planned', ...SENDING],
    kill: 'job',
    test: TRON_SWEEP,
  },
  {
    operation: 'expired sweep, TRON',
    points: ['lapse-proven'],
    kill: 'job',
    test: 'server/src/treasury/sweeps/tron/crash.slow.test.ts › killed between the proof and the record that a sweep is dead: it is given up once',
  },
  {
    operation: 'joining of small coins, Bitcoin',
    purpose: 'consolidation',
    points: ['coins-gathered', ...SENDING],
    kill: 'process',
    test: 'test/crash/coins.slow.test.ts › %s: coins are joined once',
  },
  {
    operation: 'child that pays for a deposit, Bitcoin',
    purpose: 'consolidation',
    points: ['child-chosen', ...SENDING],
    kill: 'job',
    test: BITCOIN_MONEY,
  },
  {
    operation: 'recall of a refused withdrawal, Bitcoin',
    points: ['recall-chosen'],
    kill: 'job',
    test: 'server/src/treasury/consolidation/recall.test.ts › killed at recall-chosen: the next worker takes it back, once',
  },
  {
    operation: 'transfer to cold storage, every network',
    points: ['cold-planned', 'cold-ending'],
    kill: 'process',
    test: COLD,
  },
  {
    operation: 'transfer to cold storage that was signed, EVM',
    points: ['broadcast-not-recorded'],
    kill: 'job',
    test: 'server/src/treasury/cold/evm.slow.test.ts › at broadcast-not-recorded of a signed transfer leaves it to the next one, which hands over the same bytes',
  },
  // Money in
  {
    operation: 'deposit, Ethereum',
    points: ['blocks-read', 'blocks-not-committed', 'blocks-applied'],
    kill: 'process',
    test: `${BOUNDARIES} › at %s on %s credits a deposit once`,
  },
  {
    operation: 'deposit, Bitcoin and TRON',
    points: ['blocks-not-committed'],
    kill: 'process',
    test: `${BOUNDARIES} › at %s on %s credits a deposit once`,
  },
  {
    operation: 'deposit that is held until it is screened',
    points: ['screening-claimed', 'screening-asked', 'screening-stored'],
    kill: 'process',
    test: `${SCREENED} › at %s of a held deposit that is %s: it is credited once, or waits in quarantine`,
  },
  {
    operation: 'crypto invoice that ends',
    points: ['invoices-expired'],
    kill: 'process',
    test: 'test/system/invoices.slow.test.ts › 72 hours later: EXPIRED with the amount paid, in spite of a worker killed over it',
  },
  {
    operation: 'crypto invoice that is quoted anew',
    points: ['invoices-quoted'],
    kill: 'job',
    test: 'server/src/pay-in/crypto-invoices/jobs.test.ts › killed at invoices-quoted: each has its new quote once, and the next worker leaves it',
  },
  {
    operation: 'card payment that is ordered',
    points: ['payment-asked-not-sent', 'payment-made-not-stored'],
    kill: 'process',
    test: `${FIAT} › at %s gives no account an order twice, and the other account one of its own`,
  },
  {
    operation: 'card payment that is paid',
    points: ['payment-not-asked', 'payment-answer-not-stored'],
    kill: 'process',
    test: `${FIAT} › at %s credits once`,
  },
  {
    operation: 'refund of a card payment, and an invoice that ends',
    points: ['refund-asked-not-sent', 'refund-answer-not-stored', 'fiat-invoice-run-out'],
    kill: 'job',
    test: FIAT_JOBS,
  },
  {
    operation: 'hold of a card payment',
    points: ['card-hold-due'],
    kill: 'job',
    test: 'server/src/app/composition/held-card-money.test.ts › killed at card-hold-due: is released once by the next worker',
  },
  {
    operation: 'statement of an acquirer',
    points: ['statement-read'],
    kill: 'job',
    test: 'server/src/pay-in/fiat-invoices/statements.test.ts › killed at statement-read: the next worker reads it again, and posts its lines once',
  },
  // Cards and exchange
  {
    operation: 'card payout',
    points: [
      'card-payout-chosen',
      'card-payout-begun',
      'card-payout-answered',
      'card-payout-recorded',
      'card-payout-asked',
    ],
    kill: 'process',
    test: 'test/system/card-payouts.slow.test.ts › at %s: one payment at most, and the merchant is notified once',
  },
  {
    operation: 'exchange with card payout',
    points: [
      'card-payout-chosen',
      'card-payout-begun',
      'card-payout-answered',
      'card-payout-recorded',
      'card-payout-asked',
    ],
    kill: 'process',
    test: `${EXCHANGE} › at %s pays the card once at most, and is notified once`,
  },
  {
    operation: 'conversion',
    points: ['conversion-priced'],
    kill: 'process',
    test: `${EXCHANGE} › of %s at %s is converted once and notified once`,
  },
  {
    operation: 'conversion with a withdrawal',
    points: ['conversion-priced', 'stored-not-broadcast'],
    kill: 'process',
    test: `${EXCHANGE} › of %s with an address at %s sends its proceeds once`,
  },
  {
    operation: 'hedge',
    points: ['hedge-begun', 'hedge-answered', 'hedge-recorded', 'hedge-asked'],
    kill: 'process',
    test: 'test/crash/hedging.slow.test.ts › %s: one order, booked once',
  },
  // Orders and notifications
  {
    operation: 'order: withdrawal, exchange, card payout',
    points: ['committed-not-answered'],
    kill: 'process',
    test: `${BOUNDARIES} › %s is made once, and the same request gets its answer`,
  },
  {
    operation: 'notification',
    points: ['notifications-claimed', 'deliveries-not-recorded'],
    kill: 'process',
    test: `${BOUNDARIES} › at %s: the next worker delivers it under the same id, with the same body`,
  },
  {
    operation: 'mail',
    points: ['mail-sent'],
    kill: 'process',
    test: 'test/system/mail.slow.test.ts › once more under the same id when the worker dies before it knows',
  },
  {
    operation: 'mail that is claimed',
    points: ['mail-claimed'],
    kill: 'job',
    test: 'server/src/merchants/mail/sending.test.ts › of a worker that died at %s is sent by another when its lease is over: %i times the same mail',
  },
]

export const GAPS: readonly Gap[] = [
  {
    operation: 'transfer to cold storage, TRON',
    points: ['cold-ending'],
    why: "nothing ends it but its expiry by the chain's own time; `server/src/treasury/cold/tron.slow.test.ts` proves its end without a kill",
  },
  {
    operation: 'transfer to cold storage',
    points: ['before-sign', 'signed-not-stored', 'stored-not-broadcast'],
    why: 'it is signed offline and stored by an operator’s command, so that it passes only the last point of sending',
  },
]

/**
 * The point that no name in the source has: the signer has no pause points. Its tests start it by an entry of their own
 * with a function that kills it once its log is on the disk (`signer/src/server/test-crash-main.ts`).
 */
export const SIGNER: readonly string[] = [
  'signer/src/server/crash.slow.test.ts › killed between the log and its index, %s is answered with the same bytes afterwards, and with no others',
  `${BOUNDARIES} › on %s: the payment is made once`,
]
