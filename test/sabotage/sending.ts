import type { Sabotage } from './sabotage.ts'

/** Faults of our own transactions: claims of workers, signatures, nonces, failing receivers, cold storage. */
export const sendingSabotages: readonly Sabotage[] = [
  {
    name: 'unstored-bytes-broadcast',
    file: 'server/src/chain/transactions/jobs.ts',
    replace: ['if (isStored) await broadcast(', "if (isStored || signed.raw !== '') await broadcast("],
    fault: 'C3',
    breaks: 'A transaction that the database does not have is broadcast, and its payments are planned again.',
    finder: 'server/src/pay-out/withdrawals/late-worker.test.ts › payments are not broadcast unless they are stored',
  },
  {
    name: 'unstored-bytes-broadcast-together',
    file: 'server/src/chain/transactions/jobs-together.ts',
    replace: ['return signed.filter(({ outgoing }) => stored.has(outgoing.id))', 'return [...signed]'],
    fault: 'C3',
    breaks: 'Transactions that the database does not have are broadcast, and their payments are planned again.',
    finder: 'server/src/pay-out/withdrawals/late-worker.test.ts › payments are not broadcast unless they are stored',
  },
  {
    name: 'claim-not-locked-when-stored',
    file: 'server/src/chain/transactions/commands.ts',
    replace: ['and epoch = ${outgoing.epoch} for update)', 'and epoch = ${outgoing.epoch})'],
    fault: 'C9',
    breaks: 'A payment stays planned after it was made: its bytes are stored while another worker claims it.',
    finder:
      'server/src/pay-out/withdrawals/late-worker.test.ts › payments are stored once, by the worker that claims them while another one stores them',
  },
  {
    name: 'claims-not-locked-when-stored-together',
    file: 'server/src/chain/transactions/together.ts',
    replace: ['order by o.nonce, o.id for update of o)', 'order by o.nonce, o.id)'],
    fault: 'C9',
    breaks: 'Payments stay planned after they were made: their bytes are stored while another worker claims them.',
    finder:
      'server/src/pay-out/withdrawals/late-worker.test.ts › payments are stored once, by the worker that claims them while another one stores them',
  },
  {
    name: 'asked-without-claim',
    file: 'server/src/chain/transactions/stopping.ts',
    replace: ['on o.id = a.outgoing_id and o.epoch = ${epoch}', 'on o.id = a.outgoing_id and o.epoch >= ${epoch}'],
    fault: 'C9',
    breaks: 'The signer signs a payment that another worker gave back, and an operator has to attach it.',
    finder:
      'server/src/pay-out/withdrawals/late-worker.test.ts › payments whose claim has passed to another worker, which gave them back',
  },
  {
    name: 'asked-without-claim-together',
    file: 'server/src/chain/transactions/together.ts',
    replace: [
      'join outgoing o on o.id = e.id and o.epoch = e.epoch\n    where a.outgoing_id',
      'join outgoing o on o.id = e.id\n    where a.outgoing_id',
    ],
    fault: 'C9',
    breaks: 'The signer signs payments that another worker gave back, and an operator has to attach them.',
    finder:
      'server/src/pay-out/withdrawals/late-worker.test.ts › payments whose claim has passed to another worker, which gave them back',
  },
  {
    name: 'permission-for-all-groups',
    file: 'server/src/chain/transactions/jobs-together.ts',
    replace: [
      '  const { runtime, network } = deps\n',
      '  const { runtime, network } = deps\n  await inTransaction(runtime.db, (tx) => mayAskAll(tx, network, fresh, deps.carriesStopped, momentOf(runtime).at))\n',
    ],
    fault: 'audit S-3',
    breaks: 'A stop does not hold for claimed payments that the signer has not been asked about.',
    finder:
      'server/src/pay-out/withdrawals/sending-groups.test.ts › a stop made while the signer works on a group holds for the groups after it',
  },
  {
    name: 'filler-over-waiting-payment',
    file: 'server/src/chain/transactions/nonces.ts',
    replace: ['and (not f.contested or f.since <= ${new Date(at.getTime() - CONTESTED_MS)})', ''],
    fault: 'audit M-A5',
    breaks: 'A filler takes the nonce of a payment that the signer has signed.',
    finder:
      'server/src/pay-out/withdrawals/signed-before.test.ts › a nonce that the signer has signed for something unknown is left alone, then filled when payments wait behind it',
  },
  {
    name: 'nonce-released-while-taken',
    file: 'server/src/chain/transactions/nonces.ts',
    replace: ['    await lockNextNonce(tx, network, address)\n    await sql`insert', '    await sql`insert'],
    fault: 'E6',
    breaks: 'A nonce that a payment takes is released, and a second transaction gets it.',
    finder:
      'server/src/pay-out/withdrawals/refused.test.ts › is not released again by a worker that plans while another one takes it, forgotten before',
  },
  {
    name: 'failing-receiver-paid-at-once',
    file: 'server/src/pay-out/withdrawals/receivers.ts',
    replace: ['!(isUnderWay || chosen.has(to))', '!isUnderWay'],
    fault: 'T1',
    breaks: 'A receiver whose code failed burns the gas of many payments that are planned together.',
    finder:
      'server/src/pay-out/withdrawals/failing-receivers.test.ts › after one failure a receiver gets one payment at a time, also of withdrawals that are planned together',
  },
  {
    name: 'staked-offered-to-cold-storage',
    file: 'server/src/treasury/cold/jobs-plan.ts',
    replace: ['token === null\n      ?', "token === ''\n      ?"],
    fault: 'decision 19',
    breaks: 'A transfer to cold storage contains staked TRX, is signed offline, and no node accepts it.',
    finder:
      'server/src/treasury/cold/tron.slow.test.ts › of TRX that is partly staked, the rest is offered, without its fee, waiting payments and `low`',
  },
]
