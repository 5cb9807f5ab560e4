/** Background colours of the themes, against which a merchant's accent needs contrast. */
export const GROUNDS = {
  light: { panel: '#ffffff', ground: '#f4f6f5' },
  dark: { panel: '#1a201e', ground: '#111514' },
} as const

const STANDARD_ACCENT = '#0b6b4f'

export interface Accent {
  /** background of buttons: contrast of at least 3:1 to its surroundings */
  surface: string
  /** text on that background: at least 4.5:1 */
  on: string
  /** links, marks and focus: at least 4.5:1 to their background */
  line: string
}

const TEXT = 4.5
const SHAPE = 3

/** Returns the accent of a theme, as close to the merchant's colour as contrast allows (WCAG 2.2, 1.4.3 and 1.4.11). */
export const accentOf = (colour: string | undefined, theme: 'light' | 'dark'): Accent => {
  const wanted = colour !== undefined && /^#[0-9a-f]{6}$/i.test(colour) ? rgbOf(colour) : rgbOf(STANDARD_ACCENT)
  const below = Object.values(GROUNDS[theme]).map(rgbOf)
  const end: Rgb = theme === 'light' ? BLACK : WHITE
  const surface = movedUntil(wanted, end, (one) => below.every((ground) => contrast(one, ground) >= SHAPE))
  const line = movedUntil(wanted, end, (one) => below.every((ground) => contrast(one, ground) >= TEXT))
  const on = contrast(surface, WHITE) >= TEXT ? WHITE : BLACK
  return { surface: hexOf(surface), on: hexOf(on), line: hexOf(line) }
}

/** Returns the contrast of two colours, 1 to 21 (WCAG 2.2). */
export const contrastOf = (a: string, b: string): number => contrast(rgbOf(a), rgbOf(b))

type Rgb = readonly [number, number, number]
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
const STEPS = 40

const movedUntil = (from: Rgb, to: Rgb, isEnough: (colour: Rgb) => boolean): Rgb => {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = from.map((part, i) => Math.round(part + ((to[i]! - part) * step) / STEPS)) as unknown as Rgb
    if (isEnough(mixed)) return mixed
  }
  return to
}

const contrast = (a: Rgb, b: Rgb): number => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const luminance = (colour: Rgb): number => {
  const [r, g, b] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb
const hexOf = (colour: Rgb): string => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
