/**
 * How Bitcoin Core and Knots, from version 22 to 31, refuse a transaction (src/validation.cpp, src/policy,
 * src/node/transaction.cpp; the words of Knots 29.4.3 were seen on regtest), and the meaning of each refusal for
 * the transaction. Undefined: the node refuses because of its own state.
 */
export const REFUSALS: readonly (readonly [code: number, message: string, verdict: string | undefined])[] = [
  // Row B-10: it is mined, or its outputs are spent too.
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
  // Row B-2, row B-3: what it replaces pays more, or the pool has a newer form of it.
  [
    -26,
    'insufficient fee, rejecting replacement ab12, less fees than conflicting txs; 0.00001 < 0.00002',
    'fee-too-low',
  ],
  [-26, 'insufficient fee, rejecting replacement ab12; new feerate 0.00001 <= old feerate 0.00002', 'fee-too-low'],
  [-26, 'insufficient fee (including sibling eviction), rejecting replacement ab12', 'fee-too-low'],
  // Row B-7: Core 31.
  [-26, 'replacement-failed, insufficient feerate: does not improve feerate diagram', 'fee-too-low'],
  // Row B-12.
  [-26, 'dust', 'invalid'],
  [-26, 'dust, tx with dust output must be 0-fee', 'invalid'],
  [-26, 'scriptpubkey', 'invalid'],
  [-26, 'dust-nonanchor', 'invalid'],
  [-26, 'non-final', 'later'],
  [-26, 'non-BIP68-final', 'later'],
  // Row B-1.
  [-26, 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 6', 'later'],
  // Row B-6: Core 31.
  [-26, 'too-large-cluster', 'later'],
  // Row B-8: Core 28 and later; before, v3.
  [-26, 'TRUC-violation, version=2 tx 5d62 cannot spend from version=3 tx 1c3e', 'later'],
  [
    -26,
    'truc-spent-by-nontruc, non-version=3 tx 5d62 (wtxid=9f38) cannot spend from version=3 tx 1c3e (wtxid=860b)',
    'later',
  ],
  [-26, 'v3-rule-violation, version=2 tx 5d62 cannot spend from version=3 tx 1c3e', 'later'],
  // Core 29 and later (policy/ephemeral_policy.cpp): over once the parent, whose dust it does not spend, is mined.
  [-26, "missing-ephemeral-spends, tx 5d62 (wtxid=9f38) did not spend parent's ephemeral dust", 'later'],
  // Row B-5, row B-4: to 30.
  [-26, 'replacement-adds-unconfirmed, replacement ab12 adds unconfirmed input, idx 1', 'later'],
  [
    -26,
    'too many potential replacements, rejecting replacement ab12; too many potential replacements (101 > 100)',
    'later',
  ],
  [-26, 'mandatory-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)', 'invalid'],
  // Row B-6: to 30.
  [-26, 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]', 'later'],
  // Row B-11: the code that missing inputs have too.
  [-25, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)', 'invalid'],
  [-22, 'TX decode failed. Make sure the tx has at least one input.', 'invalid'],
  // Row B-21: the node is not ready.
  [-28, 'Loading block index...', undefined],
  [-32601, 'Method not found', undefined],
  [-7, 'Out of memory', undefined],
]
