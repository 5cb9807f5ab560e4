import type { Market } from '../../rates/port.ts'
import type { Limited } from '../../rests.ts'

/** Messages between our process and that of ccxt. Amounts are decimals as text. */
export interface CcxtSettings {
  /** ccxt's name of the exchange */
  exchange: string
  /** instead of the exchange's own hosts; the paths stay */
  origin: string | undefined
  apiKey: string
  secret: string
  /** timeout of one request to the exchange */
  timeoutMs: number
}

export interface WireOrder {
  clientId: string
  market: Market
  side: 'buy' | 'sell'
  amount: string
  price: string
  placedAt: number
  validMs: number
}

export interface WireFill {
  tradeId: string
  amount: string
  price: string
  cost: string
  fee: { asset: string; amount: string } | null
  at: number
}

export interface Operations {
  open(settings: CcxtSettings): Promise<null>
  markets(): Promise<
    {
      base: string
      quote: string
      amountStep: string
      priceStep: string
      leastAmount: string
      leastNotional: string
      mostAmount: string | null
      mostPosition: string | null
    }[]
  >
  balances(): Promise<{ asset: string; total: string; free: string }[]>
  place(order: WireOrder): Promise<{ kind: 'taken' } | { kind: 'refused'; reason: string }>
  find(
    order: Pick<WireOrder, 'clientId' | 'market'>,
  ): Promise<
    { kind: 'known'; open: boolean; executed: string; fills: WireFill[] } | { kind: 'absent'; venueTime: number }
  >
  cancel(order: Pick<WireOrder, 'clientId' | 'market'>): Promise<null>
}

export type Call = {
  [Name in keyof Operations]: { id: number; name: Name; args: Parameters<Operations[Name]> }
}[keyof Operations]
export type Answer = { id: number; value: unknown } | { id: number; error: string; limited?: Limited }
