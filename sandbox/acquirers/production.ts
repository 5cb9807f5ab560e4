/** Throws in production: an emulator moves no money, and must never be mistaken for an acquirer. */
export function refuseProduction(name: string, env: NodeJS.ProcessEnv = process.env): void {
  if (env['NODE_ENV'] === 'production')
    throw new Error(`${name} is an emulator: it does not start with NODE_ENV=production`)
}
