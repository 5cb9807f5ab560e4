import { describeChain } from '../conformance.ts'
import { openAccountWorld, openCoinWorld } from './test-world.ts'

describeChain('a simulated chain of coins', { contracts: false, conflicting: true }, openCoinWorld)
describeChain('a simulated chain of accounts', { contracts: true, conflicting: true }, openAccountWorld)
