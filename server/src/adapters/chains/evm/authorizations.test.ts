import { expect, test } from 'vitest'
import type { RpcAnswer } from '../rpc-answer.ts'
import type { Rpc, RpcCall } from '../rpc.ts'
import { estimateAuthorization } from './authorizations.ts'

const FROM = `0x${'a1'.repeat(20)}`
const ok = (gas: number): RpcAnswer => ({ ok: true, result: `0x${gas.toString(16)}` })
const refused = (code: number, message: string): RpcAnswer => ({ ok: false, code, message })

const rpcOf = (answer: (call: { authorizationList?: unknown[] }) => RpcAnswer, asked: RpcCall[] = []) =>
  ({
    askAll: async (calls: readonly RpcCall[]) => {
      asked.push(...calls)
      return calls.map(({ params }) => answer(params[0] as { authorizationList?: unknown[] }))
    },
    unavailable: (method: string, why: string) => new Error(`${method}: ${why}`),
    believe: (_method: string, decode: () => unknown) => decode(),
  }) as unknown as Rpc

/** geth: core/state_transition.go IntrinsicGas; Amsterdam: EIP-8037 with 1,530 gas a byte. */
test.for([
  ['today', 21_004, 46_004, 25_000n],
  ['with EIP-8037', 12_004, 238_604, 226_600n],
] as const)(
  'audit D-E14: row Fees, the gas of an authorisation is taken from estimates of the node: %s',
  async ([, plain, more, gas]) => {
    const asked: RpcCall[] = []
    const rpc = rpcOf(({ authorizationList }) => ok(authorizationList ? more : plain), asked)
    expect(await estimateAuthorization(rpc, FROM, 255, () => 0.5)).toBe(gas)
    expect(asked.map(({ method, params }) => [method, params[1]])).toEqual([
      ['eth_estimateGas', '0xff'],
      ['eth_estimateGas', '0xff'],
    ])
  },
)

test.for([
  ['a node that does not know the field (before Prague)', () => ok(21_004)],
  [
    'one that refuses it',
    ({ authorizationList }) => (authorizationList ? refused(-32_602, 'unknown field `authorizationList`') : ok(21_004)),
  ],
  [
    'rules without it',
    ({ authorizationList }) => (authorizationList ? refused(-32_000, 'transaction type not supported') : ok(21_004)),
  ],
] as [string, Parameters<typeof rpcOf>[0]][])('audit D-E14: nothing is known from %s', async ([, answer]) => {
  expect(await estimateAuthorization(rpcOf(answer), FROM, 1, () => 0.5)).toBeUndefined()
})

test('audit D-E14: an error of a node does not mean that it ignores authorisations', async () => {
  await expect(
    estimateAuthorization(
      rpcOf(({ authorizationList }) => (authorizationList ? refused(-32_005, 'rate exceeded') : ok(1))),
      FROM,
      1,
      () => 0.5,
    ),
  ).rejects.toThrow('rate exceeded')
  await expect(
    estimateAuthorization(
      rpcOf(() => refused(-32_000, 'header not found')),
      FROM,
      1,
      () => 0.5,
    ),
  ).rejects.toThrow('header not found')
})

test('each estimate has a signer of its own', async () => {
  const asked: RpcCall[] = []
  for (const random of [0.25, 0.75])
    await estimateAuthorization(
      rpcOf(() => ok(1), asked),
      FROM,
      1,
      () => random,
    )
  const signatures = asked
    .flatMap(({ params }) => (params[0] as { authorizationList?: { s: string }[] }).authorizationList ?? [])
    .map(({ s }) => s)
  expect(new Set(signatures).size).toBe(2)
})
