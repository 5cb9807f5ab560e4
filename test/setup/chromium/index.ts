/** A real browser for tests: found once, started when it is first asked for, ended after the file's last test. */
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'
import { afterAll, describe, test } from 'vitest'
import { findChromium } from './find.ts'

const isCi = !['', '0', 'false'].includes(process.env['CI'] ?? '')
const found = await findChromium({ log: (line) => process.stderr.write(`${line}\n`) })

/** Starts the browser that was found. Throws where there is none. */
export const startChromium = (): Promise<Browser> => {
  if (!('program' in found)) throw new Error(found.missing)
  // Root has no sandbox of its own to put pages into; nothing is opened here that we did not make.
  return chromium.launch({
    executablePath: found.program,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb', '--font-render-hinting=none'],
  })
}

/** A group of tests that need a Chromium: skipped, and counted so, where there is none; a failure under CI. */
export const describeWithChromium = (name: string, body: () => void): void => {
  const missing = 'missing' in found ? found.missing : undefined
  if (missing !== undefined && isCi) {
    test(name, () => {
      throw new Error(`a Chromium is needed under CI: ${missing}`)
    })
  } else {
    describe.skipIf(missing !== undefined)(missing === undefined ? name : `${name} (${missing})`, () => {
      body()
    })
  }
}

/**
 * Call at the top of the group. Each call of the returned function is a context of its own: nothing is shared between
 * visits.
 */
export const useChromium = (): ((options?: BrowserContextOptions) => Promise<BrowserContext>) => {
  let started: Promise<Browser> | undefined
  afterAll(async () => {
    await (await started)?.close()
  })
  return async (options) => (await (started ??= startChromium())).newContext(options)
}
