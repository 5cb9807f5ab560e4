import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { readSecretFile } from '../keys/secret-file.ts'

/** 24 words. */
const ENTROPY_BITS = 256

/** Reads the words of a seed from a file, or makes new ones. Throws an Error when the file has no BIP 39 mnemonic. */
export async function wordsOf(file: string | undefined): Promise<string> {
  return file === undefined ? generateMnemonic(wordlist, ENTROPY_BITS) : readMnemonic(file)
}

async function readMnemonic(path: string): Promise<string> {
  const words = (await readSecretFile(path)).toString('utf8').trim().toLowerCase().split(/\s+/).join(' ')
  if (!validateMnemonic(words, wordlist)) throw new Error(`${path} does not hold a BIP 39 mnemonic in English`)
  return words
}
