import { afterAll } from 'vitest'
import { startTronChain, type TronChain } from '../../../../../sandbox/tron/index.ts'
import { describeChain } from '../conformance.ts'
import { openTronWorld, SOLID_LAG } from '../../../../../test/world/tron-node.ts'

let chain: TronChain
afterAll(() => chain?.stop())

describeChain('TRON on the sandbox’s chain', { contracts: true, conflicting: false }, async () => {
  chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
  return openTronWorld(chain)
})
