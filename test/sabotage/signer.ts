import type { Sabotage } from './sabotage.ts'

/** Faults of the signer. */
export const signerSabotages: readonly Sabotage[] = [
  {
    name: 'signer-limit-ignored',
    file: 'signer/src/rules/limits.ts',
    replace: ['if (BigInt(units) > maxPerIntent) {', 'if (BigInt(units) > maxPerIntent * 1000n) {'],
    fault: 'P2, I24',
    breaks: 'The signer signs any amount.',
    finder: 'signer/src/rules/evm/payment.test.ts › refuses an amount above the limit',
  },
  {
    name: 'signer-new-nonce',
    file: 'signer/src/log/history.ts',
    replace: [
      'if (!known || this.#commonAfter(id, conflictKeys).length > 0) return',
      'if (!known || conflictKeys.length > 0) return',
    ],
    fault: 'P2, I10',
    breaks: 'A payment is signed again with another nonce, and both are mined.',
    finder:
      'signer/src/log/history.test.ts › a replacement with the same nonce is signed, one with another nonce or key is not',
  },
  {
    name: 'signer-nonce-used',
    file: 'signer/src/log/history.ts',
    replace: ['for (const key of conflictKeys) this.#judgeNonce(key, request)\n', ''],
    fault: 'P2',
    breaks: 'One nonce is signed for two payments.',
    finder: 'signer/src/log/history.test.ts › a nonce serves one intent, or fillers',
  },
  {
    name: 'signer-closed-intent',
    file: 'signer/src/log/history.ts',
    replace: [
      '    this.#judgeContents(request)\n    this.#judgeClosed(request)\n    // Another',
      '    this.#judgeContents(request)\n    // Another',
    ],
    fault: 'audit M-A5, I11',
    breaks: 'A payment is signed whose money was given back.',
    finder: 'signer/src/server/closing.test.ts › is never signed for, also after a start',
  },
  {
    name: 'signer-changed-intent',
    file: 'signer/src/log/history.ts',
    replace: [
      'if (known && known.contents !== contentsOf(network, intent)) {',
      "if (known && known.contents === '') {",
    ],
    fault: 'K2',
    breaks: 'A payment is signed again to another destination.',
    finder: "signer/src/log/history.test.ts › an intent's amount never changes",
  },
  {
    name: 'signer-tron-before-expiry',
    file: 'signer/src/log/history.ts',
    replace: ['if (last === null || mayRebuild(last, now)) continue', 'if (last === null || now > 0) continue'],
    fault: 'T3',
    breaks: 'A TRON payment is signed again while the first can still be mined.',
    finder:
      'signer/src/rules/tron/history.test.ts › a second transaction is signed ten minutes past the expiration of the first, by the signer’s clock',
  },
  {
    name: 'signer-destination',
    file: 'signer/src/rules/evm/payment.ts',
    replace: ['  if (paid.to !== to) {', "  if (paid.to === '0x') {"],
    fault: 'K2',
    breaks: 'The signer pays another receiver than the intent names.',
    finder: 'signer/src/rules/evm/payment.test.ts › refuses coins sent elsewhere',
  },
  {
    name: 'signer-amount',
    file: 'signer/src/rules/evm/payment.ts',
    replace: ['if (paid.units !== BigInt(intent.units)) {', 'if (paid.units < BigInt(intent.units)) {'],
    fault: 'K2',
    breaks: 'The signer pays more than the intent says.',
    finder: 'signer/src/rules/evm/payment.test.ts › refuses one wei more',
  },
  {
    name: 'signer-token-contract',
    file: 'signer/src/rules/evm/payment.ts',
    replace: ['if (to !== contract) throw', "if (to === '0x') throw"],
    fault: 'E3',
    breaks: 'The signer calls another contract than the token of the policy.',
    finder: 'signer/src/rules/evm/payment.test.ts › refuses a twin of the token',
  },
  {
    name: 'signer-chain-id',
    file: 'signer/src/rules/evm/payment.ts',
    replace: ['if (transaction.chainId !== policy.chainId) {', 'if (transaction.chainId === 0) {'],
    fault: 'E11',
    breaks: 'A payment for one chain is valid on another.',
    finder: 'signer/src/rules/evm/payment.test.ts › refuses another chain id',
  },
  {
    name: 'signer-evm-fee-cap',
    file: 'signer/src/rules/evm/payment.ts',
    replace: ['  if (fee > maxUnits) throw', '  if (fee < 0n) throw'],
    fault: 'B19, I24',
    breaks: 'The signer signs any fee.',
    finder: 'signer/src/rules/evm/payment.test.ts › refuses B19 gas above the cap',
  },
  {
    name: 'signer-bitcoin-change',
    file: 'signer/src/rules/bitcoin/payout.ts',
    replace: [
      'return equal(own.script, script) ? index : undefined',
      'return own.script.length > 0 ? index : undefined',
    ],
    fault: 'K2',
    breaks: 'Change goes to a thief under our origin.',
    finder: 'signer/src/rules/bitcoin/payout.test.ts › refuses change to a thief under our origin',
  },
  {
    name: 'signer-kill-switch',
    file: 'signer/src/rules/limits.ts',
    replace: ['if (!policy.enabled) throw', 'if (policy.enabled === undefined) throw'],
    fault: 'audit M-B3',
    breaks: 'Switching the signer off stops nothing.',
    finder:
      'signer/src/rules/evm/payment.test.ts › kill switches stop all or one network; earlier signatures are still returned',
  },
  {
    name: 'signer-approvals',
    file: 'signer/src/rules/limits.ts',
    replace: ['if (approved.length < needed) {', 'if (approved.length === 0) {'],
    fault: 'S9',
    breaks: 'One approval is enough where the policy asks for two.',
    finder: 'signer/src/rules/limits.test.ts › as many as the policy requires let a large amount through',
  },
  {
    name: 'signer-old-log',
    file: 'signer/src/server/signer.ts',
    replace: ['if (seen.length <= length && this.#parts.history.holds(seen)) return', 'if (seen.length >= 0) return'],
    fault: 'audit M-C4',
    breaks: 'A signer with an older copy of its log signs a payment that it has signed before.',
    finder:
      'signer/src/log/log-memory.test.ts › a log that was cut back signs nothing and is not believed, also when it has grown again',
  },
  {
    name: 'signer-answers-early',
    file: 'signer/src/server/turns.ts',
    replace: ['Promise.allSettled([this.#sync()])', 'Promise.allSettled([void this.#sync().catch(() => undefined)])'],
    fault: 'audit M-C4',
    breaks: 'A signature is returned before its line of the log is on the disk.',
    finder:
      'signer/src/server/groups.test.ts › are not answered, nor refused, nor shown before their lines are on the disk',
  },
  {
    name: 'signer-stop-between',
    file: 'signer/src/server/turns.ts',
    replace: ['      await others()\n', ''],
    fault: 'audit M-B3',
    breaks: 'A stop of the signer takes effect only after all requests that arrived together.',
    finder: 'signer/src/server/groups.test.ts › a stop takes effect between two of them',
  },
]
