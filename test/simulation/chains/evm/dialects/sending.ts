/**
 * Refusals of transactions in each client's words: test/world/dialects/evm-refusals.ts; rows E-43 to E-49
 * of docs/dialects.md, and E-53. Refusals of long batches: test/world/dialects/batches.ts; row E-60.
 */
import { keccak256 } from 'viem'
import { REFUSALS, type Refusal } from '../../../../world/dialects/evm-refusals.ts'
import { TOO_MANY } from '../../../../world/dialects/batches.ts'
import { answering, isAmong, refuse, refusing, type Dialect } from '../../dialect.ts'

const SEND = 'eth_sendRawTransaction'

/** What EDR's words (crates/edr_provider/src/error.rs) mean, and by what the same is found among another client's. */
const MEANINGS: readonly { edr: RegExp; verdicts: readonly string[]; says: RegExp }[] = [
  { edr: /^Known transaction/, verdicts: ['known', 'seen-before'], says: /already ?known|Known transaction/i },
  { edr: /^Nonce too low/, verdicts: ['nonce-used'], says: /nonce/i },
  { edr: /^Replacement transaction underpriced/, verdicts: ['fee-too-low'], says: /replacement ?(transaction|not)/i },
  { edr: /too low for the next block/, verdicts: ['fee-too-low'], says: /base ?fee|FeeTooLow,|underpriced/i },
  { edr: /below the minimum/, verdicts: ['fee-too-low'], says: /minimum|FeeTooLow,|underpriced/i },
  { edr: /enough funds/, verdicts: ['insufficient-funds'], says: /./ },
]

const inWordsOf = (rows: readonly Refusal[], message: string): Refusal | undefined => {
  const meaning = MEANINGS.find(({ edr }) => edr.test(message))
  if (meaning === undefined) return undefined
  const same = rows.filter(({ verdict }) => meaning.verdicts.includes(verdict))
  return same.find(({ says }) => meaning.says.test(says)) ?? same[0]
}

const CLIENTS: readonly [row: string, client: string, version: string][] = [
  ['E-43', 'geth', '2026-08'],
  ['E-45', 'besu', '2026-03'],
  ['E-46', 'reth', '2026-08'],
  ['E-47', 'erigon', '3.0, bsc-erigon 1.4'],
  ['E-49', 'nethermind', '2026'],
  ['E-49', 'nethermind', 'until 2025'],
]

/** Questions in a batch that a node takes: as few as hosted nodes do for nothing. */
const MOST_BATCHED = 3

export const BATCHES: readonly Dialect[] = TOO_MANY.map(([who, status, says]) => ({
  name: `E-60 ${who}`,
  aspect: 'batches',
  refuseBatch: (questions) => (questions.length > MOST_BATCHED ? { status, says: says(questions) } : undefined),
}))

export const SENDING: readonly Dialect[] = [
  ...CLIENTS.map(([row, client, version]): Dialect => {
    const rows = REFUSALS.filter((one) => one.client === client && one.version === version)
    return {
      name: `${row} ${client} ${version}: words of refusals`,
      aspect: 'refusals',
      answer: refusing([SEND], ({ message }) => {
        const words = inWordsOf(rows, message)
        return words && refuse(words.code, words.says)
      }),
    }
  }),
  {
    name: 'E-53 a private relay: accepted and never spread',
    aspect: 'spreading',
    hinders: true,
    answer: answering([SEND], ({ params }) => {
      const hash = keccak256(params[0] as `0x${string}`)
      return isAmong(hash, 0.3) ? { result: hash } : undefined
    }),
  },
]
