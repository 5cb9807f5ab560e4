/** Answers of a real node with pieces dropped, doubled, of another type, out of range or cut. */
import { NO_PAUSES, readRecording } from '../test-conversations.ts'
import { describeMutatedAnswers, type Disbelieved } from '../test-mutated-answers.ts'
import { adapterOf } from '../../../../../test/world/tron-node.ts'
import { TRON_OPERATIONS, type TronRecorded } from './test-operations.ts'

const recording = readRecording<TronRecorded>(import.meta.dirname)
const adapterAt = (url: string) => adapterOf(url, { tokens: [recording.world.token], timer: NO_PAUSES })

/** Answers that were believed, or threw another error than `ChainUnavailable`. */
const FOUND: readonly Disbelieved<keyof typeof TRON_OPERATIONS>[] = [
  [
    'an id that is no text',
    'blockAt',
    'wallet/gettransactioninfobyblocknum',
    /"id":"\w+"/,
    '"id":{"toString":1,"valueOf":1}',
  ],
  [
    'a time that is no number',
    'blockAt',
    'wallet/gettransactioninfobyblocknum',
    /"blockTimeStamp":\d+/,
    '"blockTimeStamp":{"toString":1,"valueOf":1}',
  ],
  [
    'a type that is no text',
    'blockAt',
    'wallet/getblockbynum',
    /"type":"TransferContract"/,
    '"type":{"toString":1,"valueOf":1}',
  ],
]

describeMutatedAnswers(recording, TRON_OPERATIONS, adapterAt, FOUND)
