/**
 * Tests of setup.slow.test.ts alone: a signer on its own machine by the page production.md, and its standby by the page
 * high-availability.md. A machine is a root of its own with the users of the packages. All share one network, in which
 * each has an address of its own.
 */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { reservePorts } from '../../test/setup/ports.ts'
import { linesOf, type Machine } from './copied-machine.ts'
import { ask, createMerchant, depositEther, sendEther, type Merchant, type PageWorld } from './page-world.ts'

const NAME = 'signer.example.internal'
const POLL = { interval: 1_000, timeout: 180_000 }
const AMOUNT = '0.25'

/** @param isLong whether doctor is waited for, and the standby is tried: a minute more */
export const describeTwoMachines = (worldOf: () => PageWorld, isLong: boolean) =>
  describe('with a signer on its own machine', () => {
    let signer: Machine
    let server: Machine
    let api: string
    let first: string
    let standby: string
    let hot: string

    beforeAll(async () => {
      const [port, ...ports] = await reservePorts(5)
      first = `127.0.0.1:${port}`
      standby = `127.0.0.2:${port}`
      const places = ports.map((one) => `127.0.0.1:${one}`)
      api = places[0]!
      const [apiInner, workerInner, watcherInner] = places.slice(1) as [string, string, string]
      const { limits, ...answers } = worldOf().answers('two', { api, apiInner, workerInner, watcherInner })
      const forSigner = JSON.parse(linesOf('json signer-answers').join('\n')) as object
      const networks = { ETHEREUM: { chainId: 31_337, assets: limits['ETHEREUM'] } }
      signer = worldOf().machine('signer', {
        signer: { ...forSigner, chain: 'regtest', listen: first, address: `${NAME}:${port}`, networks },
      })
      const database = { ...answers.database, prefix: 'two' }
      server = worldOf().machine('server', { answers: { ...answers, database, signer: 'for-server.json' } })
    })

    /** Gives the name of the signer to an address, on the machine of the server. */
    const nameMeans = async (address: string): Promise<void> => {
      const [host] = address.split(':')
      const lines = `127.0.0.1 localhost\\n${host} ${NAME}\\n`
      expect((await server.type(`printf '${lines}' > /etc/hosts`)).code).toBe(0)
    }

    const hashOf = (text: string, name: string): string =>
      new RegExp(`SHA-256 of [^:]*${name}: ([0-9a-f ]+)`).exec(text)![1]!

    test('a person sets up both machines, and doctor finds no fault', async () => {
      for (const machine of [signer, server]) await machine.typeAll('sh install')
      const made = await signer.typeAll('sh signer-first')
      expect(made).toMatch(/shown once:\n {2}([a-z]+ ){23}[a-z]+\n/)
      await server.take('/etc/bursar-signer/for-server.json', signer)
      await nameMeans(first)
      const taken = await server.typeAll('sh server-setup')
      expect(hashOf(taken, 'for-server.json')).toBe(hashOf(made, 'for-server.json'))
      hot = /ETHEREUM +(0x[0-9a-fA-F]{40}) +ETH/.exec(taken)![1]!
      await signer.take('/etc/bursar/for-signer.json', server)
      const second = await signer.typeAll('sh signer-second')
      expect(hashOf(second, 'for-signer.json')).toBe(hashOf(taken, 'for-signer.json'))
      const secrets = 'sh -c \'ls -l /etc/bursar* | grep -cE "seed|passphrase|signer-key.pem"\''
      expect((await server.type(secrets)).text).toBe('1')
      const [start, check] = linesOf('sh server-start')
      await server.type(start!)
      const report = async (): Promise<string> => (await server.type(check!)).text
      await expect.poll(report, POLL).toMatch(/^ok .*signer log: /m)
      // It is without a fault after the first comparison with the chain, a minute later.
      if (!isLong) return
      await expect.poll(report, POLL).not.toMatch(/^BAD/m)
      await server.typeAll('sh check')
    })

    describe.skipIf(!isLong)('and a standby', () => {
      let merchant: Merchant
      let other: Machine

      const order = async (): Promise<string> => {
        const to = `0x${randomBytes(20).toString('hex')}`
        const body = { ticker: 'ETH', blockchain: 'ETHEREUM', to, amount: AMOUNT }
        expect(await ask(api, merchant, 'POST', '/merchants/withdrawals/crypto', body)).toContain('"id"')
        return to
      }
      const isPaid = (to: string): Promise<void> =>
        expect
          .poll(() => worldOf().node.rpc<string>('eth_getBalance', to, 'latest'), POLL)
          .toBe(`0x${(10n ** 18n / 4n).toString(16)}`)
      /** In place of rsync, which this machine may lack. */
      const copyLog = async (): Promise<void> => {
        const files = "--exclude='signer.log.index*' --exclude=signer.log.lock"
        expect((await signer.type(`tar -c -f log.tar ${files} -C /var/lib bursar-signer`)).code).toBe(0)
        await other.take('/root/log.tar', signer)
        expect((await other.type('tar -x -f log.tar -C /var/lib')).code).toBe(0)
      }
      /** The payments in the log of a machine, by their intents. */
      const signedBy = async (machine: Machine): Promise<string[]> => {
        const { text } = await machine.type('cat /var/lib/bursar-signer/signer.log')
        return text
          .split('\n')
          .map((line) => JSON.parse(line) as { kind: string; intents: { id: string }[] })
          .flatMap(({ kind, intents }) => (kind === 'signed' ? intents.map(({ id }) => id) : []))
      }

      test('a person prepares it, and it signs when the machine of the signer is lost', async () => {
        merchant = await createMerchant(server)
        await sendEther(worldOf().node, hot, 10)
        await depositEther(worldOf(), api, merchant, 2, async (read) => {
          await expect.poll(read, POLL).toMatch(/"2(\.0+)?"/)
        })
        await isPaid(await order())
        other = worldOf().machine('standby', {})
        await signer.typeAll('sh standby-pack')
        await other.take('/root/settings.tar', signer)
        await other.take('/etc/bursar-signer/passphrase', signer)
        await other.typeAll('sh standby-prepare', (line) => line.replace('10.88.0.32:9443', standby))
        await copyLog()
        const before = await signedBy(other)
        expect(before).toHaveLength(1)
        await isPaid(await order())

        const lost = performance.now()
        await signer.type('systemctl kill --signal=KILL bursar-signer')
        const waiting = await order()
        await copyLog()
        await other.typeAll('sh standby-verify')
        await other.typeAll('sh standby-start')
        await nameMeans(standby)
        await server.typeAll('sh standby-roles')
        await isPaid(waiting)
        console.log(`from the loss of the signer to a payment in a block: ${Math.round(performance.now() - lost)} ms`)
        const signed = await signedBy(other)
        expect(signed).toHaveLength(3)
        expect(new Set(signed).size).toBe(3)
        expect(await worldOf().node.rpc('eth_getTransactionCount', hot, 'latest')).toBe('0x3')
      })

      test('it signs nothing while its copy of the log lacks a line', async () => {
        await other.type('systemctl kill --signal=KILL bursar-signer')
        await other.type('cp -a /var/lib/bursar-signer /root/whole')
        await other.type('rm /var/lib/bursar-signer/signer.log.index')
        await other.type("sed -i '$d' /var/lib/bursar-signer/signer.log")
        await other.typeAll('sh standby-verify')
        await other.typeAll('sh standby-start')
        const cut = await server.type('bursar signer log')
        expect(cut).toMatchObject({ code: 1, text: expect.stringContaining('log-cut-back') as string })
        await order()
        expect((await server.type('bursar signer log')).code).toBe(1)
        expect(await signedBy(other)).toHaveLength(2)
        expect(await worldOf().node.rpc('eth_getTransactionCount', hot, 'latest')).toBe('0x3')
      })
    })
  })
