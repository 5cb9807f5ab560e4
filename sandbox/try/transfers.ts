/** Deposits and withdrawals of `npm run try`. */
import type { Transfer } from './command.ts'
import { control, merchantClient, printWebhooks } from './running.ts'
import type { Description } from './running.ts'

const META = 'from npm run try'

export async function tryDeposit(sandbox: Description, { ticker, blockchain, amount }: Transfer): Promise<void> {
  const { address } = await merchantClient(sandbox, 0).addresses.create({ blockchain, meta: META })
  console.log(`address  ${address}`)
  const { hash } = await control<{ hash: string }>(sandbox, '/pay', { blockchain, ticker, to: address, amount })
  console.log(`paid     ${amount} ${ticker} in ${hash}`)
  const last = sandbox.screening === undefined ? 'Done' : 'Verified'
  await printWebhooks(sandbox, (body) => body['hash'] === hash, [last, 'Failed'])
}

/** Sends a deposit to the second merchant, whose deposits are screened before they are credited. */
export async function tryHeld(
  sandbox: Description,
  { ticker, blockchain, amount, verdict }: Transfer & { readonly verdict: string },
): Promise<void> {
  const { address } = await merchantClient(sandbox, 1).addresses.create({ blockchain, meta: META })
  await control(sandbox, '/screening', { address, verdict })
  console.log(`address  ${address} (the screening provider will judge deposits to it as ${verdict})`)
  const { hash } = await control<{ hash: string }>(sandbox, '/pay', { blockchain, ticker, to: address, amount })
  console.log(`paid     ${amount} ${ticker} in ${hash}`)
  if (verdict !== 'clean')
    console.log('decide   npm run bursar -- screening list, then screening release ID why, or screening reject ID why')
  await printWebhooks(sandbox, (body) => body['hash'] === hash, ['Verified', 'Failed'])
}

export async function tryWithdrawal(sandbox: Description, { ticker, blockchain, amount }: Transfer): Promise<void> {
  const { address } = await control<{ address: string }>(sandbox, '/address', { blockchain })
  const { id } = await merchantClient(sandbox, 0).withdrawals.crypto.create({
    ticker,
    blockchain,
    to: address,
    amount,
    meta: META,
  })
  console.log(`withdrawal ${id} of ${amount} ${ticker} to ${address}`)
  await printWebhooks(sandbox, (body) => body['id'] === id, ['Done', 'Failed'])
}
