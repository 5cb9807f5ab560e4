const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * `Firefox, Linux`: a browser by its own name for itself (RFC 9110, 10.1.5), for a person to recognise; the given text
 * if it is none that we know.
 */
export const browserOf = (agent: string): string => {
  const nameIn = (names: typeof BROWSERS): string | undefined => names.find(([sign]) => sign.test(agent))?.[1]
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined).join(', ') || agent
}

const LONGEST_AGENT = 300

/** A browser's name for itself as it is stored and mailed: printable ASCII of at most `LONGEST_AGENT` characters. */
export const shownAgent = (agent: string): string =>
  agent.replaceAll(/[^\x20-\x7e]/g, '').slice(0, LONGEST_AGENT) || 'unknown'
