import { readFileSync } from 'node:fs'

/** Noto Sans (OFL) covers all languages of documents. Only the glyphs that a document uses are embedded in it. */
const FILES = { regular: '400Regular/NotoSans_400Regular.ttf', bold: '600SemiBold/NotoSans_600SemiBold.ttf' }

export type FontName = keyof typeof FILES

let read: Record<FontName, Buffer> | undefined

/** The font files, read once by each process that makes documents. */
export const fonts = (): Record<FontName, Buffer> => {
  const folder = new URL('.', import.meta.resolve('@expo-google-fonts/noto-sans/package.json'))
  return (read ??= {
    regular: readFileSync(new URL(FILES.regular, folder)),
    bold: readFileSync(new URL(FILES.bold, folder)),
  })
}
