/**
 * Debian's Chromium of the machine's own release, beside the machine's C library: its processes start one another by
 * their own name, which a loader in front would not survive. Fonts come with it.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { architectures, cachedProgram, fetchProgram, type DebianProgram } from '../../../sandbox/debian/fetch.ts'

interface Program {
  program: string
}

const debianChromium: DebianProgram<Program> = {
  name: 'chromium',
  packages: ['chromium', 'chromium-common', 'fontconfig-config', 'fonts-dejavu-core'],
  without: ['libc6'],
  spare: ['root/usr/share/doc', 'root/usr/share/locale', 'root/usr/share/icons'],
  find: (folder) => {
    const root = join(folder, 'root')
    const inside = join(root, 'usr/lib/chromium/chromium')
    if (!existsSync(inside)) return `there is no Chromium in ${folder}`
    const program = join(folder, 'chromium')
    writeStarter(program, root, inside)
    const { status, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 20_000 })
    return status === 0
      ? { program }
      : `Debian's Chromium in ${folder} does not run: ${error?.message ?? stderr.trim().split('\n')[0]}`
  },
}

/** Written anew each time: the folder is moved to its place after it was tried. */
const writeStarter = (file: string, root: string, inside: string): void => {
  const triplet = architectures[process.arch]?.triplet ?? ''
  const libraries = ['usr/lib', 'lib'].flatMap((place) => [
    join(root, place, triplet),
    join(root, place, triplet, 'pulseaudio'),
  ])
  const fonts = join(root, 'fonts.conf')
  mkdirSync(root, { recursive: true })
  writeFileSync(
    fonts,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>/usr/share/fonts</dir><dir>${root}/usr/share/fonts</dir><cachedir>${root}/font-cache</cachedir></fontconfig>\n`,
  )
  writeFileSync(
    file,
    `#!/bin/sh\nLD_LIBRARY_PATH='${libraries.join(':')}' FONTCONFIG_FILE='${fonts}' exec '${inside}' "$@"\n`,
  )
  chmodSync(file, 0o755)
}

export const cachedChromium = (cacheDir: string): string | undefined => cachedProgram(cacheDir, debianChromium)?.program

export const fetchChromium = async (
  cacheDir: string,
  log: (line: string) => void,
): Promise<Program | { missing: string }> => {
  const fetched = await fetchProgram(cacheDir, debianChromium, log)
  return typeof fetched === 'string' ? { missing: fetched } : fetched
}
