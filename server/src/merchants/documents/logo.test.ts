/** A logo in documents: where it is, what a screen reader reads, and that the rest of the document stays. */
import { getDocument, OPS, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { expect, test } from 'vitest'
import { cryptoReceipt } from '../../../../test/world/letters.ts'
import { readPdf } from '../../../../test/world/pdf.ts'
import { readLogo } from '../logos/index.ts'
import { jpegFile, plainPicture, pngFile } from '../logos/test-pictures.ts'
import { createDocumentMaker } from './maker.ts'
import { receiptPdf } from './receipt-pdf.ts'
import { statementPdf } from './statement-pdf.ts'

const COMPANY = cryptoReceipt.company.name
const pictures = [
  ['a PNG', await readLogo(pngFile(plainPicture(240, 80, [200, 10, 20, 255])))],
  ['a PNG with opacity', await readLogo(pngFile(plainPicture(60, 90, [200, 10, 20, 100])))],
  ['a JPEG', await readLogo(jpegFile(320, 64))],
] as const

/** The first element of the structure of the first sheet, and the sizes of its pictures, in points. */
const lookAt = async (pdf: Uint8Array) => {
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: VerbosityLevel.ERRORS, useSystemFonts: false })
  const page = await (await task.promise).getPage(1)
  const tree = (await page.getStructTree()) as unknown as { children: [{ children: object[] }] }
  const { fnArray, argsArray } = await page.getOperatorList()
  const drawn = fnArray.flatMap((fn, at) => (fn === OPS.paintImageXObject ? [at] : []))
  // The size of a picture is in the transformation before it.
  const sizes = drawn.map((at) => argsArray[fnArray.lastIndexOf(OPS.transform, at)] as number[])
  const first = tree.children[0].children[0]
  await task.destroy()
  return { first, sizes }
}

test.each(pictures)(
  '%s is the first element of a receipt, with the name of the company as its text',
  async (_name, logo) => {
    const pdf = await receiptPdf(cryptoReceipt, 'en', logo)
    const { first, sizes } = await lookAt(pdf)
    expect(first).toMatchObject({ role: 'Figure', alt: COMPANY })
    expect(sizes).toHaveLength(1)
    const [wide, , , high] = sizes[0]!.map(Math.abs)
    expect(wide! / high!).toBeCloseTo(logo.width / logo.height)
    expect([wide! <= 180.01, high! <= 45.01]).toEqual([true, true])
    const [shown, without] = [await readPdf(pdf), await readPdf(await receiptPdf(cryptoReceipt, 'en'))]
    expect(shown.sheets.join(' ')).toBe(without.sheets.join(' '))
  },
)

test('a document with a logo is the same bytes for the same values, also from the thread', async () => {
  const maker = createDocumentMaker()
  for (const [, logo] of pictures) {
    const here = await receiptPdf(cryptoReceipt, 'uk', logo)
    expect((await receiptPdf(cryptoReceipt, 'uk', logo)).equals(here)).toBe(true)
    const request = {
      kind: 'receipt',
      receipt: cryptoReceipt,
      language: 'uk',
      logo: { ...logo, bytes: Uint8Array.from(logo.bytes) },
    } as const
    expect((await maker.make(request)).equals(here)).toBe(true)
  }
  await maker.close()
})

test('a statement has it too', async () => {
  const statement = {
    company: COMPANY,
    ticker: 'USDT',
    month: '2026-10',
    endsAt: Date.UTC(2026, 10, 1),
    opening: '0',
    closing: '0',
    credits: [],
    debits: [],
    changes: [],
  }
  const { first, sizes } = await lookAt(await statementPdf(statement, 'kk', pictures[0][1]))
  expect([first, sizes.length]).toEqual([expect.objectContaining({ role: 'Figure', alt: COMPANY }), 1])
})
