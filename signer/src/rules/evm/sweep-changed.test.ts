import * as fc from 'fast-check'
import { parseTransaction } from 'viem'
import type { Hex, TransactionSerialized } from 'viem'
import { expect, test } from 'vitest'
import { encodeTransfer } from '@bursar/chainkit/evm'
import { cases } from '../../../../test/setup/cases.ts'
import { Refusal } from '../../protocol/refusal.ts'
import { addressOf, contracts, plainSweep, sweepRequest } from './test-sweep.ts'
import type { SweepPlan } from './test-sweep.ts'
import { TREASURY, USDT, depositKey, hotKey, makeSigner } from '../../../../test/world/signer.ts'

const first: SweepPlan = {
  accounts: [1, 2],
  authorize: [
    [1, 0n],
    [2, 0n],
  ],
}

test('changed bytes are refused, or still pay only the treasury', async () => {
  const requests = [
    sweepRequest(first),
    sweepRequest({ accounts: [1, 2] }),
    plainSweep({ value: 5n, gas: 21_000n }, [depositKey(1)]),
    plainSweep({ to: USDT, data: encodeTransfer(TREASURY, 5n) }, [depositKey(1)]),
    plainSweep({ to: addressOf(1), value: 5n, gas: 21_000n }, [hotKey, depositKey(1)]),
  ]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...requests), fc.nat(), fc.nat({ max: 255 }), async (request, at, byte) => {
      const bytes = Buffer.from(request.unsigned.slice(2), 'hex')
      bytes[at % bytes.length] = byte
      const { signer } = await makeSigner()
      let signed: Hex
      try {
        signed = (await signer.sign({ ...request, unsigned: `0x${bytes.toString('hex')}` })).signed as Hex
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
        return
      }
      const read = parseTransaction(signed as TransactionSerialized)
      const { to, data, value = 0n } = read
      const authorizationList = 'authorizationList' in read ? (read.authorizationList ?? []) : []
      const receivers = [contracts.batch.address, TREASURY, USDT, addressOf(1)].map((one) => one.toLowerCase())
      expect(receivers).toContain(to)
      if (to === USDT.toLowerCase()) expect(data).toContain(TREASURY.slice(2).toLowerCase())
      if (to === addressOf(1).toLowerCase()) expect(value).toBeLessThanOrEqual(10n ** 15n)
      for (const one of authorizationList)
        expect([one.address, one.chainId]).toEqual([contracts.delegate.address.toLowerCase(), 31_337])
    }),
    { numRuns: cases(150) },
  )
})
