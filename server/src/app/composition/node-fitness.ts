import type { Network } from '@bursar/chainkit'
import { ChainUnavailable } from '../../adapters/chains/index.ts'
import { lineOf, type Finding, type NodeRole } from '../../adapters/chains/survey/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

/** A role's way to ask what nodes lack that it needs. */
export interface NodeLook {
  runtime: Runtime
  role: NodeRole
  survey(network: Network): Promise<Finding[]>
}

const KIND = 'node-unfit'
/** A node is changed by a person: to hear of it within minutes is enough. */
const LOOK_EVERY_MS = 10 * 60_000

/**
 * Raises the alert `node-unfit` while a node lacks what the role needs, and ends it when the node has it. A node that
 * does not answer leaves the alert as it is.
 * @returns what the node lacks and what to change, in one text; null when it lacks nothing that is known
 */
const lookAtNode = async ({ runtime, role, survey }: NodeLook, network: Network): Promise<string | null> => {
  const findings = await survey(network)
  const lacking = findings.filter(({ standing }) => standing === 'unfit')
  const subject = `${network} ${role}`
  const moment = momentOf(runtime)
  if (lacking.length > 0) {
    const text = `the ${role} does not work with the node of ${network}: ${lacking.map(lineOf).join('; ')}`
    await raiseOrRenewAlert(runtime.db, { kind: KIND, subject, text }, moment)
    return text
  }
  if (findings.every(({ standing }) => standing !== 'unknown')) await resolveAlert(runtime.db, KIND, subject, moment.at)
  return null
}

/**
 * Throws `ChainUnavailable` with what to change while the node lacks what the role needs: the network waits, the others
 * go on.
 */
export const requireFitNode = async (look: NodeLook, network: Network): Promise<void> => {
  const lacking = await lookAtNode(look, network)
  if (lacking !== null) throw new ChainUnavailable(lacking)
}

/** Looks at the start and again from time to time, since a node's settings may change under a process that runs. */
export const createNodeFitnessJob = (look: NodeLook, networks: readonly Network[]): Job => ({
  name: 'fitness of nodes',
  everyMs: LOOK_EVERY_MS,
  run: async () => {
    await forEachIsolated(networks, (network) => lookAtNode(look, network))
    return false
  },
})
