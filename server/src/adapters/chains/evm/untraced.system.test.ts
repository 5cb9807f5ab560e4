import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startAnvil } from '../../../../../sandbox/anvil/index.ts'
import { faucetAccount, sendAndMine } from '../../../../../sandbox/anvil/transactions.ts'
import { isRunning } from '../../../../../sandbox/process/identity.ts'
import { deploy, mint } from '../../../../../sandbox/tokens/index.ts'
import { makeScratch } from '../../../../../test/setup/scratch.ts'
import { startProxy } from '../test-proxy.ts'
import { createEvmAdapter } from './index.ts'
import { adapterOf, openEvmWorld } from '../../../../../test/world/evm-node.ts'

/** The height that a node would come back with, 0 before it has written any. */
const lastWritten = (stateFile: string): number =>
  existsSync(stateFile)
    ? Number((JSON.parse(readFileSync(stateFile, 'utf8')) as { best_block_number?: number }).best_block_number)
    : 0

test('a node that lost its state to kill -9 shows old blocks without inner calls, and says so', async () => {
  const scratch = await makeScratch('untraced')
  const options = {
    name: 'untraced',
    chainId: 31_337,
    port: 0,
    slotsInEpoch: 1,
    logFile: join(scratch.dir, 'anvil.log'),
    stateFile: join(scratch.dir, 'state.json'),
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
      network: 'ETHEREUM',
      url: second.url,
      tokens: [token.toLowerCase()],
      finality: 'finalized',
      legacyGas: false,
      gasPriceFloor: 1n,
      gasPriceCap: 10n ** 12n,
      traces: 'auto',
      random: () => 0.5,
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
})

/**
 * Calls an empty account 200 times with 100,000 bytes from memory: `callTracer` shows all of them (go-ethereum,
 * eth/tracers/native/call.go), for 0.1 million gas.
 */
const TRACE_BOMB = '0x60c85b60006000620186a06000600061dead5af150600190038060025700'
const creating = (runtime: string): string => {
  const size = ((runtime.length - 2) / 2).toString(16).padStart(2, '0')
  return `0x60${size}600c60003960${size}6000f3${runtime.slice(2)}`
}

/** The length of an answer, whose text is discarded. */
const bytesOf = async (url: string, method: string, params: unknown[]): Promise<number> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  let bytes = 0
  for await (const chunk of answer.body!) bytes += (chunk as Uint8Array).length
  return bytes
}

test('audit D-E1, row E-28: a cheap transaction whose trace takes 40 MB hides nothing that contracts send in its block', async () => {
  const scratch = await makeScratch('bomb')
  const node = await startAnvil({
    name: 'bomb',
    chainId: 31_337,
    port: 0,
    slotsInEpoch: 1,
    logFile: join(scratch.dir, 'anvil.log'),
    stateFile: join(scratch.dir, 'state.json'),
  })
  try {
    const world = await openEvmWorld(node, {
      network: 'ETHEREUM',
      chainId: 31_337,
      legacyGas: false,
      finality: 'finalized',
    })
    const { contractAddress: bomb } = await sendAndMine(node.rpc, {
      from: faucetAccount,
      data: creating(TRACE_BOMB) as `0x${string}`,
    })
    const to = await world.newAddress()
    const lit = await node.rpc<string>('eth_sendTransaction', { from: faucetAccount, to: bomb, gas: '0x40000' })
    const paying = await world.contracts.payInside([{ to, units: 6n }])
    await world.mine(1)
    const { hash, height } = await world.adapter.head()
    const { gasUsed } = await node.rpc<{ gasUsed: string }>('eth_getTransactionReceipt', lit)
    expect(Number(gasUsed)).toBeLessThan(150_000)
    expect(await bytesOf(node.url, 'debug_traceBlockByHash', [hash, { tracer: 'callTracer' }])).toBeGreaterThan(
      32 * 1024 * 1024,
    )
    const block = (await world.adapter.blockAt(height))!
    expect(block).not.toHaveProperty('untraced')
    expect(
      block.transactions.find((one) => one.hash === paying)!.transfers.filter((one) => one.to === to),
    ).toMatchObject([{ units: 6n }])
    await world.adapter.close()
  } finally {
    await node.stop()
    await scratch.remove()
  }
})

test('audit D-E1, row E-28: a node with the call tracer alone shows a block with a trace of 40 MB as untraced, and goes on', async () => {
  const scratch = await makeScratch('bomb-of-calls')
  const node = await startAnvil({
    name: 'bomb-of-calls',
    chainId: 31_337,
    port: 0,
    slotsInEpoch: 1,
    logFile: join(scratch.dir, 'anvil.log'),
    stateFile: join(scratch.dir, 'state.json'),
  })
  const proxy = await startProxy(node.url)
  // Besu of 2025 with `--Xenable-extra-debug-tracers` knows callTracer and flatCallTracer (TracerType.java); another
  // name is an invalid parameter (AbstractDebugTraceBlock.java getTraceOptions, RpcErrorType.java).
  proxy.behave = ({ method, params }) =>
    method.startsWith('debug_') && (params[1] as { tracer?: string }).tracer === 'prestateTracer'
      ? { refuse: { code: -32602, message: 'Invalid transaction trace params' } }
      : 'pass'
  const kind = { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' } as const
  const adapter = adapterOf(proxy.url, kind)
  try {
    const world = await openEvmWorld(node, kind)
    const { contractAddress: bomb } = await sendAndMine(node.rpc, {
      from: faucetAccount,
      data: creating(TRACE_BOMB) as `0x${string}`,
    })
    const to = await world.newAddress()
    const before = await world.contracts.payInside([{ to, units: 5n }])
    await world.mine(1)
    const traced = (await adapter.blockAt((await world.adapter.head()).height))!
    expect(traced).not.toHaveProperty('untraced')
    expect(
      traced.transactions.find((one) => one.hash === before)!.transfers.filter((one) => one.to === to),
    ).toMatchObject([{ units: 5n }])
    await node.rpc<string>('eth_sendTransaction', { from: faucetAccount, to: bomb, gas: '0x40000' })
    await world.contracts.payInside([{ to, units: 6n }])
    await world.mine(1)
    const { height } = await world.adapter.head()
    let block: Awaited<ReturnType<typeof adapter.blockAt>> | undefined
    for (let tries = 0; block === undefined && tries < 20; tries += 1) {
      await world.mine(1)
      block = await adapter.blockAt(height).catch((error: Error) => {
        expect(error.name).toBe('ChainUnavailable')
        return undefined
      })
    }
    expect(block).toMatchObject({ height, untraced: true })
    await world.mine(1)
    expect(await adapter.blockAt(height + 1)).not.toHaveProperty('untraced')
    await world.adapter.close()
  } finally {
    await adapter.close()
    await proxy.close()
    await node.stop()
    await scratch.remove()
  }
})
