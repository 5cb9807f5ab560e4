/** How EVM nodes speak, by the rows of docs/dialects.md. */
import type { Dialect } from '../../dialect.ts'
import { HEADS } from './heads.ts'
import { RECEIPTS } from './receipts.ts'
import { BATCHES, SENDING } from './sending.ts'
import { STATE } from './state.ts'
import { TRACES } from './traces.ts'

export const EVM_DIALECTS: readonly Dialect[] = [...HEADS, ...RECEIPTS, ...TRACES, ...STATE, ...SENDING, ...BATCHES]
