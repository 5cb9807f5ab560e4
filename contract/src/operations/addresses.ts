import { Type } from 'typebox'
import { blockchain, duration, meta, milliseconds, requestObject } from '../fields.ts'
import { durations } from '../limits.ts'
import { Target } from '../objects.ts'
import { operation } from '../operation.ts'

export const Address = Type.Object(
  {
    address: Type.String({ description: 'Where to send money' }),
    blockchain: Type.String({ description: 'Network asked for' }),
    meta: Type.Optional(Type.String({ description: 'As given' })),
  },
  {
    title: 'Address',
    description: 'A permanent deposit address',
    examples: [{ address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', blockchain: 'BITCOIN', meta: 'your-info' }],
  },
)

export const RotatingAddress = Type.Object(
  {
    address: Type.String({ description: 'Where to send money' }),
    blockchain: Type.String({ description: 'Network asked for' }),
    meta: Type.Optional(Type.String({ description: 'As given' })),
    expiredAt: milliseconds('When it ends if nothing arrives'),
  },
  {
    title: 'RotatingAddress',
    description: 'A deposit address that ends',
    examples: [
      {
        address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
        blockchain: 'BITCOIN',
        meta: 'your-info',
        expiredAt: 1677572843000,
      },
    ],
  },
)

/** `contract.md` 5.2, 19 #6. */
export const createAddress = operation({
  id: 'createAddress',
  method: 'POST',
  scopes: ['invoices'],
  path: '/merchants/addresses',
  tag: 'Addresses',
  summary: 'Create a permanent deposit address',
  description:
    'Each call makes a new address. It takes any number of payments, in every asset of its network, and never ends. ' +
    'One wallet serves ETHEREUM and BINANCE_SMART_CHAIN: the address is watched on both. Deposits arrive as ' +
    '`Replenish` notifications.',
  body: requestObject(
    {
      blockchain: blockchain('Network'),
      meta: Type.Optional(meta()),
      target: Type.Optional(Target),
    },
    { examples: [{ blockchain: 'BITCOIN', meta: 'your-info' }] },
  ),
  response: Address,
})

/** `contract.md` 5.3, 16 #14 to #16, 19 #6. */
export const createRotatingAddress = operation({
  id: 'createRotatingAddress',
  method: 'POST',
  scopes: ['invoices'],
  path: '/merchants/rotating-addresses',
  tag: 'Addresses',
  summary: 'Create a rotating deposit address',
  description:
    'An address that ends after `duration`, or `durationAfterReplenishment` after a deposit. It never goes to ' +
    'another merchant: a deposit that comes later is credited and notified as one in time is. Only two things end: the watch ' +
    'for coin that contracts send on nodes without traces, and your use of the address for payers.',
  body: requestObject(
    {
      blockchain: blockchain('Network'),
      meta: Type.Optional(meta()),
      duration: Type.Optional(duration('Life of the address, one day when absent', durations.rotatingAddress)),
      durationAfterReplenishment: Type.Optional(
        duration('Life of the address from a deposit, two hours when absent', durations.afterReplenishment),
      ),
      target: Type.Optional(Target),
    },
    { examples: [{ blockchain: 'BITCOIN', meta: 'your-info', duration: '123145513' }] },
  ),
  response: RotatingAddress,
})
