import type { Network } from '@bursar/chainkit'
import { ChainUnavailable } from '../../adapters/chains/index.ts'
import { lineOf, type Finding, type NodeRole } from '../../adapters/chains/survey/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

/** A role's means of checking nodes against its requirements. */
export interface NodeLook {
  runtime: Runtime
  role: NodeRole
  survey(network: Network): Promise<Finding[]>
}

const KIND = 'node-unfit'
/** The node changes only when a person changes it, so an alert within minutes is enough. */
const LOOK_EVERY_MS = 10 * 60_000

/**
 * Raises the alert `node-unfit` while a node does not meet a requirement of the role, and ends it afterwards. If the
 * node does not answer, the alert stays as it is.
 * @returns the requirements that the node does not meet and the changes to make, in one text; null if none is known
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
 * Throws `ChainUnavailable` with the change to make when the node does not meet a requirement of the role: this network
 * waits, and the other networks are served.
 */
export const requireFitNode = async (look: NodeLook, network: Network): Promise<void> => {
  const lacking = await lookAtNode(look, network)
  if (lacking !== null) throw new ChainUnavailable(lacking)
}

/** Creates the job that checks nodes at the start and periodically, because a node's settings may change meanwhile. */
export const createNodeFitnessJob = (look: NodeLook, networks: readonly Network[]): Job => ({
  name: 'fitness of nodes',
  everyMs: LOOK_EVERY_MS,
  run: async () => {
    await forEachIsolated(networks, (network) => lookAtNode(look, network))
    return false
  },
})
