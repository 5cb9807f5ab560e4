import type { Network } from '@bursar/chainkit'
import { ChainUnavailable, type NodeStatus } from '../../adapters/chains/index.ts'
import { lineOf, type Finding, type NodeRole } from '../../adapters/chains/survey/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

/** A role's means of checking nodes against its requirements. */
export interface NodeLook {
  runtime: Runtime
  role: NodeRole
  /** Checks each node of a network, in the order of the settings. */
  survey(network: Network): Promise<SurveyedNode[]>
  /** number of nodes of a network that must be fit */
  quorumOf(network: Network): number
}

interface SurveyedNode {
  /** host and port */
  name: string
  findings: Finding[]
}

const KIND = 'node-unfit'
/** The node changes only when a person changes it, so an alert within minutes is enough. */
const LOOK_EVERY_MS = 10 * 60_000

/**
 * Raises the alert `node-unfit` while a node does not meet a requirement of the role, and ends it afterwards. If the
 * node does not answer, the alert stays as it is.
 * @returns the requirements that nodes do not meet and the changes to make, in one text, and whether enough nodes are
 *   fit nevertheless; null if no node is known to be unfit
 */
const lookAtNodes = async (
  { runtime, role, survey, quorumOf }: NodeLook,
  network: Network,
): Promise<{ text: string; isEnough: boolean } | null> => {
  const nodes = await survey(network)
  const unfit = nodes.filter(({ findings }) => findings.some(({ verdict }) => verdict === 'unfit'))
  const subject = `${network} ${role}`
  const moment = momentOf(runtime)
  if (unfit.length > 0) {
    const lacking = unfit.map(({ name, findings }) => {
      const lines = findings.filter(({ verdict }) => verdict === 'unfit').map(lineOf)
      return `${nodes.length === 1 ? '' : `${name}: `}${lines.join('; ')}`
    })
    const text = `the ${role} does not work with the node of ${network}: ${lacking.join('; ')}`
    await raiseOrRenewAlert(runtime.db, { kind: KIND, subject, text }, moment)
    return { text, isEnough: nodes.length - unfit.length >= quorumOf(network) }
  }
  if (nodes.every(({ findings }) => findings.every(({ verdict }) => verdict !== 'unknown')))
    await resolveAlert(runtime.db, KIND, subject, moment.at)
  return null
}

/**
 * Throws `ChainUnavailable` with the change to make when too few nodes meet the requirements of the role: this network
 * waits, and the other networks are served.
 */
export const requireFitNode = async (look: NodeLook, network: Network): Promise<void> => {
  const lacking = await lookAtNodes(look, network)
  if (lacking !== null && !lacking.isEnough) throw new ChainUnavailable(lacking.text)
}

/** Creates the job that checks nodes at the start and periodically, because a node's settings may change meanwhile. */
export const createNodeFitnessJob = (look: NodeLook, networks: readonly Network[]): Job => ({
  name: 'fitness of nodes',
  everyMs: LOOK_EVERY_MS,
  run: async () => {
    await forEachIsolated(networks, (network) => lookAtNodes(look, network))
    return false
  },
})

/** How often the status of nodes is read, in ms. */
const STATUS_EVERY_MS = 15_000
const LEFT_OUT = 'node-left-out'

/** Creates the job that raises an alert while a node of several is left out. */
export const createNodeStatusJob = (
  runtime: Runtime,
  adapters: ReadonlyMap<Network, { statuses?(): NodeStatus[] }>,
): Job => ({
  name: 'status of nodes',
  everyMs: STATUS_EVERY_MS,
  run: async () => {
    for (const [network, adapter] of adapters)
      for (const { node, status, detail } of adapter.statuses?.() ?? []) {
        const subject = `${network} ${node}`
        const moment = momentOf(runtime)
        if (status === 'good') await resolveAlert(runtime.db, LEFT_OUT, subject, moment.at)
        else
          await raiseOrRenewAlert(
            runtime.db,
            { kind: LEFT_OUT, subject, text: `the node is left out: ${detail}` },
            moment,
          )
      }
    return false
  },
})
