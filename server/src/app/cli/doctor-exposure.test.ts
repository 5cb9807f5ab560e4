import { expect, test } from 'vitest'
import { reportExposure } from './doctor-exposure.ts'

const SAFE = {
  http: { host: '127.0.0.1', port: 8080 },
  publicUrl: 'https://pay.example.com',
  trustedProxies: ['127.0.0.1/32'],
  outboundAllow: [],
  httpWebhooks: false,
  sandbox: false,
}

const badOf = (changed: Partial<Parameters<typeof reportExposure>[0]>): string[] => {
  const bad: string[] = []
  reportExposure({ ...SAFE, ...changed }, (good, text) => void (good || bad.push(text)))
  return bad
}

test('audit S-2 S-20: the doctor finds settings that expose what should be closed', () => {
  expect(badOf({})).toEqual([])
  expect(badOf({ trustedProxies: [] })).toEqual([expect.stringContaining('BURSAR_TRUSTED_PROXIES')])
  expect(badOf({ trustedProxies: [], http: { host: '::1', port: 1 } })).toHaveLength(1)
  expect(badOf({ publicUrl: 'http://pay.example.com' })).toEqual([expect.stringContaining('plain HTTP')])
  expect(badOf({ outboundAllow: ['10.0.0.0/8', '0.0.0.0/0', '::/0'] })).toEqual([
    expect.stringContaining('0.0.0.0/0, ::/0'),
  ])
  expect(badOf({ httpWebhooks: true })).toEqual([expect.stringContaining('BURSAR_HTTP_WEBHOOKS')])
})

test('settings for this machine only, or for a sandbox, are no finding', () => {
  expect(badOf({ publicUrl: 'http://127.0.0.1:8080', trustedProxies: [] })).toEqual([])
  expect(badOf({ publicUrl: 'http://localhost:8080', trustedProxies: [] })).toEqual([])
  expect(badOf({ publicUrl: 'http://[::1]:8080', trustedProxies: [] })).toEqual([])
  expect(badOf({ http: { host: '0.0.0.0', port: 443 }, trustedProxies: [] })).toEqual([])
  expect(badOf({ httpWebhooks: true, sandbox: true, outboundAllow: ['127.0.0.0/8'] })).toEqual([])
})
