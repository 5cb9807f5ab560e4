/** The screening provider of the simulation: the sandbox's AMLBot behind a front, and its answers so far. */
import { startScreening, type VERDICTS } from '../../sandbox/screening/index.ts'
import type { Faults } from './faults.ts'
import { forwardTo, startHttpFront, type Answer, type HttpFront } from './fronts/http.ts'
import { SCREENING_ACCOUNT } from './installation/keys.ts'

export type Verdict = (typeof VERDICTS)[number]

export interface Provider {
  readonly front: HttpFront
  /** Sets its answer about all money to one of our addresses, or of a destination, from now on. */
  suspect(address: string, verdict: Verdict): void
  /** addresses on which it has nothing to say yet */
  pending(): string[]
  /**
   * Its answers about a destination, or about a transaction to one of our addresses, whether or not the answer
   * arrived. @returns whether each report is a risky one
   */
  answersAbout(address: string, transaction?: string): boolean[]
  stop(): Promise<void>
}

/** From this score on money is risky, unless the settings say otherwise (server/src/risk/screening/settings.ts). */
const RISKY_FROM = 0.5

export const startProvider = async (faults: Faults, now: () => number): Promise<Provider> => {
  const emulator = await startScreening({ port: 0, standard: 'clean', ...SCREENING_ACCOUNT, now })
  const suspected = new Map<string, Verdict>()
  const answers = new Map<string, boolean[]>()
  const keyOf = (address: string, transaction?: string): string =>
    `${transaction ?? ''} ${address}`.trim().toLowerCase()
  const note = ({ body }: Answer): void => {
    const { data } = JSON.parse(body.toString('utf8')) as {
      data?: { status: string; address: string; tx?: string; riskscore?: number }
    }
    if (data?.status !== 'success') return
    const key = keyOf(data.address, data.tx)
    answers.set(key, [...(answers.get(key) ?? []), data.riskscore! >= RISKY_FROM])
  }
  const forward = forwardTo(emulator.url)
  const front = await startHttpFront({
    name: 'screening',
    faults,
    forward: async (exchange) => {
      const answer = await forward(exchange)
      note(answer)
      return answer
    },
  })
  return {
    front,
    suspect: (address, verdict) => {
      suspected.set(address, verdict)
      emulator.setVerdict(address, verdict)
    },
    pending: () => [...suspected].filter(([, verdict]) => verdict === 'pending').map(([address]) => address),
    answersAbout: (address, transaction) => answers.get(keyOf(address, transaction)) ?? [],
    stop: async () => {
      await front.close()
      await emulator.stop()
    },
  }
}
