/** Accepted requests that are sent once more when their timestamp is too old: each must be refused, and do nothing. */
import { requestLimits } from '@bursar/contract'
import type { Case } from './cases/case.ts'
import type { Answer } from './connection.ts'
import { refusalOf } from './oracles/answers.ts'

export interface Replays {
  note(sent: Case, answers: readonly Answer[]): void
  /** those that are old enough, each once */
  due(): Case[]
}

const MOST_NOTED = 200
const EACH_TIME = 10
/** The api's clock is this one; a second more for the rounding of both. */
const OLD_MS = (requestLimits.maxAgeSeconds + 2) * 1_000

export const createReplays = (): Replays => {
  const noted: { at: number; sent: Case }[] = []
  return {
    note: (sent, answers) => {
      if (noted.length < MOST_NOTED && answers[0]?.status === 200 && sent.kind.startsWith('valid create'))
        noted.push({ at: Date.now(), sent })
    },
    due: () => {
      const old = noted.filter(({ at }) => Date.now() - at > OLD_MS).slice(0, EACH_TIME)
      for (const one of old) noted.splice(noted.indexOf(one), 1)
      return old.map(({ sent }) => ({
        kind: 'replayed later',
        about: sent.about,
        parts: sent.parts,
        effect: 'nothing',
        judge: mustBeExpired,
      }))
    },
  }
}

const mustBeExpired: Case['judge'] = ([answer]) =>
  answer !== undefined && answer.status === 401 && refusalOf(answer)?.code === -2
    ? []
    : [`status ${answer?.status}, not 401 with code -2`]
