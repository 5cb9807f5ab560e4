/** The process in which ccxt runs: it has the keys of one account, answers calls, and ends with its parent process. */
import { LimitedByVenue, openExchange } from './exchange.ts'
import type { Answer, Call, Operations } from './wire.ts'

let exchange: Omit<Operations, 'open'> | undefined

const carryOut = async (call: Call): Promise<unknown> => {
  if (call.name === 'open') {
    exchange = await openExchange(...call.args)
    return null
  }
  if (!exchange) throw new Error('no exchange is open')
  return (exchange[call.name] as (...args: readonly unknown[]) => Promise<unknown>)(...call.args)
}

const reply = (answer: Answer): void => void process.send?.(answer)

process.on('message', (call: Call) => {
  carryOut(call).then(
    (value) => reply({ id: call.id, value }),
    (error: unknown) =>
      reply({
        id: call.id,
        ...(error instanceof LimitedByVenue ? { limited: error.limited } : {}),
        error: error instanceof Error ? `${error.constructor.name}: ${error.message.slice(0, 500)}` : String(error),
      }),
  )
})
process.on('disconnect', () => process.exit(0))
