import { html, type Piece } from '@bursar/checkout/html'
import { showNetwork } from '../../merchants/documents/index.ts'
import { amountMarkup, type Scope } from '../frame/index.ts'
import type { Amount, Payment } from './payment.ts'

export const amountPiece = (scope: Scope, amount: Amount | null): Piece =>
  amount === null ? '–' : amountMarkup(scope, amount)

/** The kind of payment, and the network of a payment on a chain. */
export const methodPiece = ({ words }: Scope, { kind, network }: Payment): Piece =>
  network === null ? words.kinds[kind] : html`${words.kinds[kind]}<br><span class="soft">${showNetwork(network)}</span>`
