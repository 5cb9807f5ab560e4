import { describeChain } from '../conformance.ts'
import { openAccountWorld, openCoinWorld } from './test-world.ts'

describeChain('a simulated chain of coins', { contracts: false, rivals: true }, openCoinWorld)
describeChain('a simulated chain of accounts', { contracts: true, rivals: true }, openAccountWorld)
