/**
 * The development chain as a program, on loopback:
 *
 *     node sandbox/tron/main.ts --port 18547 --data FOLDER [--interval MS] [--automine] [--solid-lag N] [--slot MS]
 *
 * Without --interval and --automine blocks are made by POST /sandbox/mine only. SIGTERM and SIGINT end it.
 */
import { parseArgs } from 'node:util'
import { startTronChain } from './index.ts'

const number = (name: string, text: string | undefined, usual: number): number => {
  if (text === undefined) return usual
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} ${text}: give a whole number`)
  return Number(text)
}

const run = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      data: { type: 'string' },
      interval: { type: 'string' },
      automine: { type: 'boolean' },
      'solid-lag': { type: 'string' },
      slot: { type: 'string' },
    },
  })
  const chain = await startTronChain({
    port: number('port', values.port, 18_547),
    ...(values.data === undefined ? {} : { folder: values.data }),
    intervalMs: number('interval', values.interval, 0),
    automine: values.automine === true,
    solidLag: number('solid-lag', values['solid-lag'], 19),
    slotMs: Math.max(1, number('slot', values.slot, 3_000)),
    log: (line) => console.error(line),
  })
  console.log(`TRON chain on ${chain.url}, height ${chain.status().height}`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void chain.stop().then(() => process.exit(0)))
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
