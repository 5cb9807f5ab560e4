/** The signer's own page in a real browser: enrolment, sign-in and approval by Chromium's virtual authenticator. */
import { writeFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { reserveOrigin, servePage } from '../world/approvals-page.ts'
import { makeFiles, run, written, type Files } from '../world/signer-process.ts'
import { evmRequest, intentOf, policyFile } from '../world/signer.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import { judgeOf } from './judging.ts'

const large = intentOf(1, { units: '900000000' })
const payment = evmRequest(large)

describeWithChromium("the signer's page", () => {
  const visit = useChromium()

  /** A person with a browser and a passkey, which the administrator adds to the policy. */
  const enrol = async (
    context: BrowserContext,
    id: string,
    files: Files,
    origin: string,
  ): Promise<{ page: Page; entry: object }> => {
    const page = await context.newPage()
    await addAuthenticator(page)
    const command = run(['enrol', '--id', id, '--log', files.log, '--approvals-origin', origin])
    const [address] = await written(command, /^http:\S+/m)
    await page.goto(address)
    await page.getByRole('button', { name: 'Make a passkey' }).click()
    await page.getByText('The passkey is made.').waitFor()
    expect(await command.ended).toBe(0)
    const entry = JSON.parse(/^\{.*\}$/m.exec(command.output())![0]) as object
    return { page, entry }
  }

  test('two people enrol, sign in and approve a payment, and nothing else is signed', async () => {
    const place = await reserveOrigin()
    const { origin } = place
    const files = await makeFiles(policyFile)
    const signer = await servePage(files, place)
    const dora = await enrol(await visit({ locale: 'en-US' }), 'dora', files, origin)
    const erik = await enrol(await visit({ locale: 'en-US' }), 'erik', files, origin)
    const usdt = {
      ...policyFile.networks.ETHEREUM.assets,
      USDT: { ...(policyFile.networks.ETHEREUM.assets as Record<string, object>)['USDT'], decimals: 6 },
    }
    const networks = { ...policyFile.networks, ETHEREUM: { ...policyFile.networks.ETHEREUM, assets: usdt } }
    writeFileSync(files.policy, JSON.stringify({ ...policyFile, networks, approvers: [dora.entry, erik.entry] }))
    signer.child.kill('SIGHUP')
    await written(signer, /"policy":"/)

    expect(await signer.client.sign(payment)).toMatchObject({ refused: 'needs-approval' })
    for (const { page } of [dora, erik]) {
      expect(await signer.client.sign(payment)).toMatchObject({ refused: 'needs-approval' })
      await page.goto(origin)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.getByRole('heading', { name: '900 USDT' }).waitFor()
      expect(await page.locator('.address').innerText()).toBe('0x70 9979 70C5 1812 dc3A 010C 7d01 b50e 0d17 dc79 C8')
      await page.getByRole('button', { name: 'Approve this payment' }).click()
      await page.getByText('Your approval is in the log of the signer.').waitFor()
      expect(await page.getByRole('button', { name: 'Approve this payment' }).count()).toBe(0)
      // The way back and forward approves nothing again.
      await page.goBack()
      await page.getByText('You have approved this payment.').waitFor()
    }
    expect(await signer.client.waiting()).toMatchObject([{ approvedBy: ['dora', 'erik'] }])
    expect(await signer.client.sign({ ...payment, intents: [{ ...large, units: '900000001' }] })).toHaveProperty(
      'refused',
    )
    expect(await signer.client.sign(payment)).toHaveProperty('signed')
    await dora.page.context().clearCookies()
    await dora.page.goto(origin)
    await dora.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  })

  test('every page passes axe on a phone and a desktop, in four languages, and says when a passkey fails', async () => {
    const place = await reserveOrigin()
    const { origin } = place
    const files = await makeFiles(policyFile)
    const signer = await servePage(files, place)
    const english = await visit({ locale: 'en-US' })
    const { page, entry } = await enrol(english, 'dora', files, origin)
    const approvers = [...policyFile.approvers, entry]
    writeFileSync(files.policy, JSON.stringify({ ...policyFile, approvers }))
    signer.child.kill('SIGHUP')
    await written(signer, /"policy":"/)
    await signer.client.sign(payment)
    const { judge, faults, said } = judgeOf(page)
    await judge('enrolled')
    // The locale of a browser context takes precedence over the headers of its pages, so DevTools set the language.
    const devtools = await page.context().newCDPSession(page)
    const userAgent = String(await page.evaluate('navigator.userAgent'))
    for (const language of ['en', 'uk', 'kk', 'ru']) {
      await devtools.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: language })
      await page.goto(origin)
      expect(await page.evaluate('document.documentElement.lang')).toBe(language)
      await judge(`sign-in in ${language}`)
      await page.locator('form[action="/sign-in"] button').click()
      await page.locator('form[action="/approve"]').waitFor()
      await judge(`list in ${language}`)
      const command = run(['enrol', '--id', 'erik', '--log', files.log, '--approvals-origin', origin])
      const [address] = await written(command, /^http:\S+/m)
      await page.goto(address)
      await judge(`enrolment in ${language}`)
      command.child.kill('SIGKILL')
      await command.ended
      await page.goto(`${origin}/enrol?code=old`)
      await judge(`old code in ${language}`)
      await page.goto(origin)
      await page.locator('form[action="/sign-out"] button').click()
      await page.locator('form[action="/sign-in"]').waitFor()
    }
    expect(faults).toEqual([])
    // A page that is not found is a line of the console, and no error of the script.
    expect(said.filter((line) => !line.includes('404'))).toEqual([])

    // A browser without the passkey: the page says so, and can be used again.
    const other = await (await visit({ locale: 'en-US' })).newPage()
    await addAuthenticator(other)
    await other.goto(origin)
    await other.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await other.getByText('The passkey was not used. Try again.').waitFor()
    expect(await other.getByRole('button', { name: 'Sign in with a passkey' }).isEnabled()).toBe(true)
    // Without scripts, it names the command.
    const scriptless = await (await visit({ javaScriptEnabled: false, locale: 'en-US' })).newPage()
    await scriptless.goto(origin)
    expect(await scriptless.locator('noscript p').innerText()).toContain('bursar-signer approve')
  })
})
