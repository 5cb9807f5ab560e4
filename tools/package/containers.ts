/** The containers of `deploy/docker`, as the Dockerfiles and the compose file describe them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

interface Image {
  /** `UID:GID` */
  user: string
  entrypoint: string[]
  /** the command of the health check */
  health: string[]
}

/** A process of a container. */
export interface Container {
  name: string
  /** name of its image, without the version */
  image: string
  user: string
  /** with the entry point of the image */
  command: string[]
  /** without it */
  args: string[]
  env: Readonly<Record<string, string>>
  health: string[]
}

interface Service {
  image: string
  user: string
  command: string[]
  environment?: Record<string, string>
}

/** @throws Error if an instruction is missing, or would need a shell */
const readImage = (file: string): Image => {
  const text = readFileSync(file, 'utf8').replaceAll(/\\\n\s*/g, '')
  const find = (instruction: RegExp): string => {
    const found = [...text.matchAll(instruction)].at(-1)
    if (found === undefined) throw new Error(`${file} has no ${instruction.source}`)
    return found[1]!
  }
  return {
    user: find(/^USER (\d+:\d+)$/gm),
    entrypoint: JSON.parse(find(/^ENTRYPOINT (\[.*\])$/gm)) as string[],
    health: JSON.parse(find(/^HEALTHCHECK .*CMD (\[.*\])$/gm)) as string[],
  }
}

/**
 * The containers that run an image of ours.
 * @param folder deploy/docker
 * @param variables of the environment that the compose file names
 */
export const readContainers = (folder: string, variables: Readonly<Record<string, string>>): Container[] => {
  const images = {
    bursar: readImage(join(folder, 'bursar.Dockerfile')),
    'bursar-signer': readImage(join(folder, 'signer.Dockerfile')),
  }
  const text = readFileSync(join(folder, 'compose.yaml'), 'utf8')
  const filled = text.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => variables[name] ?? '')
  const { services } = parse(filled, { merge: true }) as { services: Record<string, Service> }
  return Object.entries(services).flatMap(([name, { image, user, command, environment = {} }]) => {
    const of = image.split(':')[0]!
    const built = images[of as keyof typeof images]
    if (built === undefined) return []
    if (user !== built.user) throw new Error(`${name} runs as ${user}, and its image as ${built.user}`)
    return {
      name,
      image: of,
      user,
      command: [...built.entrypoint, ...command],
      args: command,
      env: environment,
      health: built.health,
    }
  })
}

/** The text of a shell script that runs a command as the user of the container, without any privilege. */
export const scriptOf = ({ user, env }: Container, command: readonly string[]): string => {
  const [uid, gid] = user.split(':')
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const variables = Object.entries(env).map(([name, value]) => quote(`${name}=${value}`))
  const privileges = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
    '--inh-caps=-all',
  ]
  return `exec env -i ${variables.join(' ')} setpriv ${privileges.join(' ')} -- ${command.map(quote).join(' ')}\n`
}
