/** A case: a request, and its allowed and forbidden effects. */
import type { Operation } from '@bursar/contract'
import type { Random } from '../../../sandbox/random.ts'
import type { Answer, Sending } from '../connection.ts'
import type { FuzzWorld, Owned } from '../objects.ts'
import { contractFaultsOf, refusalOf } from '../oracles/answers.ts'

/** Objects that an accepted request makes, as the tables of their modules. */
export type Table =
  | 'withdrawals'
  | 'card_payouts'
  | 'exchanges'
  | 'exchange_withdrawals'
  | 'crypto_invoices'
  | 'fiat_invoices'
  | 'payment_links'
  | 'addresses'

/** An object that an answer names. */
export interface Created {
  table: Table
  /** id; of `addresses` the address */
  id: string
  merchantId: string
}

export interface Case extends Sending {
  /** the fault of the request, for counts and reports */
  kind: string
  /** the request in a line, for reports */
  about: string
  /**
   * `nothing`: no row may change. `something`: it may be accepted, and then makes exactly the objects that its answer
   * names
   */
  effect: 'nothing' | 'something'
  /** faults of the answers; none: as it must be */
  judge(answers: readonly Answer[]): string[]
  /** the objects that the answers name as made */
  created?(answers: readonly Answer[]): Created[]
  /** it is sent once more, after the others: the answers must be the same */
  isRepeated?: boolean
}

/** Makes a case of its kind from the seed; undefined where the draw does not fit. */
export type Maker = (world: FuzzWorld, random: Random) => Case

export interface Group {
  name: string
  /** how often, among all */
  weight: number
  make: Maker
}

/** An answer of an operation that must be a refusal with status 4xx, by its contract. */
export const mustRefuse =
  (operation: Operation, isHead = false) =>
  (answers: readonly Answer[]): string[] => {
    const [answer] = answers
    if (answer === undefined) return ['no answer']
    if (answer.status < 400) return [`accepted with status ${answer.status}: ${answer.body.toString().slice(0, 200)}`]
    return contractFaultsOf(operation, answer, isHead)
  }

/** An answer of an operation that must be 401 with one of the three codes. */
export const mustNotKnow = (answers: readonly Answer[]): string[] => {
  const [answer] = answers
  if (answer === undefined) return ['no answer']
  const code = refusalOf(answer)?.code
  return answer.status === 401 && code !== undefined && [-1, -2, -3].includes(code)
    ? []
    : [`status ${answer.status}, not 401: ${answer.body.toString().slice(0, 200)}`]
}

/** Any answer that the contract allows. */
export const mustBeByContract =
  (operation: Operation, isHead = false) =>
  (answers: readonly Answer[]): string[] =>
    answers[0] === undefined ? ['no answer'] : contractFaultsOf(operation, answers[0], isHead)

/**
 * An answer by the contract, which holds nothing of a merchant.
 * @param further judges the answer after that
 */
export const mustHoldNothingOf =
  (
    { account, ids, localIds, addresses }: Owned,
    operation: Operation,
    further: (answer: Answer, text: string) => string[],
  ) =>
  (answers: readonly Answer[]): string[] => {
    const faults = mustBeByContract(operation)(answers)
    const [answer] = answers
    if (answer === undefined || faults.length > 0) return faults
    const text = answer.body.toString()
    const foreign = [account.id, ...Object.values(ids).flat(), ...localIds, ...addresses]
    const found = foreign.find((one) => text.includes(one))
    return found === undefined ? further(answer, text) : [`the answer holds ${found} of another merchant`]
  }

const SHOWN = 300

/** The beginning of the request, printable. */
export const aboutOf = (parts: readonly Buffer[]): string =>
  JSON.stringify(Buffer.concat(parts.slice(0, 4)).toString('latin1').slice(0, SHOWN))
