/** Records the internal transactions of a run: calls, creations and destructions by a contract's code, in order. */
import type { Message } from '@ethereumjs/evm'
import { addressOfEvm } from '../address.ts'
import type { Address } from '../address.ts'
import { bytesOf, concat, sha256, textBytes, uint64Bytes } from '../bytes.ts'
import type { InternalTransaction } from '../blocks/receipt.ts'

export interface Trail {
  /** How many there are so far: numbers the contracts that code creates. */
  count(): number
  enter(message: Message): void
  /** `failed`: its effects and those of its calls are undone. */
  leave(failed: boolean): void
  destroyed(contract: Address, heir: Address, value: bigint): void
  /** Notes an act of stake. @returns the function that marks it as undone */
  featured(owner: Address, receiver: Address, value: bigint, note: string, extra?: string): () => void
  list(): readonly InternalTransaction[]
}

interface Frame {
  /** Its own place in the list; none for the transaction itself. */
  readonly from: number
}

/** `created` returns the address of a creation, which the message does not have yet. */
export const openTrail = (transactionId: string, created: (message: Message) => Address): Trail => {
  const list: InternalTransaction[] = []
  const frames: Frame[] = []
  const record = (caller: Address, to: Address, value: bigint, note: InternalTransaction['note']): void => {
    const hash = sha256(
      concat(bytesOf(transactionId), uint64Bytes(BigInt(list.length)), bytesOf(caller), bytesOf(to), textBytes(note)),
    )
    list.push({ hash, caller, to, value, note, rejected: false })
  }
  return {
    count: () => list.length,
    enter: (message) => {
      frames.push({ from: list.length })
      if (message.depth === 0) return
      const caller = addressOfEvm(message.caller.bytes)
      if (message.to === undefined) record(caller, created(message), message.value, 'create')
      // Code of another contract runs for the contract that calls it, which is recorded as the receiver too (java-tron
      // Program.callToAddress).
      else if (message.delegatecall) record(addressOfEvm(message.to.bytes), addressOfEvm(message.to.bytes), 0n, 'call')
      else record(caller, addressOfEvm(message.to.bytes), message.value, 'call')
    },
    leave: (failed) => {
      const { from } = frames.pop() as Frame
      if (!failed) return
      for (let at = from; at < list.length; at++) list[at] = { ...(list[at] as InternalTransaction), rejected: true }
    },
    destroyed: (contract, heir, value) => record(contract, heir, value, 'suicide'),
    featured: (owner, receiver, value, note, extra) => {
      const at = list.length
      record(owner, receiver, value, note)
      if (extra !== undefined) list[at] = { ...(list[at] as InternalTransaction), extra }
      return () => {
        list[at] = { ...(list[at] as InternalTransaction), rejected: true }
      }
    },
    list: () => list,
  }
}
