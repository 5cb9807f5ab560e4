/** Answers of a real node with pieces dropped, doubled, of another type, out of range or cut. */
import { NO_PAUSES, readRecording } from '../test-conversations.ts'
import { describeMutatedAnswers, type Disbelieved } from '../test-mutated-answers.ts'
import { adapterOf } from '../../../../../test/world/evm-node.ts'
import { EVM_OPERATIONS, type EvmRecorded } from './test-operations.ts'

const recording = readRecording<EvmRecorded>(import.meta.dirname)
const adapterAt = (url: string) =>
  adapterOf(url, {
    network: 'ETHEREUM',
    chainId: 31_337,
    legacyGas: false,
    finality: 'finalized',
    tokens: [recording.world.token],
    timer: NO_PAUSES,
  })

/** Answers that were believed, or threw another error than `ChainUnavailable`. */
const FOUND: readonly Disbelieved<keyof typeof EVM_OPERATIONS>[] = [
  [
    'a fee of more than 256 bits',
    'statusOf',
    'eth_getTransactionReceipt',
    /"gasUsed":"0x\w+"/,
    `"gasUsed":"0x${'f'.repeat(64)}"`,
  ],
  [
    'a value of more than 256 bits',
    'blockAt',
    'eth_getBlockByNumber',
    /"withdrawals":\[\]/,
    `"withdrawals":[{"index":"0x1","address":"0x${'11'.repeat(20)}","amount":"0x${'f'.repeat(64)}"}]`,
  ],
]

describeMutatedAnswers(recording, EVM_OPERATIONS, adapterAt, FOUND)
