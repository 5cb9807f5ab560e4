/** The answers of the administrator of a signer on its own machine, and the part that both ways of setup use. */
import { isEvmNetwork, NATIVE_DECIMALS, NATIVE_TICKER, NETWORKS, type Network } from '@bursar/chainkit'
import Type, { type Static } from 'typebox'
import { byName, byTicker, choice, count, text } from '../../../platform/config/fields.ts'
import { readListenAddress } from '../../../platform/config/setting.ts'
import { readShape, ShapeError, withRule } from '../../../platform/config/shape.ts'
import { onNetworks, place, servedOf, type Settled } from './answers.ts'
import { LIMIT_MEMBERS, noteLimits } from './limits.ts'

type Chain = 'mainnet' | 'testnet' | 'regtest'

/** An asset that the signer may pay. Its limits are in whole units. */
export interface SignedAsset {
  ticker: string
  decimals: number
  /** absent: the network's coin */
  contract: string | undefined
  payment: string
  hour: string
  day: string
}

/** The part of an installation that the signer decides about. */
export interface SignerPart {
  chain: Chain
  /** where the signer listens */
  listen: string
  /** where the server reaches it */
  address: string
  networks: { network: Network; chainId: number | undefined; assets: SignedAsset[] }[]
}

const ASSET = Type.Object(
  {
    ...LIMIT_MEMBERS,
    decimals: Type.Optional(
      count("decimals of a token, as its contract has them; of the network's coin they are known", {
        least: 0,
        most: 18,
      }),
    ),
    contract: Type.Optional(
      text("the contract of a token; absent: the network's coin", {
        pattern: '^(0x[0-9a-fA-F]{40}|T[1-9A-HJ-NP-Za-km-z]{33})$',
        says: 'the address of a contract',
      }),
    ),
  },
  { description: 'an asset that may be paid, with its limits in whole units of the asset' },
)

/** The answers of `bursar setup signer`. */
export const SIGNER_SHAPE = withRule(
  Type.Object(
    {
      chain: choice('the kind of networks: `mainnet` has real money', ['mainnet', 'testnet', 'regtest']),
      listen: place('where the signer listens: an address of its machine that the server reaches'),
      address: Type.Optional(
        place('the name or address in its certificate, by which the server reaches it', { absent: 'as `listen`' }),
      ),
      networks: byName(
        NETWORKS,
        Type.Object(
          {
            chainId: Type.Optional(count('chain id of an EVM network')),
            assets: byTicker(ASSET),
          },
          { description: 'a network that the signer signs for' },
        ),
        { description: 'networks and assets that the signer may pay, each asset with its limits', key: 'NETWORK' },
      ),
    },
    { description: 'the answers of `bursar setup signer`' },
  ),
  ({ listen, address, networks }, note) => {
    for (const [name, written] of Object.entries({ listen, address }))
      if (written !== undefined && !isPlace(written)) note('write HOST:PORT', name)
    for (const wild of ['0.0.0.0', '::'])
      if (address === undefined && isPlace(listen) && readListenAddress(listen).host === wild)
        note('write by which name or address the server reaches the signer', 'address')
    const served = NETWORKS.filter((network) => networks[network] !== undefined)
    if (served.length === 0) note('write at least one network', 'networks')
    for (const network of served) {
      const { chainId, assets } = networks[network]!
      if (isEvmNetwork(network) !== (chainId !== undefined))
        note(
          chainId === undefined ? 'write it' : 'leave it out: only EVM networks have one',
          'networks',
          network,
          'chainId',
        )
      for (const [ticker, { contract, decimals, ...limits }] of Object.entries(assets)) {
        const at = ['networks', network, 'assets', ticker] as const
        const isCoin = ticker === NATIVE_TICKER[network]
        if (isCoin !== (contract === undefined))
          note(isCoin ? `leave it out: ${ticker} is the coin` : 'write the contract of the token', ...at, 'contract')
        if (!isCoin && decimals === undefined) note('write the decimals of the token', ...at, 'decimals')
        if (isCoin && decimals !== undefined && decimals !== NATIVE_DECIMALS[network])
          note(`${ticker} has ${NATIVE_DECIMALS[network]}`, ...at, 'decimals')
        if (contract !== undefined && contract.startsWith('0x') !== isEvmNetwork(network))
          note(`it is no contract of ${network}`, ...at, 'contract')
        noteLimits(limits, decimals ?? NATIVE_DECIMALS[network], note, ...at)
      }
    }
  },
)

const isPlace = (text: string): boolean => {
  try {
    readListenAddress(text)
    return true
  } catch {
    return false
  }
}

/** Reads the answers of `bursar setup signer`. @throws ShapeError that lists every problem */
export const readSignerAnswers = (json: unknown): SignerPart => {
  const { chain, listen, address, networks }: Static<typeof SIGNER_SHAPE> = readShape(SIGNER_SHAPE, json)
  return {
    chain,
    listen,
    address: address ?? listen,
    networks: NETWORKS.flatMap((network) => {
      const on = networks[network]
      if (on === undefined) return []
      const assets = Object.entries(on.assets).map(([ticker, { decimals, contract, payment, hour, day }]) => ({
        ticker,
        decimals: decimals ?? NATIVE_DECIMALS[network],
        contract,
        payment,
        hour,
        day,
      }))
      return [{ network, chainId: on.chainId, assets }]
    }),
  }
}

/** The signer's part of an installation on one machine. @throws ShapeError without limits */
export const signerPartOf = (answers: Settled): SignerPart => {
  const { chain, listen, networks, assets, limits } = answers
  if (limits === undefined) throw new ShapeError(['limits: write them'])
  return {
    chain,
    listen: listen.signer,
    address: listen.signer,
    networks: servedOf(networks).map((network) => ({
      network,
      chainId: (networks[network] as { chainId?: number }).chainId,
      assets: onNetworks(assets)
        .filter((one) => one.network === network)
        .map(({ ticker, decimals, contract }) => ({ ticker, decimals, contract, ...limits[network]![ticker]! })),
    })),
  }
}
