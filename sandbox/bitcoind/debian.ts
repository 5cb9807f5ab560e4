/** Debian's bitcoind. Only Debian's unstable release has it, so it is fetched with its own C library and loader. */
import { join } from 'node:path'
import { architectures } from '../debian/fetch.ts'
import type { DebianProgram } from '../debian/fetch.ts'
import { tryProgram } from './program.ts'
import type { BitcoindProgram } from './program.ts'

export const debianBitcoind: DebianProgram<BitcoindProgram> = {
  name: 'bitcoind',
  packages: ['bitcoin-knots'],
  suite: 'sid',
  spare: ['root/usr/share'],
  find: (folder) => {
    const { triplet = '', loader = '' } = architectures[process.arch] ?? {}
    const libraries = join(folder, 'root/usr/lib', triplet)
    const args = ['--library-path', libraries, join(folder, 'root/usr/bin/bitcoind')]
    return tryProgram(join(libraries, loader), args, `Debian's bitcoind in ${folder}`)
  },
}
