/** Requests of merchants by additional keys, each of one scope (docs/contract.md, 2.1). */
import { BursarError, BursarNetworkError, type Bursar } from '@bursar/sdk'
import type { Scope } from '@bursar/contract'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import { clientOf, type ScopedKey, type SimulatedMerchant } from '../merchants.ts'
import type { Simulation } from '../simulation.ts'
import { failureOf, type Action } from './action.ts'
import { drawWithdrawal, isServed } from './merchants.ts'

const UNSIGNED = 401
const OUT_OF_SCOPE = 403

/** A request that needs one scope. It is drawn, and a withdrawal is booked, before it is sent. */
interface Request {
  needs: Scope
  what: string
  merchant: SimulatedMerchant
  send(client: Bursar): Promise<unknown>
}

const drawRequest = async (simulation: Simulation, random: Random): Promise<Request> => {
  const { books, catalogue, chains, merchants } = simulation
  const drawn = random.pick(merchants)
  const needs = random.pick(['read', 'invoices', 'payouts', 'payouts'] as const)
  if (needs === 'read')
    return {
      needs,
      what: 'balances',
      merchant: drawn,
      send: (client) => client.balances.list(catalogue.crypto.map(({ ticker }) => ticker)),
    }
  if (needs === 'invoices') {
    const { network } = random.pick(chains)
    return {
      needs,
      what: `address of ${network}`,
      merchant: drawn,
      send: async (client) => {
        const { address } = await client.addresses.create({ blockchain: network })
        books.addresses.push({ merchant: drawn.name, network, address })
      },
    }
  }
  const wanted = await drawWithdrawal(simulation, random)
  books.paidOut.push(wanted)
  const { localId, network, ticker, to, units } = wanted
  const amount = formatUnits(units, catalogue.findCrypto(ticker)!.scale)
  return {
    needs,
    what: localId,
    merchant: merchants.find(({ name }) => name === wanted.merchant)!,
    send: (client) => client.withdrawals.crypto.create({ ticker, blockchain: network, to, amount, localId }),
  }
}

/** @returns what no answer to this request by this key may be; undefined: it may be so */
const judge = (
  { merchant: { name }, needs, what }: Request,
  { scope }: ScopedKey,
  status: number | undefined,
): string | undefined => {
  const request = `${what} of ${name}, by a key for ${scope}`
  if (status === UNSIGNED) return `${request}: the key is not known`
  if (status === OUT_OF_SCOPE && needs === scope) return `${request}: is refused`
  return status === undefined && needs !== scope ? `${request}: is carried out` : undefined
}

const callByKey: Action = {
  name: 'call by an additional key',
  weight: (simulation) => (isServed(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const { clock, problems, roles } = simulation
    const request = await drawRequest(simulation, random)
    const key = random.pick(request.merchant.keys)
    const calledAt = clock.now()
    let status: number | undefined
    let result = 'ok'
    try {
      await request.send(clientOf(roles.get('api')!.api!, request.merchant, clock.now, key))
    } catch (error) {
      if (error instanceof BursarNetworkError) return `${request.what} by ${key.scope}: ${failureOf(error)}`
      if (!(error instanceof BursarError)) throw error
      status = error.status
      result = failureOf(error)
    }
    // A signature expires when another action of the step moves the clock meanwhile.
    const problem = status === UNSIGNED && clock.now() !== calledAt ? undefined : judge(request, key, status)
    if (problem !== undefined) problems.push(problem)
    return `${request.what} by ${key.scope}: ${result}`
  },
}

export const KEYS: readonly Action[] = [callByKey]
