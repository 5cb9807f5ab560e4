import { describe, expect, test } from 'vitest'
import { openSeeds, sealSeed, sealSeeds } from './seed-file.ts'
import { seed } from '../../../test/world/signer.ts'

const openSeed = async (file: string, words: Buffer): Promise<Buffer> => (await openSeeds(file, words)).first
const passphrase = Buffer.from('correct horse battery staple')

describe('a seed file', async () => {
  const file = await sealSeed(seed(), passphrase)
  const parsed = JSON.parse(file) as { kdf: Record<string, unknown>; cipher: Record<string, unknown> }

  test('opens with its passphrase and holds nothing readable of the seed', async () => {
    expect(await openSeed(file, passphrase)).toEqual(seed())
    for (let at = 0; at < 56; at++)
      expect(file).not.toContain(
        seed()
          .subarray(at, at + 8)
          .toString('hex'),
      )
  })

  test('is another one each time', async () => {
    const again = JSON.parse(await sealSeed(seed(), passphrase)) as Record<string, unknown>
    expect(again['ciphertext']).not.toBe((parsed as Record<string, unknown>)['ciphertext'])
    expect(again['kdf']).not.toEqual(parsed.kdf)
  })

  test('does not open with another passphrase', async () => {
    await expect(openSeed(file, Buffer.from('correct horse battery stable'))).rejects.toThrow(/passphrase is wrong/)
  })

  const flip = (hex: string): string => `${hex.slice(0, -1)}${hex.at(-1) === '0' ? '1' : '0'}`
  test.each([
    ['ciphertext', { ciphertext: flip((parsed as unknown as { ciphertext: string }).ciphertext) }],
    ['tag', { tag: flip((parsed as unknown as { tag: string }).tag) }],
    ['salt', { kdf: { ...parsed.kdf, salt: flip(parsed.kdf['salt'] as string) } }],
    ['iv', { cipher: { ...parsed.cipher, iv: flip(parsed.cipher['iv'] as string) } }],
    ['cost', { kdf: { ...parsed.kdf, logN: 16 } }],
  ])('does not open with a changed %s', async (_name, change) => {
    await expect(openSeed(JSON.stringify({ ...parsed, ...change }), passphrase)).rejects.toThrow(/was changed/)
  })

  test.each([
    ['a cost that would take all memory', { kdf: { ...parsed.kdf, logN: 30 } }],
    ['next to no cost', { kdf: { ...parsed.kdf, logN: 1 } }],
    ['another cipher', { cipher: { ...parsed.cipher, name: 'aes-256-cbc' } }],
    ['a later version', { version: 2 }],
    ['an unknown field', { comment: 'hi' }],
  ])('is refused with %s', async (_name, change) => {
    await expect(openSeed(JSON.stringify({ ...parsed, ...change }), passphrase)).rejects.toThrow(/not a seed file/)
  })

  test('is refused when it is not JSON', async () => {
    await expect(openSeed('seed', passphrase)).rejects.toThrow(/not a seed file/)
  })
})

describe('a seed file with two seeds', async () => {
  const second = Buffer.alloc(64, 7)
  const file = await sealSeeds(seed(), { seed: second, stage: 'prepared' }, passphrase)
  const parsed = JSON.parse(file) as Record<string, unknown>

  test('opens with both, and shows neither', async () => {
    expect(await openSeeds(file, passphrase)).toEqual({ first: seed(), second: { seed: second, stage: 'prepared' } })
    expect(parsed).toMatchObject({ version: 2, stage: 'prepared' })
    expect(file).not.toContain(second.subarray(0, 8).toString('hex'))
  })

  test.each([
    ['another stage', { ...parsed, stage: 'active' }, /was changed/],
    ['no stage', { ...parsed, stage: undefined }, /not a seed file/],
    ['a stage that does not exist', { ...parsed, stage: 'used' }, /not a seed file/],
    ['the version of one seed', { ...parsed, version: 1 }, /not a seed file/],
  ])('does not open with %s', async (_name, changed, message) => {
    await expect(openSeeds(JSON.stringify(changed), passphrase)).rejects.toThrow(message)
  })
})
