import { connectSigner, type LogMemory, type Signer, type SignerLog } from '../../adapters/signer/index.ts'
import { acceptLog, createLogMemory, readLogEnd } from '../../chain/transactions/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { actor } from './recording.ts'
import { command, type Command } from './command.ts'
import { signerAddress, withInstallation, type Opened } from '../installation/open.ts'

/** Describes whether the signer's log still contains the line that the database knows. */
export const compareLogs = async ({
  config,
  runtime: { db, clock },
}: Opened): Promise<{ same: boolean; text: string }> => {
  const signer = connectSigner(signerAddress(config), createLogMemory(db, clock.now))
  try {
    const { log } = await signer.status()
    const known = await readLogEnd(db)
    const live = `${log.length} lines, head ${log.head}`
    if (!known) return { same: true, text: `signer log: ${live}; the database stores no line of it yet` }
    const refused = await signer.check({ network: 'BITCOIN', intents: [] }).then(
      () => undefined,
      (error: Error) => error.message,
    )
    return {
      same: refused === undefined,
      text: `signer log: ${live}; the database stores line ${known.length}: ${refused ?? 'the log contains it'}`,
    }
  } finally {
    signer.close()
  }
}

/**
 * Connects to the signer while one command runs, and refuses a log that was truncated. Throws when the signer can't be
 * reached.
 */
export const withSigner = <T>(opened: Opened, work: (signer: Signer & SignerLog) => Promise<T>): Promise<T> =>
  withSignerOf(opened, work, createLogMemory(opened.runtime.db, opened.runtime.clock.now))

const withSignerOf = async <T>(
  { config }: Opened,
  work: (signer: Signer & SignerLog) => Promise<T>,
  memory?: LogMemory,
): Promise<T> => {
  const signer = connectSigner(signerAddress(config), memory)
  try {
    return await work(signer)
  } finally {
    signer.close()
  }
}

export const signerCommands: readonly Command[] = [
  command({
    name: 'signer log',
    summary: "compare the signer's log with the last line of it that the database stores",
    more: 'Exits with 1 when the log does not contain that line: it was truncated or replaced. See docs/operating/recovery.md.',
    run: async (_given, env, out) =>
      withInstallation(env, async (opened) => {
        const { same, text } = await compareLogs(opened)
        out.show({ isIntact: same, text }, [text])
        if (!same) process.exitCode = 1
      }),
  }),
  command({
    name: 'signer accept-log',
    summary: "accept the signer's log as it is now, although it lacks the last line that the database stores",
    args: ['REASON...'],
    irreversible: 'The server requests signatures again. Payments of the missing lines can be signed a second time.',
    run: async ({ args: { REASON: reason } }, env, out) =>
      withInstallation(env, async (opened) => {
        const { log } = await withSignerOf(opened, (signer) => signer.status())
        const { db } = opened.runtime
        await acceptLog(db, log, { actor: actor(), reason }, momentOf(opened.runtime).at)
        out.say(`accepted: ${log.length} lines, head ${log.head}`)
      }),
  }),
]
