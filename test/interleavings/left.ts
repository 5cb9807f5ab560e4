/**
 * Everything that has left the installation: signatures, transactions for a node, orders for acquirers and a venue. A
 * payment is named by its nonce, receiver and data, so that a repetition and a replacement are the same payment, and a
 * second payment is another.
 */
import { parseTransaction } from 'viem'
import type { SignRequest } from '../../signer/src/protocol/protocol.ts'
import type { PaymentAcquirer } from '../world/acquirer-payments.ts'
import type { PayoutAcquirer } from '../world/acquirer-payouts.ts'
import type { TestVenue } from '../world/venue.ts'

export interface Left {
  signed(request: SignRequest): void
  broadcast(raw: string): void
  /** Forgets the requests so far. */
  forget(): void
  /** a line for each payment and each order */
  lines(): string[]
}

const movedBy = (hex: string): string => {
  const { nonce, to, value, data } = parseTransaction(hex as `0x${string}`)
  return `${nonce} to ${to} ${value ?? 0n} ${data ?? ''}`
}

const withPrefix = (hex: string): string => (hex.startsWith('0x') ? hex : `0x${hex}`)

export const createLeft = (others: { bank: PayoutAcquirer; shop: PaymentAcquirer; venue: TestVenue }): Left => {
  const { bank, shop, venue } = others
  const chain = new Set<string>()
  return {
    signed: ({ purpose, intents, unsigned }) => {
      chain.add(`signed: ${purpose} ${movedBy(withPrefix(unsigned))}`)
      for (const { id, asset, units, to } of intents) chain.add(`signed for ${id}: ${units} ${asset} to ${to}`)
    },
    broadcast: (raw) => void chain.add(`broadcast: ${movedBy(withPrefix(raw))}`),
    forget: () => chain.clear(),
    lines: () => [
      ...chain,
      ...[...bank.orders.values()].map(({ reference, units }) => `to a card: ${reference} ${units}`),
      ...[...shop.orders.keys()].map((reference) => `a card's page: ${reference}`),
      ...[...shop.refunds].map(([id, { reference, units }]) => `back to a card: ${id} ${units} of ${reference}`),
      `requests for refunds: ${shop.refundsSent}`,
      ...venue.taken.map(
        ({ side, amount, market: { base, quote } }) => `on the venue: ${side} ${amount} ${base}/${quote}`,
      ),
    ],
  }
}
