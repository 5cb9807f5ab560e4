import Type from 'typebox'
import { AMLBOT_SHAPE, createAmlbot, type AmlbotSettings } from '../../adapters/screening/amlbot.ts'
import { createIssuerFreezes } from '../../adapters/screening/issuer-freezes.ts'
import { createLocalLists, type ListAnswer } from '../../adapters/screening/local-lists.ts'
import type { Screener } from '../../adapters/screening/port.ts'
import { readSecret } from '../../platform/config/fields.ts'
import { readShape, withRule } from '../../platform/config/shape.ts'
import { SCREENING_MEMBERS, screeningRulesOf, type ScreeningRules } from '../../risk/screening/index.ts'

type ProviderSettings = { kind: 'local-lists' } | { kind: 'issuer-freezes' } | ({ kind: 'amlbot' } & AmlbotSettings)

/** `BURSAR_SCREENING_FILE`: the screening providers, and the consequences of their judgements. */
export interface ScreeningFile {
  providers: readonly ProviderSettings[]
  rules: ScreeningRules
}

const PROVIDER = Type.Union([
  Type.Object({
    kind: Type.Literal('local-lists', { description: 'lists that `bursar screening import` brought in' }),
  }),
  Type.Object({
    kind: Type.Literal('issuer-freezes', {
      description:
        'the contracts of USDT and USDC, which show whether the issuer has frozen the sender or the receiver',
    }),
  }),
  AMLBOT_SHAPE,
])

export const SCREENING_SHAPE = withRule(
  Type.Object(
    {
      providers: Type.Array(PROVIDER, { minItems: 1, description: 'screening providers; each kind at most once' }),
      ...SCREENING_MEMBERS,
    },
    { description: 'the providers that judge sources and destinations of money, and the consequences' },
  ),
  ({ providers }, note) => {
    const kinds = providers.map(({ kind }) => kind)
    for (const [i, kind] of kinds.entries())
      if (kinds.indexOf(kind) < i) note(`${kind} is listed twice: write each kind of provider once`, 'providers', i)
  },
)

/** Reads the file, and the key file that it names. Throws a ShapeError that lists everything wrong. */
export const readScreeningFile = (json: unknown): ScreeningFile => {
  const { providers, ...rules } = readShape(SCREENING_SHAPE, json)
  return {
    providers: providers.map((provider): ProviderSettings => {
      if (provider.kind !== 'amlbot') return provider
      const { url, accessKeyFile, ...more } = provider
      return { ...more, url: url.replace(/\/+$/, ''), accessKey: readSecret(accessKeyFile) }
    }),
    rules: screeningRulesOf(rules),
  }
}

/** Creates the file's providers, in its order. */
export const createScreeners = (
  { providers }: ScreeningFile,
  {
    lookUp,
    frozenBy,
    now,
  }: {
    lookUp: (addresses: readonly string[]) => Promise<ListAnswer>
    frozenBy: Parameters<typeof createIssuerFreezes>[0]
    now: () => number
  },
): Screener[] =>
  providers.map((provider) => {
    if (provider.kind === 'local-lists') return createLocalLists(lookUp, now)
    return provider.kind === 'issuer-freezes' ? createIssuerFreezes(frozenBy, now) : createAmlbot(provider, now)
  })
