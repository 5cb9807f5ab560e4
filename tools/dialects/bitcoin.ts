import type { DialectRow } from './row.ts'

/** Nodes of Bitcoin. */
export const BITCOIN_ROWS: readonly DialectRow[] = [
  {
    id: 'B-1',
    behaviour:
      'coinbase output unspendable for 100 blocks: -26 `bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth N`',
    who: 'all',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'know coinbase, wait',
  },
  {
    id: 'B-2',
    behaviour:
      'replacement pays less than all evicted: -26 `insufficient fee, … less fees than conflicting txs; a < b`',
    who: 'all',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: "ask descendants' fees first",
  },
  {
    id: 'B-3',
    behaviour: 'older form again: -26 `insufficient fee, … new feerate x <= old feerate y`',
    who: 'all',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'not bump: a newer form is in the pool',
  },
  {
    id: 'B-4',
    behaviour: 'over 100 evicted (31: clusters): -26 `too many potential replacements`',
    who: 'all',
    source: 'source and release notes of Bitcoin Core',
    adapter: 'child instead',
  },
  {
    id: 'B-5',
    behaviour: 'new unconfirmed input: -26 `replacement-adds-unconfirmed`',
    who: 'to 30; dropped in 31',
    source: 'run on Bitcoin Knots 29.4.3; source and release notes of Bitcoin Core',
    adapter: 'confirmed inputs only',
  },
  {
    id: 'B-6',
    behaviour:
      '26th in a chain: -26 `too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]`; 31: 64 tx/101 kvB a cluster',
    who: 'to 30 / 31',
    source: 'run on Bitcoin Knots 29.4.3; source and release notes of Bitcoin Core',
    adapter: 'wait for the parent',
  },
  {
    id: 'B-7',
    behaviour: 'feerate diagram must improve; carve-out gone; non-signalling replaceable',
    who: '31; full RBF default since 28',
    source: 'source and release notes of Bitcoin Core',
    adapter: 'nothing unconfirmed is safe',
  },
  {
    id: 'B-8',
    behaviour: 'v3 parent, v2 child refused on Core, accepted on Knots `truc_policy accept`',
    who: '28+',
    source: 'run on Bitcoin Knots 29.4.3; src/policy/truc_policy.cpp of Bitcoin Core',
    adapter: 'same version as parent',
  },
  {
    id: 'B-9',
    behaviour: 'parent below pool minimum enters only with its child (`submitpackage`, 1p1c relay; 31 also non-v3)',
    who: '26/28/31',
    source: 'source and release notes of Bitcoin Core',
    adapter: 'package call',
  },
  {
    id: 'B-10',
    behaviour:
      'mined already: -27 `Transaction outputs already in utxo set`; outputs spent too: -25 `bad-txns-inputs-missingorspent`',
    who: 'all',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'look it up',
  },
  {
    id: 'B-11',
    behaviour: 'fee over 0.1 BTC/kvB: -25 `Fee exceeds maximum …` (same code as missing inputs)',
    who: 'all',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'own cap',
  },
  {
    id: 'B-12',
    behaviour:
      'dust: -26 `dust`, Knots 29 `dust-nonanchor`; threshold by `-dustrelayfee`, Knots `-dustdynamic` moves it; `dustrelayfee` in getmempoolinfo on Knots only',
    who: 'setting',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'ask or test',
  },
  {
    id: 'B-13',
    behaviour: '`estimatesmartfee` → errors, no feerate',
    who: 'start, restore, 30→31, regtest',
    source: 'run on Bitcoin Knots 29.4.3; source and release notes of Bitcoin Core',
    adapter: 'unknown ≠ floor',
  },
  {
    id: 'B-14',
    behaviour: 'estimate mode default: conservative ≤27, economical ≥28; sub-1 sat/vB since 31',
    who: 'versions',
    source: 'release notes of Bitcoin Core 28 (the default mode of `estimatesmartfee`)',
    adapter: 'name the mode',
  },
  {
    id: 'B-15',
    behaviour: 'minrelaytxfee/incrementalrelayfee 0.1 sat/vB',
    who: '29.1, 30+; Knots 29 still 1',
    source: 'run on Bitcoin Knots 29.4.3; src/policy/policy.h of Bitcoin Core (DEFAULT_INCREMENTAL_RELAY_FEE 100)',
    adapter: 'read both',
  },
  {
    id: 'B-16',
    behaviour:
      'no txindex: -5 `No such mempool transaction. Use -txindex …`; building: -5 `… still in the process of being indexed`',
    who: 'setting, first days, assumeutxo',
    source: 'run on Bitcoin Knots 29.4.3; src/rpc/rawtransaction.cpp',
    adapter: 'tell from "unknown"',
  },
  {
    id: 'B-17',
    behaviour:
      'pruned: getblock -1 `Block not available (pruned data)`; assumeutxo: `(not fully downloaded)`; undo gone: -32603 or fields silently missing (older)',
    who: 'setting',
    source: 'src/rpc/blockchain.cpp CheckBlockDataAvailability; test/functional/feature_assumeutxo.py',
    adapter: 'alert at once',
  },
  {
    id: 'B-18',
    behaviour: 'stale block: header confirmations -1, getrawtransaction still gives its blockhash with confirmations 0',
    who: 'all',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'ask header',
  },
  {
    id: 'B-19',
    behaviour:
      'scantxoutset: one at a time (-8 `Scan already in progress`), minutes; answers `height`+`bestblock` of its start; abort → `success: false`',
    who: 'all',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'compare bestblock',
  },
  {
    id: 'B-20',
    behaviour: 'errors: HTTP 500 without `"jsonrpc":"2.0"`, 200 with (28+); older ignore the member',
    who: 'versions',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'ignore status',
  },
  {
    id: 'B-21',
    behaviour: 'work queue full: HTTP 503, plain text; warm-up -28; 401 empty; 403 also for a method not whitelisted',
    who: 'load',
    source:
      'src/httpserver.cpp; `Work queue depth exceeded` with 500 from older nodes, with 503 recorded by a payout service in 2026',
    adapter: 'retry; say which',
  },
  {
    id: 'B-22',
    behaviour: 'pool after restart partly loaded (`loaded: false`), other order, other content',
    who: 'all',
    source: 'src/rpc/mempool.cpp getmempoolinfo, src/node/mempool_persist.cpp; run on Bitcoin Knots 29.4.3',
    adapter: 'absence proves nothing',
  },
  {
    id: 'B-23',
    behaviour: 'evicted or expired (336 h) while valid; comes back',
    who: 'all',
    source: 'src/kernel/mempool_options.h DEFAULT_MEMPOOL_EXPIRY_HOURS; test/functional/mempool_expiry.py',
    adapter: 'keep',
  },
  {
    id: 'B-24',
    behaviour: 'a pool parent is replaced: child vanishes, its keys are never used',
    who: 'all',
    source: 'run on Bitcoin Knots 29.4.3',
    adapter: 'look at ancestors',
  },
  {
    id: 'B-25',
    behaviour: 'block time ±2 h, below the one before (median of 11)',
    who: 'all',
    source: 'src/chain.h MAX_FUTURE_BLOCK_TIME, GetMedianTimePast',
    adapter: 'not for deadlines',
  },
  {
    id: 'B-26',
    behaviour: 'transactions of 4 MB; 20+ MB verbose blocks',
    who: 'mainnet',
    source: 'src/consensus/consensus.h MAX_BLOCK_WEIGHT; the length of verbose answers from memory',
    adapter: 'bound bytes per call',
  },
  {
    id: 'B-27',
    behaviour:
      'Knots keeps out of its pool what Core relays (data, tokens, bare multisig): deposit first seen in its block',
    who: 'Knots without corepolicy',
    source: 'from memory, not checked',
    adapter: 'no pool needed',
  },
  {
    id: 'B-28',
    behaviour: '`sendrawtransaction` ok, not in own pool; queue full is an error',
    who: '31 `-privatebroadcast`',
    source: 'source and release notes of Bitcoin Core',
    adapter: "don't infer",
  },
  {
    id: 'B-29',
    behaviour:
      '`getmempoolentry`: `vsize` deprecated wording, `vsize_bip141`/`vsize_adjusted`, `chunkweight`, `fees.chunk`; bip125 flag gone',
    who: '31+/master',
    source: 'source and release notes of Bitcoin Core',
    adapter: 'optional fields',
  },
  {
    id: 'B-30',
    behaviour: 'two nodes behind one address: heads and pools differ from call to call',
    who: 'proxies',
    source: 'from memory, not checked',
    adapter: 'one node',
    verdict:
      'holds for branches: the alert branches-alternate; each is followed as a reorganisation meanwhile, down to finalDepth and no deeper. Pools that differ are not noticed',
  },
  {
    id: 'B-31',
    behaviour:
      '`getmempoolentry`: `fees.ancestor` and `fees.descendant` count what `prioritisetransaction` adds or takes away, `fees.base` does not: a sum may be below its part',
    who: 'all',
    source: 'src/rpc/mempool.cpp entryToJSON',
    adapter: "sums are the node's",
  },
]
