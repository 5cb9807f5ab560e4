import type { Transfer } from '@bursar/chainkit'
import { listOf, objectOf } from '../shape.ts'
import { addressOf, quantityOf } from './quantity.ts'

/** A delegate call shows its caller's value again, and moves nothing. */
const MOVES_VALUE = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/**
 * Native coin that a transaction's inner calls moved, out of the call tracer's outermost frame, whose own value is the
 * transaction's. A frame that failed undid everything below it, however well that went.
 */
export const innerTransfers = (outermost: unknown): Transfer[] => {
  const found: Transfer[] = []
  collect(objectOf(outermost, 'a trace'), '', found)
  return found
}

const collect = (parent: Record<string, unknown>, path: string, found: Transfer[]): void => {
  if (parent['calls'] === undefined || parent['error'] !== undefined) return
  for (const [at, value] of listOf(parent['calls'], 'calls').entries()) {
    const frame = objectOf(value, 'a call')
    if (frame['error'] !== undefined) continue
    const own = path === '' ? String(at) : `${path}.${at}`
    const transfer = transferOf(frame, own)
    if (transfer) found.push(transfer)
    collect(frame, own, found)
  }
}

const transferOf = (frame: Record<string, unknown>, path: string): Transfer | undefined => {
  if (!MOVES_VALUE.has(String(frame['type'])) || frame['value'] === undefined) return undefined
  const units = quantityOf(frame['value'], 'the value of a call')
  if (units === 0n) return undefined
  const from = addressOf(frame['from'], 'the sender of a call')
  const to = addressOf(frame['to'], 'the receiver of a call')
  return { index: `t:${path}`, contract: null, from: [from], to, units }
}
