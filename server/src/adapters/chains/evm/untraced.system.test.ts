import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startAnvil } from '../../../../../sandbox/anvil/index.ts'
import { isRunning } from '../../../../../sandbox/process/identity.ts'
import { deploy, mint } from '../../../../../sandbox/tokens/index.ts'
import { makeScratch } from '../../../../../test/setup/scratch.ts'
import { createEvmAdapter } from './index.ts'

/** The height that a node would come back with, 0 before it has written any. */
const lastWritten = (stateFile: string): number =>
  existsSync(stateFile) ? Number((JSON.parse(readFileSync(stateFile, 'utf8')) as { best_block_number?: number }).best_block_number) : 0

test('a node that lost its state to kill -9 shows old blocks without inner calls, and says so', async () => {
  const scratch = await makeScratch('untraced')
  const options = {
    name: 'untraced', chainId: 31_337, port: 0, slotsInEpoch: 1,
    logFile: join(scratch.dir, 'anvil.log'), stateFile: join(scratch.dir, 'state.json'),
  }
  const first = await startAnvil(options)
  const token = await deploy(first.rpc, 'TestToken', ['T', 'T', 6])
  await mint(first.rpc, token, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 5n)
  const height = Number(await first.rpc<string>('eth_blockNumber'))
  // Deeper than full nodes keep states.
  await first.rpc('anvil_mine', '0x50')
  while (lastWritten(options.stateFile) < height + 0x50) await sleep(50)
  process.kill(first.pid, 'SIGKILL')
  while (isRunning(first)) await sleep(20)
  const second = await startAnvil(options)
  try {
    const adapter = createEvmAdapter({
      network: 'ETHEREUM', url: second.url, tokens: [token.toLowerCase()], finality: 'finalized', legacyGas: false,
      gasPriceFloor: 1n, gasPriceCap: 10n ** 12n, traces: 'auto', random: () => 0.5,
    })
    const block = await adapter.blockAt(height)
    expect(block).toMatchObject({ height, untraced: true })
    expect(block!.transactions[0]!.transfers).toMatchObject([{ units: 5n }])
    await mint(second.rpc, token, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 6n)
    const fresh = await adapter.blockAt(Number(await second.rpc<string>('eth_blockNumber')))
    expect(fresh).not.toHaveProperty('untraced')
    await adapter.close()
  } finally {
    await second.stop()
    await scratch.remove()
  }
}, 60_000)
