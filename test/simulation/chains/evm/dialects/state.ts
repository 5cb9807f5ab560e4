/**
 * State, calls and fees. Words: test/world/dialects/evm-answers.ts; rows E-41, E-42, E-55, E-56 and E-58 of
 * docs/dialects.md.
 */
import { NO_OVERRIDES, NOT_CANONICAL, REVERTS, STATE_TOO_OLD } from '../../../../world/dialects/evm-answers.ts'
import { answering, changing, refusing, type Dialect } from '../../dialect.ts'
import { unknownBlock } from './heads.ts'

const CALLS = ['eth_call', 'eth_estimateGas']
/** States that full nodes of geth and bsc keep. */
const STORED_BLOCKS = 128
/** Faults that are no revert have words of their own. */
const isRevert = ({ who }: { who: string }): boolean => !who.includes('fault') && !who.startsWith('EDR')

export const STATE: readonly Dialect[] = [
  ...NOT_CANONICAL.filter(({ who }) => who.includes('unknown hash')).map(({ who, said }): Dialect => ({
    name: `E-41 ${who}`,
    aspect: 'unknown block',
    answer: unknownBlock(said),
  })),
  ...STATE_TOO_OLD.filter(({ who }) => who !== 'Besu: estimates').map(({ who, said }): Dialect => ({
    name: `E-42 ${who}: older state is gone`,
    aspect: 'old state',
    hinders: true,
    answer: answering(['eth_getBalance', 'eth_call'], async ({ params }, node) => {
      const place = params[1]
      if (typeof place !== 'string' || !place.startsWith('0x')) return undefined
      return (await node.head()) - Number(place) >= STORED_BLOCKS ? said : undefined
    }),
  })),
  ...REVERTS.filter(isRevert).map(({ who, said }): Dialect => ({
    name: `E-56 ${who}: words of a revert`,
    aspect: 'reverts',
    answer: refusing(CALLS, ({ message }) => (/revert/i.test(message) ? said : undefined)),
  })),
  ...NO_OVERRIDES.map(({ who, said }): Dialect => ({
    name: `E-58 ${who}`,
    aspect: 'overrides',
    answer: answering(['eth_call'], ({ params }) => (params.length > 2 ? said : undefined)),
  })),
  {
    name: 'E-55 gateways: rewards are null',
    aspect: 'fees',
    answer: changing(['eth_feeHistory'], (history: object) => ({ ...history, reward: null })),
  },
  {
    name: 'E-55 geth: no list for a block whose receipts are missing',
    aspect: 'fees',
    answer: changing(['eth_feeHistory'], (history: { reward?: unknown[] | null }) => ({
      ...history,
      reward: history.reward?.map((one, at) => (at === 0 ? [] : one)) ?? [],
    })),
  },
  {
    name: 'E-55 a list that is null',
    aspect: 'fees',
    answer: changing(['eth_feeHistory'], (history: { reward?: unknown[] | null }) => ({
      ...history,
      reward: history.reward?.map((one, at) => (at === 0 ? null : one)) ?? null,
    })),
  },
]
