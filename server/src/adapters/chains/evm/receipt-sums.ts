import { listOf, Malformed } from '../shape.ts'
import { quantityOf } from './quantity.ts'
import type { Receipt } from './receipts.ts'

type Fields = Record<string, unknown>

/**
 * Checks receipts against their block's header: their gas must add up to the block's, and their blooms to its bloom
 * (go-ethereum and bsc, core/block_validator.go ValidateState). Some nodes show a successful transaction as failed,
 * with less gas and without its logs (Erigon 3.4 and 3.5, erigontech/erigon#22019 and #22142): we would return a
 * payment that was in fact made. Fields missing in the header or a receipt are not checked.
 */
export const requireSums = (block: Fields, receipts: readonly Receipt[]): void => {
  requireGas(block, receipts)
  requireBlooms(block, receipts)
}

const requireGas = ({ gasUsed, blockAccessListHash, slotNumber }: Fields, receipts: readonly Receipt[]): void => {
  // Amsterdam adds the two other fields (EIP-7928, EIP-7843) and counts a block's gas differently (EIP-7778).
  if (isAbsent(gasUsed) || !isAbsent(blockAccessListHash) || !isAbsent(slotNumber)) return
  const [said, sum] = [
    quantityOf(gasUsed, 'the gas of the block'),
    receipts.reduce((all, receipt) => all + quantityOf(receipt['gasUsed'], 'gasUsed'), 0n),
  ]
  if (sum !== said)
    throw new Malformed(`its receipts use ${sum} units of gas, and its head says ${said}. ${WHAT_TO_DO}`)
}

const requireBlooms = (block: Fields, receipts: readonly Receipt[]): void => {
  const [said, each] = [bloomOf(block), receipts.map(bloomOf)]
  for (const [at, receipt] of receipts.entries())
    if (each[at] !== undefined && each[at] !== 0n && listOf(receipt['logs'], 'logs').length === 0)
      throw new Malformed(`a receipt without logs has a bloom of some. ${WHAT_TO_DO}`)
  if (said === undefined || each.includes(undefined)) return
  if (each.reduce<bigint>((all, bloom) => all | bloom!, 0n) !== said)
    throw new Malformed(`logs are missing: its receipts have other blooms than its head. ${WHAT_TO_DO}`)
}

const WHAT_TO_DO = 'The node shows wrong receipts: use another version of it, or another node'
const BLOOM = /^0x[0-9a-f]{512}$/i

const bloomOf = ({ logsBloom }: Fields): bigint | undefined =>
  typeof logsBloom === 'string' && BLOOM.test(logsBloom) ? BigInt(logsBloom) : undefined

const isAbsent = (member: unknown): boolean => member === undefined || member === null
