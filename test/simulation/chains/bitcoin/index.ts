/**
 * Bitcoin of the simulation: a real bitcoind in regtest, without wallets, whose time is the virtual clock's
 * (`setmocktime`). It lags by taking its newest blocks for invalid for a while.
 */
import { findBitcoind, startBitcoind } from '../../../../sandbox/bitcoind/index.ts'
import type { SimulatedChain } from '../chain.ts'
import { exactJson } from '../exact-json.ts'
import type { ChainOptions } from '../evm/index.ts'
import { jsonRpc, startNodeFront } from '../front.ts'
import { createSeen } from '../turns.ts'
import { askBitcoind } from './ask.ts'
import { BITCOIN_DIALECTS } from './dialects.ts'
import { newOutsideAddress, openPayers } from './payers.ts'
import { poolOf, reorganiseBitcoin } from './reorganise.ts'
import { readTruth } from './truth.ts'

const DECIMALS = 8

/** Throws where there is no bitcoind. */
export const openBitcoinChain = async ({
  random,
  clock,
  faults,
  dir,
}: ChainOptions & { dir: string }): Promise<SimulatedChain> => {
  const found = await findBitcoind()
  if ('missing' in found) throw new Error(found.missing)
  const seconds = (): number => Math.floor(clock.now() / 1_000)
  const start = () =>
    startBitcoind({
      program: found.program,
      dataDir: dir,
      more: [
        `-mocktime=${seconds()}`,
        '-persistmempool=0',
        '-disablewallet=1',
        '-checkblocks=1',
        // Knots stops to work some years after its release.
        ...(found.program.isKnots ? ['-softwareexpiry=0'] : []),
      ],
    })
  let node = await start()
  const rpc: typeof node.rpc = (method, ...params) => node.rpc(method, ...params)
  const payers = await openPayers(rpc)
  const genesis = await rpc<string>('getblockhash', 0)
  const miner = newOutsideAddress(random.of('miner'))

  let date = 0
  const dated = async (): Promise<void> => {
    if (date === seconds()) return
    date = seconds()
    await rpc('setmocktime', date)
  }
  let lagsFrom: string | undefined
  const seen = createSeen(async (blocks) => {
    if (lagsFrom !== undefined) await rpc('reconsiderblock', lagsFrom)
    lagsFrom = undefined
    if (blocks === 0) return
    const height = Number(await rpc<string>('getblockcount'))
    lagsFrom = await rpc<string>('getblockhash', Math.max(1, height - blocks + 1))
    await rpc('invalidateblock', lagsFrom)
  })
  const whole = <T>(work: () => Promise<T>): Promise<T> =>
    seen.whole(async () => {
      await dated()
      return work()
    })

  const { ask, close } = askBitcoind(() => node)
  const front = await startNodeFront({
    name: 'node of BITCOIN',
    faults,
    dialects: BITCOIN_DIALECTS,
    ask: (call, lagBlocks) =>
      seen.behind(lagBlocks, async () => {
        await dated()
        return ask(call)
      }),
    head: (lagBlocks) => seen.behind(lagBlocks, async () => Number(await rpc<string>('getblockcount'))),
    protocol: jsonRpc(exactJson),
  })
  const url = front.url.replace('//', '//simulation:simulation@')
  const truth = readTruth(rpc)
  let reorganisations = 0
  return {
    network: 'BITCOIN',
    assets: [{ ticker: 'BTC', decimals: DECIMALS }],
    front,
    settings: () => ({ url, genesis }),
    ways: () => ['plain', 'two-outputs'],
    pay: (payment) => whole(() => payers.pay(payment)),
    replace: (hash) => whole(async () => ((await truth.transaction(hash)) === 'pool' ? payers.replace(hash) : null)),
    mine: (blocks) =>
      whole(async () => {
        const payments = payers.takeFromMiner()
        if (payments.length > 0) await rpc('generateblock', miner, [...payments, ...(await poolOf(rpc))])
        const left = payments.length > 0 ? blocks - 1 : blocks
        if (left > 0) await rpc('generatetoaddress', left, miner)
        return Number(await rpc<string>('getblockcount'))
      }),
    reorganise: (depth, lost, others) =>
      whole(() =>
        reorganiseBitcoin(rpc, {
          depth,
          lost,
          payers,
          random: random.of('reorganisation', (reorganisations += 1)),
          othersWait: others === 'wait',
        }),
      ),
    forgetPool: () =>
      whole(async () => {
        await node.stop()
        node = await start()
      }),
    newAddress: async (drawn) => newOutsideAddress(drawn),
    head: () => whole(truth.head),
    balance: (address, contract) => whole(() => truth.balance(address, contract)),
    received: (addresses, from, to) => whole(() => truth.received(addresses, from, to)),
    transaction: (hash) =>
      whole(async () => {
        const status = await truth.transaction(hash)
        return status === 'unknown' && payers.waitsAtMiner(hash) ? 'pool' : status
      }),
    isWithin: (hash, depth) => whole(() => truth.isWithin(hash, depth)),
    close: async () => {
      await front.close()
      await close()
      await node.stop()
    },
  }
}
