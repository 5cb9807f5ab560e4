/**
 * `/sandbox/...`: external events on the chain, on demand. Bodies are JSON objects; errors are `{code, description}`.
 */
import { listOfTexts, objectWith, oneOf, text, wholeNumber } from '../../http/fields.ts'
import { Refusal } from '../../http/refusal.ts'
import { base58Of } from '../address.ts'
import { deployer, faucet, tokenAddress, tokens } from '../blocks/genesis.ts'
import type { TronControls } from '../controls.ts'
import { isParameterName, parameterDefaults } from '../resources/parameters.ts'
import type { ParameterValues } from '../resources/parameters.ts'
import { defaultSettings, REFUSING } from './settings.ts'
import type { NodeSettings } from './settings.ts'

const mostBlocks = 10_000
const longestAdvanceMs = 10 * 365 * 86_400_000
const anyFork = { others: ['mined', 'pending', 'forgotten'] } as const

export const controlRoutes = (chain: TronControls): Record<string, (body: unknown) => Promise<unknown>> => ({
  status: async (body) => {
    objectWith(body, [])
    return { ...chain.status(), ...known() }
  },
  mine: async (body) => chain.mine(wholeNumber(objectWith(body, ['blocks']), 'blocks', 1, mostBlocks, 1)),
  reorg: async (body) => {
    const fields = objectWith(body, ['depth', 'without', 'others'])
    const others = fields['others'] === undefined ? 'mined' : oneOf(fields, 'others', anyFork.others)
    return chain.reorg({
      depth: wholeNumber(fields, 'depth', 1, mostBlocks),
      without: listOfTexts(fields, 'without'),
      others: others as (typeof anyFork.others)[number],
    })
  },
  fund: async (body) => {
    const fields = objectWith(body, ['ticker', 'to', 'amount'])
    return {
      hash: await chain.fund({
        ticker: text(fields, 'ticker'),
        to: text(fields, 'to'),
        amount: text(fields, 'amount'),
      }),
    }
  },
  advance: async (body) => chain.advance(wholeNumber(objectWith(body, ['ms']), 'ms', 1, longestAdvanceMs)),
  parameters: async (body) => chain.setParameters(parametersIn(body)),
  hold: async (body) => {
    const { on } = objectWith(body, ['on'])
    if (typeof on !== 'boolean') throw new Refusal('on: send true or false')
    return chain.hold(on)
  },
  node: async (body) => chain.setNode(settingsIn(body)),
  forget: async (body) => chain.forget(listOfTexts(objectWith(body, ['transactions']), 'transactions')),
})

/** Returns the data that tools and tests need. */
const known = (): object => ({
  faucet: { address: base58Of(faucet.address), key: faucet.key },
  deployer: { address: base58Of(deployer.address), key: deployer.key },
  tokens: tokens.map(({ symbol, decimals }) => ({ ticker: symbol, decimals, token: base58Of(tokenAddress(symbol)) })),
})

const settingsIn = (body: unknown): Partial<NodeSettings> => {
  const fields = objectWith(body, Object.keys(defaultSettings))
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'refuses')
      oneOf({ refuses: value === '' ? 'nothing' : value }, 'refuses', ['nothing', ...Object.keys(REFUSING)])
    else if (typeof value !== 'boolean') throw new Refusal(`${name}: send true or false`)
  }
  return fields
}

const parametersIn = (body: unknown): Partial<ParameterValues> => {
  const names = Object.keys(parameterDefaults)
  const fields = objectWith(body, names)
  const changes: Partial<Record<string, bigint>> = {}
  for (const name of Object.keys(fields)) {
    if (isParameterName(name)) changes[name] = BigInt(wholeNumber(fields, name, 0, Number.MAX_SAFE_INTEGER))
  }
  if (Object.keys(changes).length === 0) throw new Refusal(`send at least one of ${names.join(', ')}`)
  return changes as Partial<ParameterValues>
}
