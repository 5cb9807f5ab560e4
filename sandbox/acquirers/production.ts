/** An emulator moves no money: it must never stand where a person believes that it does. */
export function refuseProduction(name: string, env: NodeJS.ProcessEnv = process.env): void {
  if (env['NODE_ENV'] === 'production')
    throw new Error(`${name} is an emulator: it does not start with NODE_ENV=production`)
}
