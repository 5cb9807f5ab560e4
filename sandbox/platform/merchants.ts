/** Two demo merchants, made once as an operator makes them and kept with their keys. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface DemoMerchant {
  readonly id: string
  readonly privateKey: string
  readonly webhookSecret: string
  readonly notificationsUrl: string
}

const NAMES = ['Demo shop', 'Demo market']
const COMPANY_URL = 'https://shop.example'
const run = promisify(execFile)

export async function demoMerchants(dir: string, root: string, env: NodeJS.ProcessEnv, inbox: string): Promise<DemoMerchant[]> {
  const file = join(dir, 'merchants.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoMerchant[]
  const made: DemoMerchant[] = []
  const bursar = async (...args: string[]): Promise<string> =>
    (await run(process.execPath, [join(root, 'server/src/main.ts'), ...args], { env })).stdout
  for (const name of NAMES) {
    const merchant = JSON.parse(await bursar('merchant', 'create', '--name', name, '--url', COMPANY_URL)) as Omit<DemoMerchant, 'notificationsUrl'>
    const notificationsUrl = `${inbox}/merchant/${merchant.id}`
    await bursar('merchant', 'set', merchant.id, 'notificationsUrl', notificationsUrl)
    made.push({ ...merchant, notificationsUrl })
  }
  writeFileSync(`${file}.new`, JSON.stringify(made, null, 2), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return made
}
