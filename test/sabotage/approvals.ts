import type { Sabotage } from './sabotage.ts'

/** Faults of the approvals that people give to the signer. */
export const approvalSabotages: readonly Sabotage[] = [
  {
    name: 'approval-challenge',
    file: 'signer/src/webauthn/ceremony.ts',
    replace: [
      "if (data['challenge'] !== challenge.toString('base64url'))",
      "if (typeof data['challenge'] !== 'string')",
    ],
    fault: 'P2, S9',
    breaks: 'An answer to the challenge of one payment approves another payment.',
    finder: 'signer/src/approvals/refused-answers.test.ts › to the offer of another payment, network or contents',
  },
  {
    name: 'approval-verification',
    file: 'signer/src/webauthn/ceremony.ts',
    replace: ['  if (!isVerified) throw', '  if (!isVerified && !isPresent) throw'],
    fault: 'P2, S9',
    breaks: 'A stolen security key approves payments without its PIN or fingerprint.',
    finder: 'signer/src/webauthn/ceremony.test.ts › without verification of the person does not count',
  },
  {
    name: 'approval-origin',
    file: 'signer/src/webauthn/ceremony.ts',
    replace: ["if (data['origin'] !== origin) throw", "if (data['origin'] === '') throw"],
    fault: 'P2, S9',
    breaks: 'An answer that was given on the page of another host approves a payment.',
    finder: 'signer/src/webauthn/ceremony.test.ts › on a page of another origin does not count',
  },
  {
    name: 'approval-counter',
    file: 'signer/src/approvals/approvals.ts',
    replace: [
      'if (counter > before || (counter === 0 && before === 0)) return',
      'if (counter >= 0 || before < 0) return',
    ],
    fault: 'P2, S9',
    breaks: 'A copy of a passkey approves payments unnoticed.',
    finder: 'signer/src/approvals/refused-answers.test.ts › when its counter falls or stays, also after a start',
  },
  {
    name: 'approval-end',
    file: 'signer/src/policy/approval.ts',
    replace: ['if (expiresAt <= now || expiresAt', 'if (expiresAt'],
    fault: 'P2, S9',
    breaks: 'An approval that has ended has a payment signed.',
    finder: 'signer/src/policy/approval.test.ts › names the key of the approver who signed, until the approval ends',
  },
  {
    name: 'approval-removed-key',
    file: 'signer/src/log/approval-book.ts',
    replace: ['?.some(({ name }) => name === key)', '?.some(({ name }) => name !== key || name === key)'],
    fault: 'P2, S9',
    breaks: 'Approvals of a stolen passkey count after it was removed from the policy.',
    finder: 'signer/src/approvals/approvals.test.ts › do not count once one of the keys of a person is removed',
  },
  {
    name: 'approval-twice-on-tron',
    file: 'signer/src/log/approval-book.ts',
    replace: ["if (network === 'TRON') this.#useUp(id)", "if (network !== 'TRON') this.#useUp(id)"],
    fault: 'P2, S9',
    breaks: 'One approval has a payment on TRON signed, and paid, several times.',
    finder:
      'signer/src/approvals/approvals.test.ts › on TRON serve one transaction, whichever way the signer gets them',
  },
]
