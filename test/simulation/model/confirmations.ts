/** No merchant is notified of Done before the block is as deep as docs/contract.md, 18, requires. */
import type { Simulation } from '../simulation.ts'

/** A transaction among so many newest blocks is not final: no chain here is final before the fourth of them. */
const NOT_FINAL = 3
/** Worth more than 100 dollars at any price: below that one confirmation suffices. */
const NEEDS_TWO_CONFIRMATIONS = 0.01

/** Judges the notifications that have arrived since the last call, while the chains are as they were then. */
export const createConfirmationJudge = (simulation: Simulation): (() => Promise<void>) => {
  const { receivers, chains, problems } = simulation
  let judged = 0
  return async () => {
    const news = receivers.received.slice(judged)
    judged = receivers.received.length
    for (const { kind, status, body } of news) {
      if (kind !== 'Replenish' || status !== 'Done') continue
      const { hash, blockchain, ticker, amount } = JSON.parse(body) as Record<string, string>
      const chain = chains.find(({ network }) => network === blockchain)
      if (hash === undefined || chain === undefined) continue
      const depth = chain.network === 'BITCOIN' ? bitcoinDepth(simulation, amount!) : NOT_FINAL
      if (depth > 0 && (await chain.isWithin(hash, depth)))
        problems.push(`${amount} ${ticker} on ${blockchain}: Done within the newest ${depth} blocks`)
    }
  }
}

/** A reorganisation may put a payment that was deep enough into a new block before its webhook is delivered. */
const bitcoinDepth = ({ reorganised }: Simulation, amount: string): number =>
  Number(amount) >= NEEDS_TWO_CONFIRMATIONS && !reorganised.has('BITCOIN') ? 1 : 0
