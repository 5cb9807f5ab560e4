/** Compares the record of each address of ours with its balance on the chain, and finds stops made by the program. */
import { sql } from 'kysely'
import type { Network } from '@bursar/chainkit'
import { listStops } from '../../../server/src/ledger/stops/index.ts'
import type { Simulation } from '../simulation.ts'
import { toLedger } from './books.ts'

/** Stops that simulated operators make have one of these actors. */
const OPERATORS: ReadonlySet<string> = new Set(['simulation'])

/** Once everything has come to rest. @returns what differs, in one line each */
export const compareCustody = async (simulation: Simulation): Promise<string[]> => {
  const stops = (await listStops(simulation.db)).filter(({ createdBy }) => !OPERATORS.has(createdBy))
  return [
    ...stops.map(({ asset, reason }) => `the program has stopped ${asset ?? 'everything'}: ${reason}`),
    ...(await compareRecords(simulation)),
  ]
}

const compareRecords = async ({ db, chains, catalogue }: Simulation): Promise<string[]> => {
  const { rows } = await sql<{
    network: Network
    asset: string
    address: string
    booked: bigint
  }>`select network, asset, address, booked from custody_addresses order by network, asset, address`.execute(db)
  const problems: string[] = []
  for (const { network, asset, address, booked } of rows) {
    const chain = chains.find((one) => one.network === network)
    const found = chain?.assets.find(({ ticker }) => ticker === asset)
    if (chain === undefined || found === undefined) continue
    const has = toLedger(catalogue, asset, network, await chain.balance(address, found.contract ?? null))
    if (has !== booked) problems.push(`${address} on ${network} has ${has} ${asset}, and its record is ${booked}`)
  }
  return problems
}
