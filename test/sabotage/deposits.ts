import type { Sabotage } from './sabotage.ts'

/** Faults of deposits and of reading chains. */
export const depositsSabotages: readonly Sabotage[] = [
  {
    name: 'unconfirmed-credited',
    file: 'server/src/pay-in/deposits/policy.ts',
    replace: ['return depth === null ? null : height + depth - 1', 'return depth === null ? null : height + depth - 2'],
    fault: 'B1, I17',
    breaks: 'A deposit is credited a block too early, and spent before the block is lost.',
    finder:
      'server/src/pay-in/deposits/crediting.test.ts › is Pending in the pool, stays so when mined, and is Done and credited once deep enough',
  },
  {
    name: 'coinbase-immature',
    file: 'server/src/pay-in/deposits/policy.ts',
    replace: ['if (isCoinbase) return', 'if (isCoinbase && height < 0) return'],
    fault: 'audit D-B2, B-1',
    breaks: 'Coin of a miner is credited before it can be spent.',
    finder:
      'server/src/pay-in/deposits/policy.test.ts › the income of a miner waits until it can be spent, regardless of its worth',
  },
  {
    name: 'tier-by-transaction-only',
    file: 'server/src/pay-in/deposits/sighting.ts',
    replace: ['return one > other ? one : other', 'return one'],
    fault: 'audit M-E5',
    breaks: 'A large sum in many transactions of a block is credited after one confirmation.',
    finder:
      'server/src/pay-in/deposits/crediting.test.ts › many small transactions to one address in one block wait as long as their sum',
  },
  {
    name: 'tier-by-output',
    file: 'server/src/pay-in/deposits/sighting.ts',
    replace: [
      'sums.set(key, before === undefined || value === undefined ? undefined : before + value)',
      'sums.set(key, value)',
    ],
    fault: 'B2',
    breaks: 'A large sum in many outputs is credited after one confirmation.',
    finder:
      'server/src/pay-in/deposits/crediting.test.ts › cut into many small outputs of a transaction waits for their sum, and each is a deposit',
  },
  {
    name: 'credit-before-final',
    file: 'server/src/pay-in/deposits/settling.ts',
    replace: ['(d.credit_height is null and d.block_height <= ${finalHeight})', 'd.credit_height is null'],
    fault: 'B2, I21',
    breaks: 'A deposit on an account chain is credited before its block is final.',
    finder:
      'server/src/pay-in/deposits/crediting.test.ts › is credited when its block is final, in the ledger decimals of its asset',
  },
  {
    name: 'inner-credited-unbacked',
    file: 'server/src/pay-in/deposits/settling.ts',
    replace: ["and (d.index not like 't:%' or d.balance_height is not null or d.first_seed_decided is not null)", ''],
    fault: 'audit M-A1',
    breaks: 'A transfer that the node lists and that did not happen is credited.',
    finder:
      'server/src/pay-in/deposits/tron-internal.test.ts › a listed amount that its address does not hold is not credited, and an alert is raised',
  },
  {
    name: 'less-than-held-credited',
    file: 'server/src/pay-in/deposits/backing.ts',
    replace: ['if (has < explained[i]!) {', 'if (has < 0n) {'],
    fault: 'audit M-A1',
    breaks: 'Transfers are credited that the address does not hold.',
    finder:
      'server/src/pay-in/deposits/tron-internal.test.ts › a listed amount that its address does not hold is not credited, and an alert is raised',
  },
  {
    name: 'replaced-before-final',
    file: 'server/src/pay-in/deposits/settling.ts',
    replace: ['d.conflict_height <= ${finalHeight}', 'd.conflict_height <= ${headHeight}'],
    fault: 'B3',
    breaks: 'A deposit is Failed by a block that is lost again.',
    finder:
      'server/src/pay-in/deposits/reorganisation.test.ts › and another transaction takes its place for good: Failed once that is final, and not before',
  },
  {
    name: 'refused-is-credited',
    file: 'server/src/pay-in/deposits/settling.ts',
    replace: [
      'sql`${deep} and d.fail_reason is null and not ${isWithheld(settings)} and not ${undecided}`',
      'sql`${deep} and not ${isWithheld(settings)} and not ${undecided}`',
    ],
    fault: 'B13',
    breaks: 'A deposit below the minimum is credited and set aside as well.',
    finder:
      'server/src/pay-in/deposits/crediting.test.ts › B13 is Failed at the depth of a credit and posted to suspense; one unit more is credited',
  },
  {
    name: 'orphan-not-taken-back',
    file: 'server/src/pay-in/deposits/machine.ts',
    replace: ["credited: { reorganized: to('orphaned', 'takeBack') },", "credited: { reorganized: to('orphaned') },"],
    fault: 'B2',
    breaks: 'The credit of a deposit stays although its block is lost, and the deposit is credited again.',
    finder:
      'server/src/pay-in/deposits/reorganisation.test.ts › B2 before the merchant spent it: the balance is as before, and no webhook is sent',
  },
  {
    name: 'orphan-notified-again',
    file: 'server/src/pay-in/deposits/consequences.ts',
    replace: ['(deposit.notified !== before.notified && !unnotified.has(deposit.id))', '!unnotified.has(deposit.id)'],
    fault: 'P2',
    breaks: 'Done is sent twice for one deposit, and the merchant may book it twice.',
    finder:
      'server/src/pay-in/deposits/reorganisation.test.ts › B2 before the merchant spent it: the balance is as before, and no webhook is sent',
  },
  {
    name: 'debt-not-repaid',
    file: 'server/src/pay-in/deposits/posting.ts',
    replace: ['const repaid = least(owed, net)', 'const repaid = least(0n, net) + (owed < 0n ? owed : 0n)'],
    fault: 'B2',
    breaks: 'A merchant that owes gets its next deposits in full.',
    finder:
      'server/src/pay-in/deposits/reorganisation.test.ts › B2 after the merchant spent it all: it owes, can not withdraw, and its next deposits repay first',
  },
  {
    name: 'take-back-below-zero',
    file: 'server/src/pay-in/deposits/posting.ts',
    replace: ['const taken = least(from.available, net)', 'const taken = net'],
    fault: 'L5, I9',
    breaks: 'A reorganisation takes a balance below zero.',
    finder:
      'server/src/pay-in/deposits/reorganisation.test.ts › B2 after the merchant spent it all: it owes, can not withdraw, and its next deposits repay first',
  },
  {
    name: 'one-balance-taken-twice',
    file: 'server/src/pay-in/deposits/consequences.ts',
    replace: ['available[account] -= taken', ''],
    fault: 'L1',
    breaks: 'Two lost deposits take the same available money.',
    finder:
      'server/src/pay-in/deposits/reorganisation.test.ts › together with others of the same merchant: one balance is not taken twice',
  },
  {
    name: 'held-released-without-decision',
    file: 'server/src/pay-in/deposits/machine.ts',
    replace: ["withheld: to('held', 'quarantine'),", "withheld: to('credited', 'credit', 'notifyDone'),"],
    fault: 'audit F-2',
    breaks: 'Money that is to be screened first is credited at once.',
    finder: 'server/src/pay-in/deposits/machine.test.ts › the table, state by state',
  },
  {
    name: 'gas-credited',
    file: 'server/src/pay-in/deposits/observing.ts',
    replace: [
      'return withoutLongLists(sightings.filter((one) => !ofUs.get(one.transaction)!.has(one.senders)))',
      'return withoutLongLists(sightings)',
    ],
    fault: 'audit M-A2',
    breaks: 'Gas that the platform sends to a deposit address is credited to the merchant.',
    finder:
      'server/src/pay-in/deposits/own-transactions.test.ts › gas that we send to a deposit address, and a transfer between deposit addresses, are no deposits',
  },
  {
    name: 'forwarded-payment-lost',
    file: 'server/src/pay-in/deposits/observing.ts',
    replace: [
      'return from.length === 0 || from.some((address) => platform.has(address) || deposits.has(address))',
      'return true',
    ],
    fault: 'audit M-E1',
    breaks: 'A deposit that a contract forwards in one of our transactions is lost.',
    finder:
      'server/src/pay-in/deposits/own-transactions.test.ts › coin that a contract sends on to a deposit address, in the transaction that pays the contract, is a deposit',
  },
  {
    name: 'internal-received-twice',
    file: 'server/src/pay-in/deposits/internal.ts',
    replace: ['if (stored.size === 0) throw new Error(`withdrawal ${id} was received before`)', ''],
    fault: 'B18, I8',
    breaks: 'A payment to oneself is credited twice.',
    finder:
      'server/src/pay-in/deposits/internal.test.ts › B18 one withdrawal is received once, and no reorganisation touches it',
  },
  {
    name: 'cursor-without-guard',
    file: 'server/src/chain/watcher/cursor.ts',
    replace: [
      'if (rows.length === 0) throw new LeadershipLost(`${network} is led by another process since epoch ${from.epoch}`)',
      'if (rows.length > 1) throw new LeadershipLost(`${network} is led by another process since epoch ${from.epoch}`)',
    ],
    fault: 'P2, C7',
    breaks: 'Two watchers read one block, and both credit it.',
    finder:
      'server/src/chain/watcher/follower.test.ts › a cursor that was moved by hand is not moved on from where it was',
  },
  {
    name: 'old-leader-writes',
    file: 'server/src/chain/watcher/cursor.ts',
    replace: ['and hash = ${from.hash} and epoch = ${from.epoch} returning 1', 'and hash = ${from.hash} returning 1'],
    fault: 'C8',
    breaks: 'A watcher whose leadership has ended writes on.',
    finder: 'server/src/chain/watcher/follower.test.ts › writes nothing any more',
  },
  {
    name: 'parent-not-checked',
    file: 'server/src/chain/watcher/follower.ts',
    replace: ['if (block === null || block.parent !== parent) break', 'if (block === null) break'],
    fault: 'B8, I22',
    breaks: 'Blocks of two branches are read as one chain.',
    finder:
      'server/src/chain/watcher/follower.test.ts › to a longer branch takes back the blocks that left the best chain, then shows their replacements',
  },
  {
    name: 'final-falls',
    file: 'server/src/chain/watcher/steps.ts',
    replace: [
      'if (final === null || final.height <= cursor.finalHeight ||',
      'if (final === null || final.height < 0 ||',
    ],
    fault: 'B7',
    breaks: 'A final height falls, and final blocks are not final any more.',
    finder: 'server/src/chain/watcher/follower.test.ts › follows the node, and never falls',
  },
  {
    name: 'final-of-another-branch',
    file: 'server/src/chain/watcher/steps.ts',
    replace: [
      'return ours === undefined || ours === final.hash ? final.height : cursor.finalHeight',
      'return final.height',
    ],
    fault: 'B8',
    breaks: 'A final block of another branch makes blocks of ours final.',
    finder: 'server/src/chain/watcher/follower.test.ts › B8 of another branch than ours is not believed',
  },
  {
    name: 'broken-finality-goes-on',
    file: 'server/src/chain/watcher/steps.ts',
    replace: [
      'if (cursor.finalHeight > fork.height) await stopForBrokenFinality(tx, network, fork.height, moment)',
      '',
    ],
    fault: 'audit M-D2, I21',
    breaks: 'Payments leave while blocks that were final are being lost.',
    finder:
      'server/src/chain/watcher/follower.test.ts › of final blocks is followed too, with an alert, and stops all payments on the network',
  },
  {
    name: 'cursor-skips-failed-block',
    file: 'server/src/chain/watcher/follower.ts',
    replace: [
      'const block = blocks.length === 0 ? await take(height) : await take(height).catch(nullIfUnavailable)\n    if (block === null || block.parent !== parent) break',
      'const block = await take(height).catch(nullIfUnavailable)\n    if (block === null) continue',
    ],
    fault: 'P2, B9',
    breaks: 'The cursor passes a block that could not be read, and its deposits are lost.',
    finder:
      'server/src/chain/watcher/follower.test.ts › to a longer branch takes back the blocks that left the best chain, then shows their replacements',
  },
]
