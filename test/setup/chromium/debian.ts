export const cachedChromium = (_cacheDir: string): string | undefined => undefined
export const fetchChromium = async (_cacheDir: string, _log: (line: string) => void): Promise<{ program: string } | { missing: string }> => ({ missing: 'no Chromium' })
