import type { Sabotage } from './sabotage.ts'

/** Faults of adapters: answers of nodes of some kinds. */
export const dialectsSabotages: readonly Sabotage[] = [
  {
    name: 'wrong-receipt-gas',
    file: 'server/src/adapters/chains/evm/receipt-sums.ts',
    replace: ['requireGas(block, receipts)\n  requireBlooms(block, receipts)', 'requireBlooms(block, receipts)'],
    fault: 'E-62',
    breaks: 'A payment that was made is shown as failed, and its money is given back.',
    finder:
      'server/src/adapters/chains/evm/receipt-sums.test.ts › row E-62: a transaction that is shown as failed, with less gas than its block used, is not believed',
  },
  {
    name: 'wrong-receipt-blooms',
    file: 'server/src/adapters/chains/evm/receipt-sums.ts',
    replace: ['requireGas(block, receipts)\n  requireBlooms(block, receipts)', 'requireGas(block, receipts)'],
    fault: 'E-62',
    breaks: 'A deposit whose log the node leaves out is lost.',
    finder:
      'server/src/adapters/chains/evm/receipt-sums.test.ts › row E-62: a receipt without its logs, though its bloom is there, is not believed',
  },
  {
    name: 'status-ignored',
    file: 'server/src/adapters/chains/evm/receipts.ts',
    replace: ['return status === 1n', 'return status <= 1n'],
    fault: 'P2, E2, I20',
    breaks: 'A transaction that failed credits a deposit.',
    finder:
      'server/src/adapters/chains/evm/receipts.test.ts › E2 a transaction that failed moved nothing, even if its receipt has logs',
  },
  {
    name: 'missing-log-accepted',
    file: 'server/src/adapters/chains/evm/receipts.ts',
    replace: [
      'if (number !== logs) throw new Malformed(`log ${logs} is missing`)',
      'if (number < 0) throw new Malformed(`log ${logs} is missing`)',
    ],
    fault: 'audit D-E11, E-13',
    breaks: 'A deposit whose log is missing in the answer is lost.',
    finder: 'server/src/adapters/chains/evm/receipts.test.ts › are not believed when a log is missing between two',
  },
  {
    name: 'receipt-of-another-block',
    file: 'server/src/adapters/chains/evm/receipts.ts',
    replace: ['if (blockHashOf(receipt) !== blockHash) throw', "if (blockHashOf(receipt) === '') throw"],
    fault: 'B6',
    breaks: 'A receipt of a block that left the chain credits a deposit.',
    finder: 'server/src/adapters/chains/evm/receipts.test.ts › are not believed when one is of another block',
  },
  {
    name: 'fee-history-empty-blocks',
    file: 'server/src/adapters/chains/evm/fee-rate.ts',
    replace: [
      ".flatMap((tips) => listOf(tips ?? [], 'a reward').slice(0, 1))",
      ".flatMap((tips) => listOf(tips, 'a reward').slice(0, 1))",
    ],
    fault: 'E-55',
    breaks: 'A node that answers null for an empty block stops all payments for want of a fee.',
    finder: 'server/src/adapters/chains/evm/fees-and-calls.test.ts › audit D-E8: rows E-54 and E-55: fees',
  },
  {
    name: 'any-contract-is-a-token',
    file: 'server/src/adapters/chains/evm/transaction.ts',
    replace: ['if (!tokens.has(contract)) return []', ''],
    fault: 'P2, E3, I19',
    breaks: 'A log of a token that anybody has deployed credits a deposit.',
    finder: 'server/src/adapters/chains/evm/receipts.test.ts › which is no payment and keeps its place',
  },
  {
    name: 'reverted-transfers-credited',
    file: 'server/src/adapters/chains/evm/transaction.ts',
    replace: ['    transfers: succeeded\n      ? [', "    transfers: hash !== ''\n      ? ["],
    fault: 'E1, I18',
    breaks: 'Transfers of a transaction that was undone are credited.',
    finder:
      'server/src/adapters/chains/evm/receipts.test.ts › E2 a transaction that failed moved nothing, even if its receipt has logs',
  },
  {
    name: 'tron-result-ignored',
    file: 'server/src/adapters/chains/tron/outcome.ts',
    replace: [
      "return contractRet === 'SUCCESS' && info['result'] !== 'FAILED' && (result === undefined || result === 'SUCCESS')",
      "return contractRet !== 'REVERT'",
    ],
    fault: 'T1, I20',
    breaks: 'A TRON transaction that ran out of energy credits a deposit.',
    finder: 'server/src/adapters/chains/tron/transaction.test.ts › when the receipt says so',
  },
  {
    name: 'tron-lent-energy-credited',
    file: 'server/src/adapters/chains/tron/internal.ts',
    replace: [
      '.filter(({ note }) => MOVING.has(note))\n    .flatMap',
      ".filter(({ note }) => note !== '')\n    .flatMap",
    ],
    fault: 'audit M-A1, D-T1, T-3',
    breaks: 'Energy that a contract lends is credited as TRX.',
    finder:
      'server/src/adapters/chains/tron/transaction.test.ts › energy lent by a contract, and every other entry that moves nothing, is no TRX',
  },
  {
    name: 'tron-trc10-credited',
    file: 'server/src/adapters/chains/tron/internal.ts',
    replace: [
      "return tokenId === undefined ? sum + amountOf(callValue, 'callValue') : sum",
      "return sum + amountOf(callValue ?? 0, 'callValue') + (tokenId === null ? 0n : 0n)",
    ],
    fault: 'T5, T-6',
    breaks: 'Any TRC-10 token is credited as TRX.',
    finder:
      'server/src/adapters/chains/tron/transaction.test.ts › sent along with a call, and by contracts in their order; not TRC-10, not undone transfers',
  },
  {
    name: 'tron-rejected-credited',
    file: 'server/src/adapters/chains/tron/internal.ts',
    replace: ["if (entry['rejected'] === true) return []", ''],
    fault: 'E1, I18, T-6',
    breaks: 'TRX of an inner call that was undone is credited.',
    finder:
      'server/src/adapters/chains/tron/transaction.test.ts › sent along with a call, and by contracts in their order; not TRC-10, not undone transfers',
  },
  {
    name: 'tron-known-is-accepted',
    file: 'server/src/adapters/chains/tron/broadcast.ts',
    replace: [
      "if (verdict === 'known')\n    throw node.unavailable(METHOD, `the node knows ${hash} already, and has it neither in its pool nor in a block`)",
      "if (verdict === 'known') return { kind: 'accepted' }",
    ],
    fault: 'audit D-T12, T-27',
    breaks: 'A payment that the node only noted counts as sent, and is never sent.',
    finder:
      'server/src/adapters/chains/tron/dialect.test.ts › says nothing when it is nowhere: node.rpc.trxCacheEnable notes ids before anything is checked',
  },
  {
    name: 'tron-header-without-transactions',
    file: 'server/src/adapters/chains/tron/blocks.ts',
    replace: [
      'if (shown.shown.length === 0 && hasTransactions(block))',
      'if (shown.shown.length > 0 && !hasTransactions(block))',
    ],
    fault: 'T-21',
    breaks: 'Deposits of a block that is shown without its transactions are lost.',
    finder:
      'server/src/adapters/chains/tron/blocks.test.ts › a block without transactions of a root that is not zero is not believed',
  },
  {
    name: 'tron-missing-transactions',
    file: 'server/src/adapters/chains/tron/blocks.ts',
    replace: ['if (count !== undefined && count > shown.length) continue', ''],
    fault: 'T-21',
    breaks: 'Deposits that the node leaves out of a block are lost.',
    finder: 'server/src/adapters/chains/tron/root.test.ts › is not read while the node counts more',
  },
  {
    name: 'bitcoin-relay-fee-ignored',
    file: 'server/src/adapters/chains/bitcoin/fee-rate.ts',
    replace: [
      "least: most([rateIn(info, 'mempoolminfee'), rateIn(info, 'minrelaytxfee')]),",
      "least: rateIn(info, 'mempoolminfee'),",
    ],
    fault: 'B-15',
    breaks: 'A payment below the relay fee is never sent.',
    finder: 'server/src/adapters/chains/bitcoin/fee-rate.test.ts › audit D-B9, row B-15',
  },
  {
    name: 'bitcoin-old-nodes-increment',
    file: 'server/src/chain/transactions/bitcoin-bump.ts',
    replace: ['(asked > NODES_INCREMENT ? asked : NODES_INCREMENT)', 'asked'],
    fault: 'B-15',
    breaks: 'A replacement that older nodes do not relay leaves a payment stuck.',
    finder:
      'server/src/chain/transactions/bitcoin-bump.test.ts › audit D-B9, row B-15: a replacement pays the increment of the node',
  },
  {
    name: 'bitcoin-guess-not-marked',
    file: 'server/src/adapters/chains/bitcoin/fee-rate.ts',
    replace: ['      guessed: true,\n    }\n  }', '    }\n  }'],
    fault: 'audit D-B7, B-13',
    breaks: 'A guessed fee is charged as if the node had estimated it.',
    finder:
      'server/src/adapters/chains/bitcoin/fee-rate.test.ts › the newest estimate is offered for six hours, as a guess',
  },
  {
    name: 'bitcoin-partial-senders',
    file: 'server/src/adapters/chains/bitcoin/pool.ts',
    replace: ['if (spent.some((owner) => owner === undefined)) return []', ''],
    fault: 'audit F-2',
    breaks: 'A listed sender passes screening, because not all senders are known.',
    finder: 'server/src/adapters/chains/bitcoin/pool.test.ts › some of the senders are not shown as if they were all',
  },
  {
    name: 'bitcoin-stale-block-mined',
    file: 'server/src/adapters/chains/bitcoin/status.ts',
    replace: [
      "if (rpc.believe('getblockheader', () => integerOf(header['confirmations'], 'confirmations')) < 1) return undefined",
      '',
    ],
    fault: 'B6, B-18',
    breaks: 'A payment in a stale block counts as mined.',
    finder:
      'server/src/adapters/chains/bitcoin/reading.system.test.ts › B6 a stale block that the index still names is not believed',
  },
  {
    name: 'evm-used-nonce-is-conflict',
    file: 'server/src/adapters/chains/evm/broadcast.ts',
    replace: [
      "case 'nonce-used':\n      return (await isKnown(rpc, hash)) ? { kind: 'accepted' } : { kind: 'conflict', message }",
      "case 'nonce-used':\n      return { kind: 'conflict', message }",
    ],
    fault: 'E8',
    breaks: 'A payment that is mined counts as replaced by another transaction, and raises an alert.',
    finder:
      'server/src/adapters/chains/evm/verdicts.test.ts › a nonce that is used was used by this transaction itself, which is mined',
  },
  {
    name: 'evm-used-nonce-is-ours',
    file: 'server/src/adapters/chains/evm/broadcast.ts',
    replace: [
      "case 'nonce-used':\n      return (await isKnown(rpc, hash)) ? { kind: 'accepted' } : { kind: 'conflict', message }",
      "case 'nonce-used':\n      return { kind: 'accepted' }",
    ],
    fault: 'E8',
    breaks: 'A payment whose nonce another transaction has used counts as sent, and is never paid.',
    finder: 'server/src/adapters/chains/evm/verdicts.test.ts › a nonce that is used was used by another one',
  },
  {
    name: 'evm-receipts-by-index',
    file: 'server/src/adapters/chains/evm/receipts.ts',
    replace: [
      "const receipts = results.map((one) => objectOf(one, 'a receipt'))",
      "const receipts = results\n    .map((one) => objectOf(one, 'a receipt'))\n    .toSorted((a, b) => Number(a['transactionIndex']) - Number(b['transactionIndex']))",
    ],
    fault: 'E-15',
    breaks: 'Blocks of a node that numbers receipts wrongly are not read, and their deposits wait.',
    finder:
      'server/src/adapters/chains/evm/receipts.test.ts › belong to transactions by their order, regardless of the index that they name',
  },
  {
    name: 'tron-infos-without-limit',
    file: 'server/src/adapters/chains/tron/blocks.ts',
    replace: ['const MOST_INFO_BYTES = 16 * 1024 * 1024', 'const MOST_INFO_BYTES = 1024 * 1024 * 1024'],
    fault: 'T-46',
    breaks: 'Anybody makes a block whose infos take all memory of the watcher, and no deposit is seen.',
    finder: 'server/src/adapters/chains/tron/blocks.test.ts › is read transaction by transaction: longer than is read',
  },
]
