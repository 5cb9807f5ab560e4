import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readPolicy } from './policy.ts'
import { makePasskey } from '../../../test/world/passkeys.ts'
import { approvers, policyFile, TREASURY, TRON_USDT, USDT } from '../../../test/world/signer.ts'

const ethereum = policyFile.networks.ETHEREUM
const usdt = (ethereum.assets as Record<string, object>)['USDT']!
const withNetworks = (networks: object): object => ({ ...policyFile, networks })
const withEthereum = (more: object): object => withNetworks({ ETHEREUM: { ...ethereum, ...more } })
const withUsdt = (more: object): object => withEthereum({ assets: { USDT: { ...usdt, ...more } } })

const withSweep = (more: object): object => withEthereum({ sweep: { ...ethereum.sweep, ...more } })

const tron = policyFile.networks.TRON
const withTron = (more: object): object => withNetworks({ TRON: { ...tron, ...more } })

const passkey = makePasskey('dora').entry
const eth = { enabled: true, maxPerIntent: '1', maxPerHour: '1', maxPerDay: '1' }

describe('readPolicy', () => {
  test('reads every rule and names the file by its hash', () => {
    const text = JSON.stringify(policyFile)
    const policy = readPolicy(text)
    expect(policy.hash).toBe(createHash('sha256').update(text).digest('hex'))
    expect(policy.networks.get('ETHEREUM')).toMatchObject({ chainId: 31337n, fee: { maxUnits: 10n ** 16n } })
    expect(policy.networks.get('ETHEREUM')!.assets.get('USDT')).toEqual({
      enabled: true,
      contract: USDT,
      maxPerIntent: 10n ** 9n,
      maxPerHour: 3n * 10n ** 9n,
      maxPerDay: 9n * 10n ** 9n,
      approvals: { above: 5n * 10n ** 8n, needed: 2 },
    })
    expect(policy.networks.get('BITCOIN')).toMatchObject({ chain: 'regtest', fee: { maxMilliSatPerVb: 100_000n } })
    expect(policy.networks.get('TRON')).toMatchObject({
      maxLifetimeMs: 600_000,
      fee: { maxUnits: 30_000_000n, bandwidthPrice: 1_000n, activation: 1_100_000n },
      treasury: { enabled: true, maxUnits: 50_000_000_000n },
    })
    expect([...policy.approvers.keys()]).toEqual(approvers.map(({ id }) => id))
  })

  test('a person may have several keys, and counts once', () => {
    const keys = [{ id: 'dora', publicKey: approvers[0]!.publicKey }, passkey, makePasskey('dora').entry]
    const policy = readPolicy(JSON.stringify({ ...withNetworks({}), approvers: keys }))
    expect([...policy.approvers].map(([id, list]) => [id, list.map(({ kind }) => kind)])).toEqual([
      ['dora', ['ed25519', 'passkey', 'passkey']],
    ])
  })

  test.each<[string, unknown, RegExp]>([
    ['an unknown field', { ...policyFile, comment: 'x' }, /unknown fields: comment/],
    ['no kill switch', { ...policyFile, enabled: undefined }, /lacks enabled/],
    ['a kill switch in words', { ...policyFile, enabled: 'yes' }, /enabled must be true or false/],
    ['a treasury for sweeps in lower case', withSweep({ treasury: TREASURY.toLowerCase() }), /EIP-55/],
    ['sweeps to nowhere', withSweep({ treasury: `0x${'0'.repeat(40)}` }), /EIP-55/],
    ['a delegate of its own', withSweep({ delegate: TREASURY }), /unknown fields: delegate/],
    ['a domain of the coin', withSweep({ domains: { ETH: { name: 'Ether', version: '1' } } }), /is of no token/],
    ['half a domain', withSweep({ domains: { USDC: { name: 'USD Coin' } } }), /lacks version/],
    ['another version', { ...policyFile, version: 2 }, /version/],
    ['an unknown network', withNetworks({ LITECOIN: ethereum }), /not a network/],
    ["TRON in an EVM chain's fields", withNetworks({ TRON: ethereum }), /lacks maxLifetimeMs/],
    ['a lifetime above the network’s', withTron({ maxLifetimeMs: 86_400_001 }), /maxLifetimeMs/],
    ['no lifetime at all', withTron({ maxLifetimeMs: 0 }), /maxLifetimeMs/],
    ['no price of bandwidth', withTron({ fee: { ...tron.fee, bandwidthPrice: undefined } }), /lacks bandwidthPrice/],
    [
      'a treasury without a limit',
      withTron({ treasury: { enabled: true } }),
      /lacks maxUnits, stake, loan|lacks maxUnits/,
    ],
    ['a treasury without sums', withTron({ treasury: { enabled: true, maxUnits: '1' } }), /lacks stake/],
    [
      'a treasury with half a sum',
      withTron({ treasury: { ...tron.treasury, loan: { maxPerHour: '1' } } }),
      /loan lacks maxPerDay/,
    ],
    ['a contract of TRON in hex', withTron({ assets: { USDT: { ...usdt, contract: USDT } } }), /in base58/],
    [
      'a mistyped contract of TRON',
      withTron({ assets: { USDT: { ...usdt, contract: TRON_USDT.replace('q', 'r') } } }),
      /in base58/,
    ],
    ['a contract of TRON elsewhere', withUsdt({ contract: TRON_USDT }), /EIP-55/],
    ['a contract for TRX', withTron({ assets: { TRX: { ...usdt, contract: TRON_USDT } } }), /has no contract/],
    [
      'one chain id twice',
      withNetworks({
        ETHEREUM: ethereum,
        BINANCE_SMART_CHAIN: { ...policyFile.networks.BINANCE_SMART_CHAIN, chainId: '31337' },
      }),
      /chain id twice/,
    ],
    ['chain id 0', withEthereum({ chainId: '0' }), /chainId/],
    ['a chain id as a number', withEthereum({ chainId: 1 }), /chainId/],
    [
      'an unknown chain of Bitcoin',
      withNetworks({ BITCOIN: { ...policyFile.networks.BITCOIN, chain: 'signet' } }),
      /chain of Bitcoin/,
    ],
    [
      'a token on Bitcoin',
      withNetworks({ BITCOIN: { ...policyFile.networks.BITCOIN, assets: { USDT: usdt } } }),
      /BTC only/,
    ],
    ['an amount as a number', withUsdt({ maxPerIntent: 5 }), /maxPerIntent/],
    ['an amount with a fraction', withUsdt({ maxPerIntent: '1.5' }), /maxPerIntent/],
    ['an amount with an exponent', withUsdt({ maxPerIntent: '1e6' }), /maxPerIntent/],
    ['a negative amount', withUsdt({ maxPerHour: '-1' }), /maxPerHour/],
    ['no limit for a day', withUsdt({ maxPerDay: undefined }), /maxPerDay/],
    ['a contract in lower case', withUsdt({ contract: USDT.toLowerCase() }), /EIP-55/],
    ['a mistyped contract', withUsdt({ contract: USDT.replace('5', '6') }), /EIP-55/],
    ['a token without contract', withUsdt({ contract: undefined }), /needs its contract/],
    ['a contract for the native coin', withEthereum({ assets: { ETH: usdt } }), /has no contract/],
    ['one contract twice', withEthereum({ assets: { USDT: usdt, USDC: usdt } }), /one contract twice/],
    ['more approvals than approvers', withUsdt({ approvalsNeeded: 4 }), /at most the approvers/],
    ['approvals above without how many', withUsdt({ approvalsNeeded: undefined }), /together/],
    ['a ticker in lower case', withEthereum({ assets: { usdt } }), /upper case/],
    ['a bad approver key', { ...policyFile, approvers: [{ id: 'a', publicKey: 'ff' }] }, /32 bytes/],
    ['one approver twice', { ...policyFile, approvers: [policyFile.approvers[0], policyFile.approvers[0]] }, /twice/],
    [
      'one key under two names',
      { ...policyFile, approvers: [policyFile.approvers[0], { ...policyFile.approvers[0], id: 'z' }] },
      /twice/,
    ],
    [
      'one Ed25519 key in both forms',
      {
        ...policyFile,
        approvers: [
          ...policyFile.approvers,
          { ...passkey, publicKey: `302a300506032b6570032100${policyFile.approvers[0]!.publicKey}` },
        ],
      },
      /twice/,
    ],
    ...['00'.repeat(32), `${'00'.repeat(31)}80`, `ec${'ff'.repeat(31)}`, `01${'00'.repeat(31)}`].flatMap(
      (weak): [string, unknown, RegExp][] => [
        [`the weak key ${weak}`, { ...policyFile, approvers: [{ id: 'a', publicKey: weak }] }, /weak/],
        [
          `a passkey of the weak key ${weak}`,
          { ...policyFile, approvers: [{ ...passkey, publicKey: `302a300506032b6570032100${weak}` }] },
          /publicKey/,
        ],
      ],
    ),
    ...Object.entries({
      'a passkey without its origin': [{ origin: undefined }, /origin/],
      'a passkey of plain HTTP': [{ origin: 'http://approve.example.com' }, /origin/],
      'a passkey with a path in its origin': [{ origin: 'https://approve.example.com/' }, /origin/],
      'a passkey with the standard port': [{ origin: 'https://approve.example.com:443' }, /origin/],
      'a passkey with an Ed25519 key in short form': [{ publicKey: 'ab'.repeat(32) }, /publicKey/],
      'a passkey with a broken key': [{ publicKey: 'ab'.repeat(91) }, /publicKey/],
      'a passkey without its id': [{ credentialId: undefined }, /credentialId/],
      'another kind of key': [{ kind: 'password' }, /kind/],
      'a credential of no kind': [{ kind: undefined, publicKey: 'ab'.repeat(32) }, /passkey/],
    } satisfies Record<string, [object, RegExp]>).map(([name, [change, message]]): [string, unknown, RegExp] => [
      name,
      { ...policyFile, approvers: [{ ...passkey, ...change }] },
      message,
    ]),
    [
      'one passkey under two names',
      { ...policyFile, approvers: [passkey, { ...passkey, id: 'z', publicKey: makePasskey('z').entry.publicKey }] },
      /twice/,
    ],
    [
      'more approvals than people',
      { ...withUsdt({ approvalsNeeded: 2 }), approvers: [passkey, makePasskey('dora').entry] },
      /at most the approvers/,
    ],
    ['too many decimals', withUsdt({ decimals: 37 }), /decimals/],
    ['decimals of a coin', withEthereum({ assets: { ETH: { ...eth, decimals: 18 } } }), /decimals are known/],
    ['a list', [], /object/],
  ])('refuses %s', (_name, policy, message) => {
    expect(() => readPolicy(JSON.stringify(policy))).toThrow(message)
  })

  test('refuses text that is not JSON', () => {
    expect(() => readPolicy('{')).toThrow(/not JSON/)
  })
})
