import type { Sabotage } from './sabotage.ts'

/** Faults of exchanges and hedging. */
export const exchangeSabotages: readonly Sabotage[] = [
  {
    name: 'quote-used-twice',
    file: 'server/src/exchange/exchanges/trading.ts',
    replace: ['    taken.filter((quote) => quote !== undefined),', '    taken.filter((quote) => quote === null),'],
    fault: 'X1',
    breaks: 'A quoted price is used for many orders after the market has moved.',
    finder:
      'server/src/exchange/exchanges/exchange.test.ts › price is honoured once, for ten seconds, while the market stays near',
  },
  {
    name: 'exchange-rounds-up',
    file: 'server/src/exchange/exchanges/pricing.ts',
    replace: [
      "? mulDiv(exchange * up, price, PRICE_ONE * down * target.step, 'down') * target.step",
      "? mulDiv(exchange * up, price, PRICE_ONE * down * target.step, 'up') * target.step",
    ],
    fault: 'X3, L9',
    breaks: 'Each exchange gives the merchant a unit too much.',
    finder:
      'server/src/exchange/exchanges/pricing.test.ts › the side that is named is exact, the parts add up, and no rounding favours the merchant',
  },
  {
    name: 'exchange-fee-rounds-down',
    file: 'server/src/exchange/exchanges/pricing.ts',
    replace: [
      "mulDiv(exchange, feeBps, BPS * spend.step, 'up') * spend.step",
      "mulDiv(exchange, feeBps, BPS * spend.step, 'down') * spend.step",
    ],
    fault: 'X5, L9',
    breaks: 'Small exchanges cost no fee.',
    finder:
      'server/src/exchange/exchanges/pricing.test.ts › the fee is at least its share, and less than a step more where nothing else is left over',
  },
  {
    name: 'exchange-inverse-price',
    file: 'server/src/exchange/exchanges/pricing.ts',
    replace: [
      "  selling === 'first' ? price >= limit : price <= limit",
      "  selling === 'first' ? price >= limit : price >= limit",
    ],
    fault: 'X3',
    breaks: 'An order of one direction is filled at a price that is worse than its limit.',
    finder: 'server/src/exchange/exchanges/pricing.test.ts › that a merchant gives is a limit: as good is good enough',
  },
  {
    name: 'position-bound-ignored',
    file: 'server/src/exchange/exchanges/inventory.ts',
    replace: [
      '(units > 0n && high !== null && position > high)',
      '(units > 0n && high !== null && position > high * 2n)',
    ],
    fault: 'audit F-9.3',
    breaks: 'The platform holds more than its limit allows.',
    finder:
      "server/src/exchange/exchanges/limits.test.ts › of a bought asset holds too, and the owner's money moves it",
  },
  {
    name: 'reserved-sold-again',
    file: 'server/src/exchange/exchanges/inventory.ts',
    replace: [
      '{ units: held.units - units, reserved: held.reserved + units }',
      '{ units: held.units, reserved: held.reserved + units }',
    ],
    fault: 'L1',
    breaks: 'The amount that an order on the venue spends is sold to merchants as well.',
    finder:
      'server/src/exchange/hedging/hedging.test.ts › the amount that an open order may spend is not sold to merchants, and is for sale again once the order has ended',
  },
  {
    name: 'exchange-of-stopped-asset',
    file: 'server/src/exchange/exchanges/trading.ts',
    replace: [
      '    checkStops({ merchantId, ticker, network: null }, stopped)',
      "    if (ticker === '') checkStops({ merchantId, ticker, network: null }, stopped)",
    ],
    fault: 'audit M-D2',
    breaks: 'An asset that is stopped leaves by an exchange.',
    finder: 'server/src/exchange/exchanges/exchange.test.ts › stopped assets are not exchanged away',
  },
  {
    name: 'conversion-random-intent',
    file: 'server/src/exchange/conversions/naming.ts',
    replace: [
      '`conversion:${deposit ? await sourceOf(tx, deposit) : id}:${units}`',
      '`conversion:${deposit && units < 0n ? await sourceOf(tx, deposit) : id}:${units}`',
    ],
    fault: 'audit M-A5',
    breaks: 'A restored database pays a converted deposit twice.',
    finder:
      'server/src/exchange/conversions/conversions.test.ts › is the same payment to the signer when a restored copy reads its deposit again',
  },
]
