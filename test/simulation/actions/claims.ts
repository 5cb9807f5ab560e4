/**
 * The payer of an underpaid invoice claims the money back, and an operator approves it: from the page to the last
 * block.
 */
import { NATIVE_TICKER } from '@bursar/chainkit'
import { createClaimTokens } from '../../../server/src/pay-in/crypto-invoices/claim-tokens.ts'
import { readDataKey } from '../../../server/src/platform/config/secrets.ts'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { DATA_KEY } from '../installation/keys.ts'
import { toLedger, type Claimed } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { pay } from './lost-money.ts'
import { createInvoice } from './merchants.ts'
import { drawUnits } from './payers.ts'
import { runJob } from './program.ts'
import { calm, carry, isComplete, loseBlock, mine, refusingChains } from './sent.ts'

const DURATION_MS = 600_000
export const TO_FINAL = 6
/** As the mail to the payer has it in its link. */
const tokens = createClaimTokens([readDataKey(DATA_KEY)])

/** An invoice that has expired with half of its amount paid. @returns undefined: it was not created */
export const underpay = async (
  simulation: Simulation,
  random: Random,
  chain: SimulatedChain,
): Promise<Claimed | undefined> => {
  const { catalogue, clock, merchants, roles } = simulation
  const { network } = chain
  const ticker = NATIVE_TICKER[network]
  const merchant = random.pick(merchants.filter(({ holds }) => !holds))
  const half = drawUnits(simulation, random, { ticker, network })
  const units = toLedger(catalogue, ticker, network, half * 2n)
  const drawn = { merchant, network, ticker, units, value: formatUnits(units, catalogue.findCrypto(ticker)!.scale) }
  const made = await createInvoice(simulation, drawn, { duration: String(DURATION_MS) }, 3)
  if ('failure' in made) return undefined
  await pay(simulation, chain, { merchant: merchant.name, network, address: made.address }, { ticker, units: half })
  await mine(simulation, chain, TO_FINAL)
  clock.advance(DURATION_MS + 1_000)
  for (const job of roles.get('worker')?.jobs ?? []) if (job.name === 'invoice expiry') await runJob(job)
  const to = await chain.newAddress(random)
  return { merchant: merchant.name, invoiceId: made.id, address: made.address, network, ticker, to }
}

/** @returns the id of the claim; undefined: it was not taken */
export const claim = async (
  { operate, roles }: Simulation,
  { invoiceId, to }: Claimed,
): Promise<string | undefined> => {
  const page = `${roles.get('api')!.api}/invoices/crypto/${invoiceId}?claim=${tokens.of(invoiceId)}`
  const body = new URLSearchParams({ do: 'refund', address: to })
  await (await fetch(page, { method: 'POST', body, redirect: 'manual' })).text()
  const listed = await operate('claims list')
  if ('failure' in listed) throw new Error(`claims list: ${listed.failure}`)
  return (listed.printed['claims'] as { id: string; invoiceId: string }[]).find((one) => one.invoiceId === invoiceId)
    ?.id
}

const approve = async (simulation: Simulation, chain: SimulatedChain, id: string): Promise<string> => {
  // The invoice has taken longer to expire than an estimate of the network fee lasts.
  await calm(simulation, chain)
  const done = await simulation.operate('claims approve', id)
  await carry(simulation, chain)
  await mine(simulation, chain, 1)
  return 'failure' in done ? 'refused' : 'approved'
}

const refundInvoice: Action = {
  name: 'the payer of an underpaid invoice gets the money back',
  weight: (simulation) =>
    isComplete(simulation) && simulation.together === 1 && refusingChains(simulation).length > 0 ? 2 : 0,
  run: async (simulation, random) => {
    const chain = random.pick(refusingChains(simulation))
    await calm(simulation, chain)
    const claimed = await underpay(simulation, random, chain)
    const id = claimed && (await claim(simulation, claimed))
    if (id === undefined) return `${chain.network}: no claim`
    simulation.books.claimed.push(claimed!)
    const { to } = claimed!
    const results = [await approve(simulation, chain, id)]
    if (random.chance(0.7)) {
      // The block with the refund is lost, and in the next one the receiver refuses the coin.
      await chain.refuse!(to, true)
      await loseBlock(simulation, chain)
      await mine(simulation, chain, TO_FINAL)
      if (random.chance(0.5)) {
        await chain.refuse!(to, false)
        results.push(await approve(simulation, chain, id))
      }
    }
    await mine(simulation, chain, random.pick([1, TO_FINAL]))
    return `${claimed!.merchant} ${chain.network}: ${results.join(', ')}`
  },
}

export const CLAIMS: readonly Action[] = [refundInvoice]
