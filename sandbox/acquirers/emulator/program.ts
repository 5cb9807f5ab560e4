/** Runs an emulator as a program, on loopback. SIGTERM and SIGINT end it. */
import { parseArgs } from 'node:util'
import type { Emulator, EmulatorOptions } from './start.ts'

/** @param keys options with the account's keys, and their defaults */
export function runEmulator<Key extends string>(
  name: string,
  usualPort: number,
  keys: Readonly<Record<Key, string>>,
  start: (keys: Record<Key, string>, options: EmulatorOptions) => Promise<Emulator>,
): void {
  run(name, usualPort, keys, start).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  })
}

async function run<Key extends string>(
  name: string,
  usualPort: number,
  keys: Readonly<Record<Key, string>>,
  start: (keys: Record<Key, string>, options: EmulatorOptions) => Promise<Emulator>,
): Promise<void> {
  const text = { type: 'string' } as const
  const options = Object.fromEntries(
    ['port', 'data', 'clock-rate', ...Object.keys(keys)].map((option) => [option, text]),
  )
  const { values } = parseArgs({ options }) as { values: Record<string, string | undefined> }
  const given = Object.fromEntries(
    Object.entries<string>(keys).map(([key, usual]) => [key, values[key] ?? usual]),
  ) as Record<Key, string>
  const emulator = await start(given, {
    port: wholeNumber('port', values['port'], usualPort),
    ...(values['data'] === undefined ? {} : { dir: values['data'] }),
    clockRate: Math.max(1, wholeNumber('clock-rate', values['clock-rate'], 60)),
    log: (line) => console.error(line),
  })
  console.log(`Emulator of ${name} on ${emulator.url}; controls below ${emulator.url}/__control`)
  console.log(JSON.stringify(given))
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void emulator.stop().then(() => process.exit(0)))
}

function wholeNumber(name: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} ${text}: give a whole number`)
  return Number(text)
}
