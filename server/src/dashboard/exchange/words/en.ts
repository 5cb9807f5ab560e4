import type { Trouble } from '../troubles.ts'

/** Texts of the page of exchanges. */
export interface ExchangeWords {
  make: string
  give: string
  get: string
  amountIs: string
  sideSpend: string
  sideTarget: string
  amount: string
  showPrice: string
  priceTitle: string
  youGive: string
  feeInside: string
  youGet: string
  price: string
  priceOf: (price: string, first: string, second: string) => string
  until: string
  untilText: string
  /** for screen readers; the script puts the number in the place of `0` */
  secondsLeft: string
  ended: string
  endedText: string
  /** the same two where the session has no recent proof, so that there is no button to exchange */
  untilUnproved: string
  endedUnproved: string
  newPrice: string
  confirm: string
  edit: string
  done: string
  troubles: Record<Trouble, string>
  automatic: string
  automaticOn: (ticker: string) => string
  automaticOff: string
  automaticText: string
  automaticTarget: string
  automaticNone: string
  automaticSave: string
  automaticSaved: string
  history: string
  none: string
  noneText: string
  noneFit: string
  noneFitText: string
  wrongFilter: string
  given: string
  received: string
  fee: string
  made: string
  failed: string
}

export const en: ExchangeWords = {
  make: 'New exchange',
  give: 'You give',
  get: 'You get',
  amountIs: 'The amount is',
  sideSpend: 'what I give, with the fee',
  sideTarget: 'what I get',
  amount: 'Amount',
  showPrice: 'Show the price',
  priceTitle: 'Check the exchange',
  youGive: 'You give',
  feeInside: 'Fee in it',
  youGet: 'You get',
  price: 'Price',
  priceOf: (price, first, second) => `1 ${first} = ${price} ${second}`,
  until: 'Valid until',
  untilText:
    'Nothing was exchanged yet. After this time the exchange is made only at this price or a better one; otherwise it is refused.',
  secondsLeft: 'Seconds left: 0',
  ended: 'This price has expired.',
  endedText:
    'Show a new price. If you exchange now, the exchange is made only at the price above or a better one; otherwise it is refused.',
  untilUnproved: 'Nothing was exchanged yet. Confirm that it is you first; then show the price again.',
  endedUnproved: 'Confirm that it is you; then show a new price.',
  newPrice: 'Show a new price',
  confirm: 'Exchange now',
  edit: 'Change',
  done: 'The exchange was made. It is the first one in the list.',
  troubles: {
    changed: 'Another person has changed the automatic exchange. Look at it, and choose again.',
    pair: 'Choose two different assets that can be exchanged.',
    unclear: 'Enter the amount in digits, like 1500 or 12.50. “1,500” and “1.500” are not clear.',
    amount: 'This amount can not be exchanged.',
    balance: 'The balance is too small.',
    worse: 'The price is worse now than the one that you saw. Nothing was exchanged: show the price again.',
    liquidity: 'There is no price for this amount now. Try a smaller amount, or try again later.',
    stopped: 'Exchanges of this asset are stopped now. Try again later.',
    notServed: 'Exchanges of this merchant have ended.',
    proof: 'First confirm that it is you. Nothing was exchanged.',
  },
  automatic: 'Automatic exchange',
  automaticOn: (ticker) => `Payments that name no other asset are exchanged to ${ticker} when they are credited.`,
  automaticOff: 'Payments stay in the asset in which they were paid.',
  automaticText:
    'An invoice or an address of the API can name an asset of its own. A change holds for payments that are credited after it.',
  automaticTarget: 'Exchange payments to',
  automaticNone: 'No asset',
  automaticSave: 'Save',
  automaticSaved: 'The automatic exchange is changed.',
  history: 'Exchanges',
  none: 'No exchanges yet',
  noneText: 'Exchanges made here, by the API and automatically will be listed here.',
  noneFit: 'No exchange fits',
  noneFitText: 'Change or clear the filters.',
  wrongFilter: 'A filter is not valid, and was ignored.',
  given: 'Given',
  received: 'Received',
  fee: 'Fee',
  made: 'Time',
  failed: 'Failed',
}
