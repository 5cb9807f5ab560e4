import { PRICE_DECIMALS, type Direction, type Quote } from '../exchange/index.ts'
import { formatUnits } from '../money/index.ts'

/** The answer of both estimates (`contract.md` 5.24, 5.26). @param fee of the withdrawal, in what is received */
export const estimateBody = ({ spend, target, first, second }: Direction, quoted: Quote, fee: bigint): unknown => ({
  withdraw: { ticker: target.ticker, amount: formatUnits(quoted.target, target.scale), fee: formatUnits(fee, target.scale) },
  spend: { ticker: spend.ticker, amount: formatUnits(quoted.spend, spend.scale) },
  exchange: { ticker: spend.ticker, amount: formatUnits(quoted.exchange, spend.scale), fee: formatUnits(quoted.fee, spend.scale) },
  price: { value: formatUnits(quoted.price, PRICE_DECIMALS), pair: [first, second] },
})
