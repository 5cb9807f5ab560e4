/**
 * Card numbers that mean something to the bank. Every other number that passes Luhn's check is a good card. Only tests
 * of the sandbox use it.
 */
import type { Outcome } from '../acquirers/faults.ts'

export interface TestCard {
  readonly number: string
  /** what becomes of a payment with it, and of a payout to it where `payout` says nothing else */
  readonly outcome: Outcome | 'expired-card'
  readonly secure?: true
  /** `third`: every third payout to it is refused, so that some parts of a batch fail */
  readonly payout?: Outcome | 'third'
  readonly about: string
}

export const testCards: readonly TestCard[] = [
  { number: '4242424242424242', outcome: 'success', about: 'paid at once' },
  { number: '4000000000003063', outcome: 'success', secure: true, about: 'paid after 3-D Secure, code 1234' },
  { number: '4000000000000002', outcome: 'refused', about: 'refused by the issuer' },
  { number: '4000000000009995', outcome: 'insufficient-funds', about: 'too little money' },
  { number: '4000000000000069', outcome: 'expired-card', payout: 'refused', about: 'expired' },
  { number: '4000000000007775', outcome: 'stuck', about: 'stays in processing' },
  { number: '4000000000008880', outcome: 'reversed', about: 'paid, and taken back a little later' },
  { number: '4000000000005555', outcome: 'success', payout: 'third', about: 'every third payout to it is refused' },
]

/** The fields of the page of the card's bank. */
export const secureCode = '1234'

export function findTestCard(number: string): TestCard | undefined {
  return testCards.find((card) => card.number === number)
}

/** The masked form, as the bank writes it in its answers. */
export function maskOf(number: string): string {
  return `${number.slice(0, 4)} ${number.slice(4, 6)}** **** ${number.slice(-4)}`
}
