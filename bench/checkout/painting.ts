/** Measures the paint times of a page in Chromium with a slow processor and a slow network, like a slow phone. */
import { chromium, type Browser } from 'playwright-core'
import { findChromium } from '../../test/setup/chromium/find.ts'

/**
 * A quarter of this machine's speed, and the slow 4G of Lighthouse: 1.6 Mbit/s down, 0.75 up, 150 ms there and back.
 */
const CPU_SLOWDOWN = 4
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1_024 * 1_024) / 8,
  uploadThroughput: (750 * 1_024) / 8,
}

export interface Paints {
  /** ms since the navigation began */
  first: number
  largest: number
}

export const startBrowser = async (): Promise<Browser | undefined> => {
  const found = await findChromium()
  return 'program' in found
    ? chromium.launch({ executablePath: found.program, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
    : undefined
}

/** Measures a first visit, without anything cached. */
export const paintsOf = async (browser: Browser, url: string): Promise<Paints> => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', SLOW_4G)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await page.goto(url, { waitUntil: 'load' })
  const paints = (await page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const largest = list.getEntries().at(-1)
      const first = performance.getEntriesByName('first-contentful-paint')[0]
      if (first) setTimeout(() => resolve({ first: first.startTime, largest: largest.startTime }), 300)
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })`)) as Paints
  await context.close()
  return paints
}
