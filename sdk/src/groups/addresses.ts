import type { Call, PostOptions } from '../call.ts'
import type { CreateAddressBody, CreateRotatingAddressBody } from '../generated.ts'

export const addresses = (call: Call) => ({
  /** Makes a permanent deposit address. */
  create: (body: CreateAddressBody, options?: PostOptions) => call('createAddress', { body }, options),
})

export const rotatingAddresses = (call: Call) => ({
  /** Makes a deposit address that expires. */
  create: (body: CreateRotatingAddressBody, options?: PostOptions) => call('createRotatingAddress', { body }, options),
})
