import type { Sabotage } from './sabotage.ts'

/** Faults of withdrawals: planning, settling, giving back. */
export const withdrawalsSabotages: readonly Sabotage[] = [
  {
    name: 'way-back-from-sent',
    file: 'server/src/pay-out/withdrawals/machine.ts',
    replace: ["mined: to('mined',", "unplanned: to('requested'), mined: to('mined',"],
    fault: 'I5',
    breaks: 'A payment that was sent falls back to waiting and is sent again.',
    finder:
      'server/src/pay-out/withdrawals/rules.test.ts › only the proof that it can never be mined leads from a signed transaction back to waiting',
  },
  {
    name: 'reverted-not-released',
    file: 'server/src/pay-out/withdrawals/machine.ts',
    replace: ["reverted: to('failed', 'release', 'notifyFailed'),", "reverted: to('failed', 'notifyFailed'),"],
    fault: 'T1',
    breaks: 'The money of a payment without effect is never released.',
    finder:
      'server/src/pay-out/withdrawals/rules.test.ts › money is released or captured exactly on the way into an end state, once',
  },
  {
    name: 'superseded-same-intent',
    file: 'server/src/pay-out/withdrawals/settlement.ts',
    replace: ["' && !isPaid ?", "' && isPaid ?"],
    fault: 'audit M-B4',
    breaks: 'A payment that another transaction superseded is never paid.',
    finder:
      'server/src/pay-out/withdrawals/overtaken.test.ts › ends by proof once the block is final, and is paid once more under another intent',
  },
  {
    name: 'revert-sends-done',
    file: 'server/src/pay-out/withdrawals/settlement.ts',
    replace: ['if (withdrawal.doneSent || onlyCost) break', 'if (withdrawal.doneSent) break'],
    fault: 'audit M-E3',
    breaks: 'Done is sent for a payment that had no effect.',
    finder: 'server/src/pay-out/withdrawals/effect.test.ts › a payment that the token answers with false',
  },
  {
    name: 'free-slots-of-another-worker',
    file: 'server/src/pay-out/withdrawals/hot-wallet.ts',
    replace: ['Math.max(0, policy.mostInFlight - load.transactions)', 'Math.max(0, policy.mostInFlight)'],
    fault: 'decision 22',
    breaks: 'Two workers plan more transactions of an address than may be in flight, and nodes drop the last ones.',
    finder:
      'server/src/pay-out/withdrawals/sending-groups.test.ts › two workers together plan no more transactions of an address than may be in flight',
  },
  {
    name: 'count-read-late',
    file: 'server/src/pay-out/withdrawals/hot-wallet.ts',
    replace: [
      'const state = await currentState(deps)',
      'const state = await currentState(deps)\n  for (const [address, count] of await plannedCounts(deps, all)) (counts as Map<string, number>).set(address, count)',
    ],
    fault: 'decision 22',
    breaks: 'Two jobs pay out the same money of the hot wallet.',
    finder: 'server/src/pay-out/withdrawals/together.test.ts › while the balance is read is not paid out again',
  },
  {
    name: 'count-not-compared',
    file: 'server/src/chain/transactions/planned.ts',
    replace: ['    and planned = ${planned} for update', '    for update'],
    fault: 'decision 22',
    breaks: 'A payment is planned on a balance that another job has spent since it was read.',
    finder: 'server/src/pay-out/withdrawals/together.test.ts › while the balance is read is not paid out again',
  },
  {
    name: 'import-not-counted',
    file: 'server/src/chain/transactions/offers.ts',
    replace: ['  await countPlanned(tx, outgoing.network, outgoing.senders)\n', ''],
    fault: 'decision 22',
    breaks: 'A payment is planned on a balance that a transfer to cold storage takes.',
    finder: 'server/src/pay-out/withdrawals/together.test.ts › while the balance is read is not paid out again',
  },
  {
    name: 'tron-count-not-compared',
    file: 'server/src/pay-out/withdrawals/jobs-tron.ts',
    replace: ["if (!(await isPlannedStill(tx, 'TRON', hotAddress, planned))) return 'overtaken'\n", ''],
    fault: 'decision 22',
    breaks: 'A payment on TRON spends the coin of a top-up, and fails or expires.',
    finder:
      'server/src/pay-out/withdrawals/together-tron.system.test.ts › TRX of a top-up that is planned while a payout is chosen is not paid out',
  },
  {
    name: 'in-flight-not-subtracted',
    file: 'server/src/pay-out/withdrawals/hot-wallet.ts',
    replace: ['(leaving.get(`${key.address}/${ticker}`) ?? 0n) +', '0n +'],
    fault: 'I7',
    breaks: 'Payments that are not mined yet are not subtracted, and the same coin is planned again.',
    finder: 'server/src/pay-out/withdrawals/together.test.ts › while the balance is read is not paid out again',
  },
  {
    name: 'stop-ignored-at-planning',
    file: 'server/src/pay-out/withdrawals/commands.ts',
    replace: ['return !(await isStopped(tx, outgoingId))', "return outgoingId !== ''"],
    fault: 'I22',
    breaks: 'Money leaves although a stop is in force.',
    finder:
      'server/src/pay-out/withdrawals/stops.system.test.ts › a stop holds from the moment it is made, also during planning and signing',
  },
  {
    name: 'delivered-inside-while-stopped',
    file: 'server/src/pay-out/withdrawals/commands.ts',
    replace: ['if (await isHeldBack(tx, waiting)) return undefined', ''],
    fault: 'audit S-3',
    breaks: 'Money moves to another merchant although a stop is in force.',
    finder:
      'server/src/pay-out/withdrawals/stopped-inside.test.ts › a transfer within the platform waits too once a stop is in force',
  },
  {
    name: 'release-keeps-fee',
    file: 'server/src/pay-out/withdrawals/postings.ts',
    replace: ['0n, -(w.units + w.fee))], moment, w.holdId)', '0n, -w.units)], moment, w.holdId)'],
    fault: 'L6',
    breaks: 'The fee of a failed withdrawal stays held.',
    finder:
      'server/src/pay-out/withdrawals/rules.test.ts › every way a withdrawal can end leaves nothing held and nothing in transit',
  },
  {
    name: 'amount-precision',
    file: 'server/src/pay-out/withdrawals/request.ts',
    replace: ['const parsed = parseUnits(amount, on.decimals)', 'const parsed = parseUnits(amount, asset.scale)'],
    fault: 'L16, I19',
    breaks: 'An amount is read with the decimals of another network, and a multiple of it is paid.',
    finder: 'server/src/app/composition/orders.test.ts › more than the limit of a day is refused with code 7',
  },
  {
    name: 'intent-not-derived',
    file: 'server/src/pay-out/withdrawals/placing.ts',
    replace: [
      'return name === undefined ? newId() : intentIdOf(merchantId, name)',
      "return name === '' ? intentIdOf(merchantId, name) : newId()",
    ],
    fault: 'audit M-A5, C10',
    breaks: 'A restored database pays an order a second time.',
    finder:
      'server/src/app/composition/intents.test.ts › is the same payment for the signer when a restored copy is sent it again',
  },
  {
    name: 'next-intent-random',
    file: 'server/src/pay-out/withdrawals/placing.ts',
    replace: [
      'intentIdOf(merchantId, `after:${intentId}`)',
      'intentIdOf(merchantId, `after:${intentId}:${String(process.hrtime.bigint())}`)',
    ],
    fault: 'audit M-A5, C10',
    breaks: 'Two copies of the database give one payment two intents, and both are paid.',
    finder: 'server/src/pay-out/withdrawals/restored.test.ts › by the transaction that replaced a superseded payment',
  },
  {
    name: 'top-ups-not-subtracted',
    file: 'server/src/pay-out/withdrawals/hot-wallet.ts',
    replace: [' + (topUps.get(key.address) ?? 0n)', ''],
    fault: 'decision 22',
    breaks: 'Coin that is sent to a deposit address for gas is paid out as well.',
    finder: 'server/src/treasury/sweeps/evm/hot-coin.test.ts › coin that is sent to a deposit address is not paid out',
  },
  {
    name: 'sweep-coin-in-flight',
    file: 'server/src/treasury/sweeps/evm/jobs-hot-coin.ts',
    replace: ['(await coinUnderWay(runtime.db, network, [hotAddress])).get(hotAddress) ?? 0n', '0n'],
    fault: 'decision 22',
    breaks: 'Coin of a payout is sent to a deposit address, and no later nonce can be mined.',
    finder:
      'server/src/treasury/sweeps/evm/hot-coin.test.ts › coin that a payout is about to send is not sent to a deposit address',
  },
  {
    name: 'done-sent-again',
    file: 'server/src/pay-out/withdrawals/settlement.ts',
    replace: ['if (withdrawal.doneSent || onlyCost) break', 'if (onlyCost) break'],
    fault: 'B5',
    breaks: 'Done is sent twice for a payment whose block was lost.',
    finder:
      'server/src/pay-out/withdrawals/lost-block.test.ts › a payment whose block is lost is no longer in transit, its fee is income once a block of it is final, and Done is sent once',
  },
  {
    name: 'withdrawal-fee-not-charged',
    file: 'server/src/pay-out/withdrawals/postings.ts',
    replace: [
      "entry(w, w.ticker, 'merchant', -all, -all),\n      entry(w, w.ticker, `transit:${w.blockchain}`, w.units),\n      entry(w, w.ticker, 'fees', w.fee),",
      "entry(w, w.ticker, 'merchant', -w.units, -all),\n      entry(w, w.ticker, `transit:${w.blockchain}`, w.units),\n      entry(w, w.ticker, 'fees', 0n),",
    ],
    fault: 'L6',
    breaks: 'A merchant gets back the fee of a withdrawal that was paid.',
    finder:
      'server/src/pay-out/withdrawals/lost-block.test.ts › a payment whose block is lost is no longer in transit, its fee is income once a block of it is final, and Done is sent once',
  },
  {
    name: 'withdrawal-fee-not-income',
    file: 'server/src/pay-out/withdrawals/postings.ts',
    replace: [
      "      entry(w, w.ticker, `transit:${w.blockchain}`, w.units),\n      entry(w, w.ticker, 'fees', w.fee),",
      "      entry(w, w.ticker, `transit:${w.blockchain}`, w.units),\n      entry(w, w.ticker, 'clearing', w.fee),",
    ],
    fault: 'L9',
    breaks: 'The fee of a withdrawal is missing from the income of the platform.',
    finder:
      'server/src/pay-out/withdrawals/lost-block.test.ts › a payment whose block is lost is no longer in transit, its fee is income once a block of it is final, and Done is sent once',
  },
  {
    name: 'no-effect-lowers-address',
    file: 'server/src/pay-out/withdrawals/settlement.ts',
    replace: ['...(onlyCost ? [] : [from(ticker, units)])', '...[from(ticker, units)]'],
    fault: 'audit M-E3',
    breaks: 'The record of an address lacks the amount that a payment without effect did not move.',
    finder:
      'server/src/pay-out/withdrawals/lost-block.test.ts › a payment without effect costs the network fee alone, while its block is there',
  },
  {
    name: 'lost-block-stays-in-transit',
    file: 'server/src/pay-out/withdrawals/machine.ts',
    replace: ["reorganized: to('sent', 'moveFromTransit')", "reorganized: to('sent')"],
    fault: 'B5',
    breaks: 'A payment whose block is lost leaves custody twice.',
    finder:
      'server/src/pay-out/withdrawals/lost-block.test.ts › a payment whose block is lost is no longer in transit, its fee is income once a block of it is final, and Done is sent once',
  },
  {
    name: 'lost-block-lowers-address',
    file: 'server/src/pay-out/withdrawals/settlement.ts',
    replace: [
      "movesOf(change, withdrawal, onlyCost, feeShare, 'back')",
      "movesOf(change, withdrawal, onlyCost, feeShare, 'out')",
    ],
    fault: 'B5',
    breaks: 'The record of an address falls once more when a block is lost.',
    finder:
      'server/src/pay-out/withdrawals/lost-block.test.ts › a payment whose block is lost is no longer in transit, its fee is income once a block of it is final, and Done is sent once',
  },
  {
    name: 'given-up-while-planned',
    file: 'server/src/pay-out/withdrawals/machine.ts',
    replace: [
      "accepted: to('sent', 'notifyPending') },",
      "accepted: to('sent', 'notifyPending'), 'given-up': to('failed', 'release', 'notifyFailed') },",
    ],
    fault: 'I5',
    breaks: 'The money of a payment that is about to be signed is given back.',
    finder:
      'server/src/pay-out/withdrawals/signed-before.test.ts › stays planned when it is planned while the signer closes its intent',
  },
  {
    name: 'paid-by-conflict-not-barred',
    file: 'server/src/pay-out/withdrawals/settlement.ts',
    replace: ["  if (isPaid) await bar(tx, withdrawal, 'signed', 'a final block holds it', moment)\n", ''],
    fault: 'audit M-B4',
    breaks:
      'A payment that a final block holds is planned again, and nothing but the signer keeps it from being paid twice.',
    finder:
      'server/src/pay-out/withdrawals/overtaken.test.ts › is not posted as paid by a transaction that pays only another of its withdrawals, which is attached to it',
  },
  {
    name: 'evm-token-contract-paid',
    file: 'server/src/pay-out/withdrawals/request.ts',
    replace: [
      'catalogue.byContract(network, address.toLowerCase())\n  if (token)',
      'catalogue.byContract(network, address.toLowerCase())\n  if (token === null)',
    ],
    fault: 'B17',
    breaks: 'Money is sent to the contract of a token and lost.',
    finder:
      'server/src/pay-out/withdrawals/rules.test.ts › ETHEREUM: a withdrawal to 0xdac17f958d2ee523a2206206994597c13d831ec7 is accepted: false',
  },
  {
    name: 'tron-token-contract-paid',
    file: 'server/src/pay-out/withdrawals/request.ts',
    replace: [
      "catalogue.byContract('TRON', parsed.address)\n  if (token)",
      "catalogue.byContract('TRON', parsed.address)\n  if (token === null)",
    ],
    fault: 'B17',
    breaks: 'Money is sent to the contract of a token and lost.',
    finder:
      'server/src/pay-out/withdrawals/rules.test.ts › TRON: a withdrawal to TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t is accepted: false',
  },
  {
    name: 'repeat-own-intent-held',
    file: 'server/src/pay-out/withdrawals/lost-repeats.ts',
    replace: ['waiting.filter(({ intentId }) => intents.has(intentId))', 'waiting.filter(() => false)'],
    fault: 'C10',
    breaks: 'A request with the localId of its lost payment waits for an operator, who may say that it is new.',
    finder:
      'server/src/app/cli/lost-payments.test.ts › C10 a request with the localId of the lost payment is not held: it is attached',
  },
  {
    name: 'repeat-forgotten-after-acceptance',
    file: 'server/src/pay-out/withdrawals/lost-repeats.ts',
    replace: ["(l.resolved_at is null or l.resolution = 'accepted')", 'l.resolved_at is null'],
    fault: 'C10',
    breaks: 'A lost payment is paid twice when its merchant repeats it after the books of the copy were accepted.',
    finder:
      'server/src/app/cli/lost-payments.test.ts › C10 a withdrawal that is requested after the acceptance is held before it is planned, for 30 days',
  },
  {
    name: 'repeat-older-held',
    file: 'server/src/pay-out/withdrawals/lost-repeats.ts',
    replace: [' || withdrawal.createdAt <= lost.since', ''],
    fault: 'C10',
    breaks: 'An order that was in the copy takes the place of the repetition of a lost payment, which is paid twice.',
    finder:
      'server/src/app/cli/lost-payments.test.ts › C10 a lost payment holds one equal withdrawal, which was requested later; others are paid',
  },
  {
    name: 'repeat-twin-paid',
    file: 'server/src/pay-out/withdrawals/refusals.ts',
    replace: ["r.decision = 'same')", "r.decision = 'other')"],
    fault: 'C10',
    breaks:
      'A lost payment that an operator gave to one withdrawal is paid again for the first request with its localId.',
    finder:
      'server/src/app/cli/lost-payments.test.ts › C10 a second request that names the lost payment by its localId waits, and is decided as same',
  },
  {
    name: 'backup-manifest-unchecked',
    file: 'server/src/app/backup/folder.ts',
    replace: ["if (id.split('-')[1] !== nameHashOf(bytes))", "if (id.split('-')[1] === '')"],
    fault: 'D11',
    breaks: 'A backup with a changed manifest is restored.',
    finder:
      'server/src/app/backup/backup.test.ts › a backup whose manifest was changed, moved or removed is not used, and hides no older one',
  },
]
