/** The logo of a merchant in a real browser: upload without scripts, what browsers decode, nothing moves, axe. */
import { expect, test } from 'vitest'
import { LANGUAGES } from '@bursar/checkout'
import { readLogo } from '../../server/src/merchants/logos/index.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { useDashboard } from '../world/dashboard.ts'
import { judgeOf } from './judging.ts'
import { openSignedIn, type Visit } from './signed-in.ts'

describeWithChromium('the logo of a merchant', () => {
  const visit = useChromium()
  const { edge, memberOf } = useDashboard({ ofPort: true })
  const origin = (): string => `http://localhost:${edge.port}`
  const at = (more = ''): string => `${origin()}/app/merchants/${edge.merchant.id}/settings${more}`

  const signedIn = async (options: Parameters<Visit>[0] = {}) => {
    const { cookie } = await memberOf(edge.merchant.id, 'owner')
    return openSignedIn(visit, { origin: origin(), cookie }, options)
  }
  /** A picture that Chromium draws and encodes. */
  const drawn = async (type: 'image/png' | 'image/jpeg', width: number, height: number): Promise<Buffer> => {
    const context = await visit()
    const page = await context.newPage()
    const url = String(
      await page.evaluate(`(() => {
        const canvas = Object.assign(document.createElement('canvas'), { width: ${width}, height: ${height} })
        const ink = canvas.getContext('2d')
        ink.fillStyle = '#c2410c'; ink.fillRect(0, 0, ${width / 2}, ${height})
        ink.fillStyle = 'rgba(20,80,200,.5)'; ink.fillRect(${width / 2}, 0, ${width / 2}, ${height / 2})
        return canvas.toDataURL('${type}')
      })()`),
    )
    await context.close()
    return Buffer.from(url.split(',')[1]!, 'base64')
  }

  test('is uploaded, previewed and published without scripts, and pages that show it do not move', async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false, locale: 'en-US' })
    await page.goto(at('?lang=en'))
    await page.getByRole('link', { name: 'Choose the logo' }).click()
    for (const [name, width, height] of [
      ['image/png', 900, 300],
      ['image/jpeg', 480, 120],
    ] as const) {
      const buffer = await drawn(name, width, height)
      await page.locator('#logo').setInputFiles({ name: 'logo', mimeType: name, buffer })
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByText('Uploaded. Look at it').waitFor()
      await page.getByRole('link', { name: 'See it on a payment page' }).click()
      await page.getByText('Order 1').waitFor()
      await page.goBack()
      await page.getByRole('button', { name: 'Publish this logo' }).click()
      await page.getByText('Published.').waitFor()
    }
    await context.close()

    const shown = await signedIn()
    const requests: string[] = []
    shown.page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await shown.page.goto(at('/preview?lang=en'), { waitUntil: 'networkidle' })
    const logo = await readLogo(await drawn('image/jpeg', 480, 120))
    expect(requests.filter((path) => path.startsWith('/logos/'))).toEqual([`/logos/${logo.hash}`])
    const measured = (await shown.page.evaluate(`(async () => {
      const picture = document.querySelector('img.logo')
      await picture.decode()
      const { width, height } = picture.getBoundingClientRect()
      const shifts = await new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().length)).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(0), 500)
      })
      return { width, height, natural: [picture.naturalWidth, picture.naturalHeight], shifts }
    })()`)) as object
    // 160 × 40 pixels, and the white edge.
    expect(measured).toEqual({ width: 168, height: 48, natural: [480, 120], shifts: 0 })
    await shown.context.close()
  })

  test('is the same picture as the file for a browser, when it is decoded and written anew', async () => {
    const file = await drawn('image/png', 96, 48)
    const { bytes } = await readLogo(file)
    const context = await visit()
    const page = await context.newPage()
    const pixels =
      await page.evaluate(`Promise.all([${[file, bytes].map((one) => JSON.stringify(one.toString('base64'))).join()}].map(async (text) => {
      const picture = Object.assign(new Image(), { src: 'data:image/png;base64,' + text })
      await picture.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: 96, height: 48 })
      const ink = canvas.getContext('2d')
      ink.drawImage(picture, 0, 0)
      return [...ink.getImageData(0, 0, 96, 48).data].join()
    }))`)
    const [before, after] = pixels as [string, string]
    expect(after).toBe(before)
    expect(new Set(before.split(',')).size).toBeGreaterThan(4)
    await context.close()
  })

  test.each(LANGUAGES)('in %s its page is in order for axe, at 320 and 1280 px, light and dark', async (language) => {
    const { context, page } = await signedIn({ reducedMotion: 'reduce' })
    const { faults, said, judge } = judgeOf(page)
    await page.goto(at(`/logo?lang=${language}`))
    const buffer = await drawn('image/png', 1_200, 200)
    await page.locator('#logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
    await page.locator('form:has(#logo) button').click()
    await page.getByRole('status').first().waitFor()
    await judge('uploaded')
    await page
      .locator('#logo')
      .setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
    edge.clock.ms += 6 * 60_000
    await page.locator('form:has(#logo) button').click()
    await page.locator('#logo-wrong').waitFor()
    await judge('refused, without a proof')
    await page.goto(at(`/preview?logo=draft&lang=${language}`))
    await judge('preview')
    expect(faults).toEqual([])
    expect(said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await context.close()
  })
})
