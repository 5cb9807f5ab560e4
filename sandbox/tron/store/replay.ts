/** Starts a chain from its log, or a new one. Blocks are executed again; a different result aborts the start. */
import { makeGenesis } from '../blocks/genesis.ts'
import type { Genesis } from '../blocks/genesis.ts'
import { makeBlock } from '../blocks/maker.ts'
import type { Branch } from '../blocks/branch.ts'
import type { Machine } from '../vm/machine.ts'
import type { BlockRecord, ChainLog, LogRecord } from './log.ts'
import { draftOf, parametersOfTexts, textsOf } from './records.ts'

/** Changes when blocks of older logs would come out otherwise. */
const version = 1

/** `fresh` applies only to a chain without a log. */
export const beginChain = async (log: ChainLog, branch: Branch, machine: Machine, fresh: Genesis): Promise<void> => {
  const [first, ...rest] = log.records
  if (first === undefined) log.append(genesisRecord(fresh))
  const { block, changes } = await makeGenesis(machine, first === undefined ? fresh : genesisOf(first))
  branch.push(block, changes)
  for (const record of rest) {
    if ('genesis' in record) throw new Error('the chain begins twice in its log; delete the folder to start it anew')
    if ('fork' in record) for (let at = 0; at < record.fork.depth; at++) branch.pop()
    for (const one of 'fork' in record ? record.fork.blocks : [record.block]) await repeat(branch, machine, one)
  }
}

const repeat = async (branch: Branch, machine: Machine, record: BlockRecord): Promise<void> => {
  const { block, changes, refused } = await makeBlock(branch, machine, draftOf(record))
  if (block.id !== record.id || refused.length > 0)
    throw new Error(
      `block ${block.number} comes out otherwise than the chain's log says; delete the folder to start it anew`,
    )
  branch.push(block, changes)
}

const genesisRecord = ({ timestamp, parameters, accounts }: Genesis): LogRecord => ({
  genesis: { version, timestamp, parameters: textsOf(parameters), accounts: textsOf(accounts) },
})

const genesisOf = (record: LogRecord): Genesis => {
  if (!('genesis' in record) || record.genesis.version !== version)
    throw new Error('the chain was kept by another version; delete the folder to start it anew')
  const { timestamp, parameters, accounts } = record.genesis
  return {
    timestamp,
    parameters: parametersOfTexts(parameters),
    accounts: Object.fromEntries(Object.entries(accounts).map(([address, sun]) => [address, BigInt(sun)])),
  }
}
