import { setTimeout as sleep } from 'node:timers/promises'
import { isRefused } from '@bursar/chainkit'
import { outpointOf, parseAddress, satoshiOf, type BitcoinChain } from '@bursar/chainkit/bitcoin'
import { ChainUnavailable, type Head } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, Malformed, objectOf, textOf, wholeOf } from '../shape.ts'
import { amountText, hashOf } from './block.ts'

export interface ScanSettings {
  /** timeout in ms for a scan of all unspent outputs, which takes minutes on the main network */
  timeoutMs: number
  /** ms to wait for another scan to end, because a node runs one at a time */
  busyMs: number
}

/** Sums of unspent outputs by address, and the block they belong to. */
type Scan = { head: Head; unitsOf: ReadonlyMap<string, bigint> }

const BUSY = /scan already in progress/i
const LOOK_AGAIN_MS = 250

/**
 * Scans by `scantxoutset`, one at a time because the node runs only one. Throws a RangeError for an address of another
 * chain.
 */
export const createBalances = (rpc: Rpc, chain: BitcoinChain, settings: ScanSettings) => {
  let last: Promise<unknown> = Promise.resolve()

  const scan = async (scripts: readonly string[]): Promise<Scan> => {
    const started = performance.now()
    for (;;) {
      const descriptors = scripts.map((script) => `raw(${script})`)
      const answer = await start(rpc, descriptors, settings.timeoutMs)
      if (answer.ok) return rpc.believe('scantxoutset', () => decodeScan(answer.result, scripts))
      const waited = performance.now() - started
      if (!BUSY.test(answer.message))
        throw rpc.unavailable('scantxoutset', `refused: ${answer.message} (${answer.code})`)
      if (waited > settings.busyMs) throw rpc.unavailable('scantxoutset', 'the node is busy with another scan')
      await sleep(LOOK_AGAIN_MS)
    }
  }

  /**
   * Balances in satoshi, in the order of the addresses, and the scan's block: the head when the scan began, however
   * long it took
   */
  const read = async (addresses: readonly string[]): Promise<{ head: Head; units: bigint[] }> => {
    const scripts = addresses.map((address) => scriptOf(address, chain))
    const { head, unitsOf } = await scan([...new Set(scripts)])
    return { head, units: scripts.map((script) => unitsOf.get(script) ?? 0n) }
  }

  return (addresses: readonly string[]): Promise<{ head: Head; units: bigint[] }> => {
    const turn = last.then(() => read(addresses))
    last = turn.catch(() => {})
    return turn
  }
}

/**
 * Starts a scan. After a timeout it aborts the scan, because the node would continue it and reject every later one
 * meanwhile.
 */
const start = async (rpc: Rpc, descriptors: readonly string[], timeoutMs: number) => {
  try {
    return await rpc.ask({ method: 'scantxoutset', params: ['start', descriptors] }, { timeoutMs })
  } catch (error) {
    if (error instanceof ChainUnavailable)
      await rpc.ask({ method: 'scantxoutset', params: ['abort'] }, { attempts: 1 }).catch(() => {})
    throw error
  }
}

const scriptOf = (address: string, chain: BitcoinChain): string => {
  const parsed = parseAddress(address, chain)
  if (isRefused(parsed)) throw new RangeError(`${address}: ${parsed.message}`)
  return Buffer.from(parsed.script).toString('hex')
}

/** @param scripts those that were asked for: an output of another one, or one that comes twice, makes a wrong sum */
const decodeScan = (result: unknown, scripts: readonly string[]): Scan => {
  const { success, height, bestblock, unspents } = objectOf(result, 'the scan')
  if (success !== true) throw new RangeError('the scan was ended before it was complete')
  const unitsOf = new Map(scripts.map((script) => [script, 0n]))
  const coins = new Set<string>()
  for (const one of listOf(unspents, 'unspents')) {
    const { txid, vout, scriptPubKey, amount } = objectOf(one, 'an output')
    const script = textOf(scriptPubKey, 'scriptPubKey')
    const coin = outpointOf({ txid: hashOf(txid, 'txid'), vout: wholeOf(vout, 'vout') })
    const sum = unitsOf.get(script)
    if (sum === undefined) throw new Malformed('an output of a script that was not asked for')
    if (coins.has(coin)) throw new Malformed(`${coin} is there twice`)
    coins.add(coin)
    unitsOf.set(script, sum + satoshiOf(amountText(amount, 'amount')))
  }
  return { head: { height: wholeOf(height, 'height'), hash: hashOf(bestblock, 'bestblock') }, unitsOf }
}
