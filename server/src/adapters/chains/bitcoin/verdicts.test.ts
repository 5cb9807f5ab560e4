import { expect, test } from 'vitest'
import { verdictOf } from './broadcast.ts'

/** As Bitcoin Core and Knots write them, from version 22 to 31. */
const SAYINGS: [code: number, message: string, verdict: string | undefined][] = [
  [-27, 'Transaction outputs already in utxo set', 'accepted'],
  [-27, 'Transaction already in block chain', 'accepted'],
  [-26, 'txn-already-in-mempool', 'accepted'],
  [-26, 'txn-already-known', 'accepted'],
  [-26, 'txn-same-nonwitness-data-in-mempool', 'accepted'],
  [-25, 'bad-txns-inputs-missingorspent', 'spent'],
  [-25, 'Missing inputs', 'spent'],
  [-26, 'missing-inputs', 'spent'],
  [-26, 'txn-mempool-conflict', 'conflict'],
  [-26, 'bad-txns-spends-conflicting-tx', 'conflict'],
  [-26, 'min relay fee not met, 100 < 141', 'fee-too-low'],
  [-26, 'mempool min fee not met, 141 < 1410', 'fee-too-low'],
  [-26, 'mempool full', 'fee-too-low'],
  [
    -26,
    'insufficient fee, rejecting replacement ab12, less fees than conflicting txs; 0.00001 < 0.00002',
    'fee-too-low',
  ],
  [-26, 'insufficient fee (including sibling eviction), rejecting replacement ab12', 'fee-too-low'],
  [-26, 'replacement-failed, insufficient feerate: does not improve feerate diagram', 'fee-too-low'],
  [-26, 'dust', 'invalid'],
  [-26, 'dust, tx with dust output must be 0-fee', 'invalid'],
  [-26, 'scriptpubkey', 'invalid'],
  [-26, 'dust-nonanchor', 'invalid'],
  [-26, 'non-final', 'later'],
  [-26, 'non-BIP68-final', 'later'],
  [-26, 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 6', 'later'],
  [-26, 'too-large-cluster', 'later'],
  [-26, 'TRUC-violation, version=2 tx 5d62 cannot spend from version=3 tx 1c3e', 'later'],
  [-26, 'truc-spent-by-nontruc, non-version=3 tx 5d62 (wtxid=9f38) cannot spend from version=3 tx 1c3e (wtxid=860b)', 'later'],
  [-26, 'v3-rule-violation, version=2 tx 5d62 cannot spend from version=3 tx 1c3e', 'later'],
  [-26, 'replacement-adds-unconfirmed, replacement ab12 adds unconfirmed input, idx 1', 'later'],
  [-26, 'too many potential replacements, rejecting replacement ab12; too many potential replacements (101 > 100)', 'later'],
  [-26, 'mandatory-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)', 'invalid'],
  [-26, 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]', 'later'],
  [-25, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)', 'invalid'],
  [-22, 'TX decode failed. Make sure the tx has at least one input.', 'invalid'],
  [-28, 'Loading block index...', undefined],
  [-32601, 'Method not found', undefined],
  [-7, 'Out of memory', undefined],
]

test.for(SAYINGS)('audit D-B8, B1-B12: %i %s', ([code, message, verdict]) => {
  expect(verdictOf(code, message)).toBe(verdict)
})
