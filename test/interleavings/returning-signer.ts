/** The real signer, whose log returns to an earlier one: each order begins with the signatures of the scene alone. */
import { copyFileSync, rmSync } from 'node:fs'
import type { SignRequest } from '../../signer/src/protocol/protocol.ts'
import type { Signer } from '../../signer/src/server/signer.ts'
import { openSigner, type SignerOptions, type TestSigner } from '../world/signer.ts'

export interface ReturningSigner {
  /** for `createPayoutWorld` */
  open(options: SignerOptions): Promise<TestSigner>
  /** Makes the log as it is now the one that `restore` returns to. */
  keep(): Promise<void>
  restore(): Promise<void>
  close(): Promise<void>
}

/** @param onSigned called with each request that was signed */
export const createReturningSigner = (onSigned: (request: SignRequest) => void): ReturningSigner => {
  let options: SignerOptions = {}
  let current: TestSigner
  let isChanged = false
  const forwarding = {
    sign: async (request: SignRequest) => {
      isChanged = true
      const answer = await current.signer.sign(request)
      onSigned(request)
      return answer
    },
    closeIntent: (id: string) => {
      isChanged = true
      return current.signer.closeIntent(id)
    },
    transactionsOf: (id: string) => current.signer.transactionsOf(id),
    check: (...asked: Parameters<Signer['check']>) => current.signer.check(...asked),
    status: () => current.signer.status(),
  }
  const restart = async (change: (logFile: string) => void): Promise<void> => {
    const { logFile, log } = current
    await log.close()
    change(logFile)
    current = await openSigner({ ...options, logFile })
    isChanged = false
  }
  const copyOf = (logFile: string): string => `${logFile}.copy`
  return {
    open: async (given) => {
      options = given
      current = await openSigner(given)
      return { ...current, signer: forwarding as unknown as Signer }
    },
    keep: () => restart((logFile) => copyFileSync(logFile, copyOf(logFile))),
    restore: async () => {
      if (!isChanged) return
      await restart((logFile) => {
        // The signer makes its index again from the log.
        rmSync(`${logFile}.index`, { force: true })
        copyFileSync(copyOf(logFile), logFile)
      })
    },
    close: () => current.log.close(),
  }
}
