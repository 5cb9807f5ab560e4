import type { Sabotage } from './sabotage.ts'

/** Faults of withdrawals: planning, settling, giving back. */
export const withdrawalsSabotages: readonly Sabotage[] = [
  {
    name: 'way-back-from-sent',
    file: 'server/src/pay-out/withdrawals/machine.ts',
    replace: [
      "sent: { overtaken: to('requested'), mined:",
      "sent: { overtaken: to('requested'), unplanned: to('requested'), mined:",
    ],
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
    breaks: 'The money of a payment without effect stays held for ever.',
    finder:
      'server/src/pay-out/withdrawals/rules.test.ts › money is released or captured exactly on the way into an end state, once',
  },
  {
    name: 'overtaken-same-intent',
    file: 'server/src/pay-out/withdrawals/settlement.ts',
    replace: ["...(event === 'overtaken' && !isPaid ?", "...(event === 'overtaken' && isPaid ?"],
    fault: 'audit M-B4',
    breaks: 'A payment that was overtaken is never paid.',
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
]
