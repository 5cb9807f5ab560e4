/** Two merchants of a chaos run's own, made and funded by the operator, so that their books hold nothing else. */
import { Bursar } from '@bursar/sdk'
import { control, SandboxError } from '../try/running.ts'
import type { Description } from '../try/running.ts'
import type { Operator } from './operator.ts'
import type { ChaosMerchant } from './orders.ts'

const GRANTS = { USDT: '5000', ETH: '5', TRX: '3000', BTC: '0.5', UAH: '500000' } as const
const NAMES = ['Chaos shop', 'Chaos market'] as const
/** Deposits of this one are credited only after screening, if the sandbox screens. */
const HOLDING = 'Chaos market'

/** @throws SandboxError */
export async function createMerchants(sandbox: Description, bursar: Operator): Promise<ChaosMerchant[]> {
  const hasBitcoin = sandbox.chains.some(({ blockchain }) => blockchain === 'BITCOIN')
  const { BTC, ...others } = GRANTS
  const granted = hasBitcoin ? { ...others, BTC } : others
  return Promise.all(
    NAMES.map(async (name) => {
      const made = await bursar('merchant', 'create', '--name', name, '--url', 'https://shop.example', '--json')
      if (made.code !== 0) throw new SandboxError(`bursar merchant create failed: ${made.text}`)
      const { id, privateKey } = JSON.parse(made.text) as { id: string; privateKey: string }
      const notificationsUrl = `${sandbox.inbox}/merchant/${id}`
      await set(bursar, id, 'notificationsUrl', notificationsUrl)
      if (name === HOLDING && sandbox.screening !== undefined) await set(bursar, id, 'holdUntilVerified', 'true')
      await Promise.all(
        Object.entries(granted).map(([ticker, amount]) =>
          control(sandbox, '/credit', { merchantId: id, ticker, amount }),
        ),
      )
      const client = new Bursar({ url: sandbox.api, merchantId: id, privateKey })
      return { name, id, privateKey, notificationsUrl, client, granted }
    }),
  )
}

async function set(bursar: Operator, id: string, setting: string, value: string): Promise<void> {
  const { code, text } = await bursar('merchant', 'set', id, setting, value)
  if (code !== 0) throw new SandboxError(`bursar merchant set ${setting} failed: ${text}`)
}
